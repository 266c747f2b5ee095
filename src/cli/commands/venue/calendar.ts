import { newYorkClock, type TradingCalendar } from '../../../calendar/index.ts';
import { epochMs, toIso } from '../../../core/brand.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { printResult } from '../../../process/output.ts';

/** `open` and `close` are ISO 8601 in UTC. The printed JSON is an array of these. */
export type CalendarRow = Readonly<{ date: string; open: string; close: string; early: boolean }>;

/**
 * One row per session, both dates inclusive, `YYYY-MM-DD`.
 * @throws {InvalidValueError} for a malformed date, `from` after `to`, or a date outside 2000 to 2050
 */
export const calendarRows = (calendar: TradingCalendar, from: string, to: string): CalendarRow[] =>
  calendar
    .sessions(from, to)
    .map(({ date, open, close, early }) => ({ date, open: toIso(open), close: toIso(close), early }));

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const HEADER = 'date        day  New York     UTC          note';
const REGULAR_OPEN = '09:30';

/** One line per session below a header, without a trailing newline. */
export const renderCalendar = (rows: readonly CalendarRow[]): string =>
  rows.length === 0 ? 'No session in this period.' : [HEADER, ...rows.map(renderRow)].join('\n');

function renderRow(row: CalendarRow): string {
  const weekday = WEEKDAYS[new Date(row.date).getUTCDay()] ?? '';
  const [open, close] = [clockOf(row.open), clockOf(row.close)];
  const utc = `${row.open.slice(11, 16)}–${row.close.slice(11, 16)}`;
  const note = [open === REGULAR_OPEN ? '' : 'late open', row.early ? 'early close' : ''].filter(Boolean);
  return `${row.date}  ${weekday}  ${open}–${close}  ${utc}  ${note.join(', ')}`.trimEnd();
}

const clockOf = (iso: string): string => newYorkClock(epochMs(Date.parse(iso)));

/** `drover calendar`: regular sessions of a date range (inclusive), with the overrides of a config given by --config. */
export function calendarCommand(dates: { from: string; to: string }, context: CommandContext): number {
  const rows = calendarRows(givenCalendar(context), dates.from, dates.to);
  return printResult(context, rows, renderCalendar(rows));
}
