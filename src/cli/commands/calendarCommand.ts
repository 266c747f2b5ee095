import { givenCalendar } from '../config/givenCalendar.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { calendarRows, renderCalendar } from './calendar.ts';

/** `drover calendar`: the regular sessions of the dates, both included; with those that a config given by --config overrides. */
export function calendarCommand(
  dates: { from: string; to: string },
  context: CommandContext,
): Promise<number> {
  const rows = calendarRows(givenCalendar(context), dates.from, dates.to);
  context.terminal.out(context.json ? toJson(rows) : renderCalendar(rows));
  return Promise.resolve(EXIT.done);
}
