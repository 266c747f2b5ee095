import { DAY_MS, type EpochMs } from '../core/brand.ts';
import { newYorkTime } from './zone.ts';
import { exceptionsAsOf, type CalendarException } from './rules.ts';
import { createTradingCalendar, type TradingCalendar } from './tradingCalendar.ts';

export type { CalendarException } from './rules.ts';
export type { Phase, PhaseAt } from './phases.ts';
export type { Session } from './sessions.ts';
export type { ChangeableCalendar, TradingCalendar } from './tradingCalendar.ts';
export { createTradingCalendar } from './tradingCalendar.ts';
export { newYorkClock, newYorkDate, newYorkMinute, newYorkTime } from './zone.ts';

const { change: _, ...ofTable } = createTradingCalendar();
/** Calendar with no exceptions beyond the table. */
export const tradingCalendar: TradingCalendar = ofTable;

/** Calendar with additional exceptions. */
export const calendarWith = (further: readonly CalendarException[]): TradingCalendar =>
  further.length === 0 ? tradingCalendar : createTradingCalendar(further);

const OLD_AFTER_DAYS = 400;

/** True when the exceptions were last checked more than 400 days before `at`, which calls for a warning. */
export const exceptionsAreOld = (at: EpochMs): boolean =>
  at > newYorkTime(exceptionsAsOf, '00:00') + OLD_AFTER_DAYS * DAY_MS;
