export const BAR_FIELDS = ['start', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Bars of one symbol and interval, oldest first; every column has the same length. `start` in epoch ms. */
export type BarColumns = Readonly<Record<(typeof BAR_FIELDS)[number], Float64Array>>;

export const columnsOf = (capacity: number): BarColumns => ({
  start: new Float64Array(capacity),
  open: new Float64Array(capacity),
  high: new Float64Array(capacity),
  low: new Float64Array(capacity),
  close: new Float64Array(capacity),
  volume: new Float64Array(capacity),
});

/** Columns computed one by one from those of other bars. */
export const mapColumns = (
  { start, open, high, low, close, volume }: BarColumns,
  made: (column: Float64Array) => Float64Array,
): BarColumns => ({
  start: made(start),
  open: made(open),
  high: made(high),
  low: made(low),
  close: made(close),
  volume: made(volume),
});

/** The same bars with a larger capacity. */
export function widened(columns: BarColumns, capacity: number): BarColumns {
  const wider = columnsOf(capacity);
  for (const field of BAR_FIELDS) wider[field].set(columns[field]);
  return wider;
}
