import { tradingCalendar } from '../../src/calendar/index.ts';
import type { BarRow } from '../../src/market/mergeBars.ts';
import { columnsOfRows } from '../../src/market/mergeBars.ts';
import type { BarColumns } from '../../src/domain/barColumns.ts';

export const row = (start: number, price = 100, more: Partial<BarRow> = {}): BarRow => ({
  start,
  open: price,
  high: price + 1,
  low: price - 1,
  close: price,
  volume: 10,
  ...more,
});

/** Rows as columns, even when out of order or duplicated. */
export function columnsAsGiven(rows: readonly BarRow[]): BarColumns {
  const columns = columnsOfRows(rows.map((each, index) => ({ ...each, start: index })));
  rows.forEach(({ start }, index) => (columns.start[index] = start));
  return columns;
}

/** The start of each minute of the sessions of some days. */
export const minutesOf = (from: string, to: string): number[] =>
  tradingCalendar
    .sessions(from, to)
    .flatMap(({ open, close }) =>
      Array.from({ length: (close - open) / 60_000 }, (_, at) => open + at * 60_000),
    );

export const opensOf = (from: string, to: string): number[] =>
  tradingCalendar.sessions(from, to).map(({ open }) => open);

export const rowsOf = ({ start, open, high, low, close, volume }: BarColumns): number[][] =>
  Array.from(start, (at, index) => [
    at,
    ...[open, high, low, close, volume].map((column) => column[index] ?? NaN),
  ]);
