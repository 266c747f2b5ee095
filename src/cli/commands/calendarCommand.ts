import { tradingCalendar } from '../../calendar/index.ts';
import { calendarOf } from '../config/calendar.ts';
import { configOf } from '../config/configFile.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { calendarRows, renderCalendar } from './calendar.ts';

/** `drover calendar`: the regular sessions of the dates, both included; with those that a config given by --config overrides. */
export function calendarCommand(
  dates: { from: string; to: string },
  context: CommandContext,
): Promise<number> {
  const calendar = context.configFile === undefined ? tradingCalendar : calendarOf(configOf(context).config);
  const rows = calendarRows(calendar, dates.from, dates.to);
  context.terminal.out(context.json ? toJson(rows) : renderCalendar(rows));
  return Promise.resolve(EXIT.done);
}
