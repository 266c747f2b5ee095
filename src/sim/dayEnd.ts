import type { TradingCalendar } from '../calendar/index.ts';
import type { EpochMs } from '../core/brand.ts';
import type { DayReading } from '../domain/instrument.ts';

/** Time of New York at which a trading day ends. */
const DAY_TURNS = '20:00';

/** Instant at which a DAY order ends by a reading: one of the regular session, or of a weekend, at the close whichever it is. */
export function dayEnd(calendar: TradingCalendar, at: EpochMs, reading: DayReading): EpochMs {
  const { phase, session, nextChange } = calendar.phaseAt(at);
  if (reading !== 'nextClose' && phase !== 'regular' && session !== null)
    return reading === 'phase' ? nextChange : calendar.newYorkTime(session, DAY_TURNS);
  return (calendar.sessionAt(at) ?? calendar.nextSession(at)).close;
}
