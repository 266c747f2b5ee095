import type { PhaseAt, TradingCalendar } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { countWhile } from '../core/countWhile.ts';
import { mergeBars } from './mergeBars.ts';
import { JUMP } from './inspectBars.ts';
import { mapColumns, type BarColumns } from '../domain/barColumns.ts';

/** Bars of the regular sessions, and those of all other phases. */
export type HoursSplit = Readonly<{ regular: BarColumns; outside: BarColumns }>;

/** Splits intraday bars by the phase in which each starts. */
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

/** Joins the bars of the regular sessions and of the other phases, ordered by start. */
export const joinHours = (regular: BarColumns, outside: BarColumns): BarColumns =>
  mergeBars(regular, outside).columns;

/** Bars between two sessions whose prices differ from both. `at`: start of the first, epoch ms. */
export type OtherScale = Readonly<{ at: number; price: number; session: number }>;

/**
 * Nights whose prices leave those of the sessions by far and return to them. More than one means that only one of the
 * two sets is adjusted for splits: a stock may move that far, but does not return at each open.
 */
export function otherScale(regular: BarColumns, outside: BarColumns): OtherScale[] {
  const found: OtherScale[] = [];
  let first = 0;
  for (let next = 1; next < regular.start.length; next++) {
    const until = regular.start[next] ?? NaN;
    if ((outside.start[first] ?? Infinity) >= until) continue;
    const end = countWhile(outside.start, (start) => start < until);
    const [before, open] = [regular.close[next - 1] ?? NaN, regular.open[next] ?? NaN];
    const [price, last] = [outside.open[first] ?? NaN, outside.close[end - 1] ?? NaN];
    const isAfter = (outside.start[first] ?? NaN) > (regular.start[next - 1] ?? NaN);
    const [leaving, returning] = [price / before, last / open];
    const isFar = Math.min(leaving, returning) > JUMP || Math.max(leaving, returning) < 1 / JUMP;
    if (isAfter && isFar) found.push({ at: outside.start[first] ?? NaN, price, session: before });
    first = end;
  }
  return found;
}
