import type { PhaseAt, TradingCalendar } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { mergeBars } from './mergeBars.ts';
import { mapColumns, type BarColumns } from './series.ts';

/** Bars of the regular sessions, and those of all other phases. */
export type HoursSplit = Readonly<{ regular: BarColumns; outside: BarColumns }>;

/** Splits bars shorter than a day by the phase in which each starts. */
export function splitHours(columns: BarColumns, calendar: TradingCalendar): HoursSplit {
  let span: PhaseAt | undefined;
  const isRegular = columns.start.map((start) => {
    if (!span || start < span.since || start >= span.nextChange) span = calendar.phaseAt(epochMs(start));
    return Number(span.phase === 'regular');
  });
  const part = (wanted: number) =>
    mapColumns(columns, (column) => column.filter((_, index) => isRegular[index] === wanted));
  return { regular: part(1), outside: part(0) };
}

/** Joins the bars of the regular sessions and of the other phases in the order of their starts. */
export const joinHours = (regular: BarColumns, outside: BarColumns): BarColumns =>
  mergeBars(regular, outside).columns;
