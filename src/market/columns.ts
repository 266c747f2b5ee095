import { ConfigError } from '../core/errors.ts';
import type { BarColumns } from '../domain/barColumns.ts';

const COLUMNS = 6;
const BYTES = 8;

/**
 * Columns of a `.f64` file: little-endian float64, one column after another: start (epoch ms), open, high, low, close,
 * volume. They share the memory of `bytes` if it is aligned.
 * @throws {ConfigError} when it cannot be such a file
 */
export function columnsFrom(bytes: Uint8Array, file: string): BarColumns {
  const count = bytes.length / (COLUMNS * BYTES);
  if (count === 0) throw new ConfigError(`${file}: the file is empty`);
  if (!Number.isInteger(count))
    throw new ConfigError(`${file}: ${bytes.length} bytes do not make six float64 columns of equal length`);
  const aligned = bytes.byteOffset % BYTES === 0 ? bytes : Uint8Array.from(bytes);
  const at = (column: number) =>
    new Float64Array(aligned.buffer, aligned.byteOffset + column * count * BYTES, count);
  return { start: at(0), open: at(1), high: at(2), low: at(3), close: at(4), volume: at(5) };
}

/** Content of a `.f64` file. */
export function bytesOf({ start, open, high, low, close, volume }: BarColumns): Uint8Array {
  const all = new Float64Array(start.length * COLUMNS);
  [start, open, high, low, close, volume].forEach((column, index) => all.set(column, index * start.length));
  return new Uint8Array(all.buffer);
}

const LANES = 4;
/** Odd constants without structure, one per lane (golden ratio and xxHash primes). */
const MULTIPLIERS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/**
 * 128-bit hash of the content of columns, as 32 hex digits: the same for the same numbers. It distinguishes data, but
 * does not resist data forged for a given hash.
 */
export function hashColumns(columns: BarColumns): string {
  const lanes = new Int32Array(LANES);
  for (const [name, column] of Object.entries(columns).sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (let lane = 0; lane < LANES; lane++)
      lanes[lane] = mixed(lanes[lane] ?? 0, name.length * 31 + name.charCodeAt(0) + lane + column.length);
    mixColumn(lanes, column);
  }
  return [...lanes].map((lane, index) => hex(avalanche(lane ^ (index + 1)))).join('');
}

function mixColumn(lanes: Int32Array, column: Float64Array): void {
  const words = new Int32Array(column.buffer, column.byteOffset, column.length * 2);
  const [p, q, r, s] = MULTIPLIERS;
  let a = lanes[0] ?? 0;
  let b = lanes[1] ?? 0;
  let c = lanes[2] ?? 0;
  let d = lanes[3] ?? 0;
  const even = words.length - (words.length % LANES);
  for (let index = 0; index < even; index += LANES) {
    a = Math.imul(((a << 13) | (a >>> 19)) ^ (words[index] ?? 0), p);
    b = Math.imul(((b << 13) | (b >>> 19)) ^ (words[index + 1] ?? 0), q);
    c = Math.imul(((c << 13) | (c >>> 19)) ^ (words[index + 2] ?? 0), r);
    d = Math.imul(((d << 13) | (d >>> 19)) ^ (words[index + 3] ?? 0), s);
  }
  for (let index = even; index < words.length; index++) a = mixed(a, words[index] ?? 0);
  lanes[0] = a ^ (d >>> 7);
  lanes[1] = b ^ (a >>> 5);
  lanes[2] = c ^ (b >>> 3);
  lanes[3] = d ^ (c >>> 11);
}

const mixed = (lane: number, word: number): number =>
  Math.imul(((lane << 13) | (lane >>> 19)) ^ word, MULTIPLIERS[0]);

function avalanche(value: number): number {
  const once = Math.imul(value ^ (value >>> 15), MULTIPLIERS[1]);
  const twice = Math.imul(once ^ (once >>> 13), MULTIPLIERS[2]);
  return twice ^ (twice >>> 16);
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
