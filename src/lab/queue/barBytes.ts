import type { BarColumns } from '../../market/series.ts';

/** Columns in the order in which their bytes follow one another. */
const COLUMNS = ['start', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Bars as the bytes of their columns, one after the other, little-endian: the same bars have the same hash on every machine. */
export function bytesOfBars(columns: BarColumns): Uint8Array {
  const count = columns.start.length;
  const all = new Float64Array(count * COLUMNS.length);
  COLUMNS.forEach((name, index) => all.set(columns[name], index * count));
  return new Uint8Array(all.buffer);
}

/** Columns of such bytes, in memory that threads share. */
export function barsOfBytes(bytes: Uint8Array): BarColumns {
  const memory = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(memory).set(bytes);
  const all = new Float64Array(memory);
  const count = all.length / COLUMNS.length;
  const column = (index: number) => all.subarray(index * count, (index + 1) * count);
  return {
    start: column(0),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(5),
  };
}
