import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import type { CommandContext } from '../context.ts';
import { calendarOf } from './calendar.ts';
import { configOf } from './configFile.ts';

/**
 * The calendar for a command that can do without a config: with the closures and hours of the one that `--config` names.
 * @throws {ConfigError} as reading that config does
 */
export const givenCalendar = (context: CommandContext): TradingCalendar =>
  context.configFile === undefined ? tradingCalendar : calendarOf(configOf(context).config);
