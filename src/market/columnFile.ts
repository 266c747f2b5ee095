import { ConfigError } from '../core/errors.ts';
import type { BarColumns } from './series.ts';

const COLUMNS = 6;
const BYTES = 8;

/**
 * Columns of a `.f64` file: little-endian float64, one column after the other: start (epoch ms), open, high, low, close,
 * volume. They share the memory of `bytes` where it is aligned.
 * @throws {ConfigError} when it cannot be such a file
 */
export function columnsFrom(bytes: Uint8Array, file: string): BarColumns {
  const count = bytes.length / (COLUMNS * BYTES);
  if (count === 0) throw new ConfigError(`${file}: the file is empty`);
  if (!Number.isInteger(count))
    throw new ConfigError(`${file}: ${bytes.length} bytes are not six columns of float64 of one length`);
  const aligned = bytes.byteOffset % BYTES === 0 ? bytes : Uint8Array.from(bytes);
  const at = (column: number) =>
    new Float64Array(aligned.buffer, aligned.byteOffset + column * count * BYTES, count);
  return { start: at(0), open: at(1), high: at(2), low: at(3), close: at(4), volume: at(5) };
}

/** The bytes of such a file. */
export function bytesOf({ start, open, high, low, close, volume }: BarColumns): Uint8Array {
  const all = new Float64Array(start.length * COLUMNS);
  [start, open, high, low, close, volume].forEach((column, index) => all.set(column, index * start.length));
  return new Uint8Array(all.buffer);
}
