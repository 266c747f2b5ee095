import type { TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { ExDateBegin } from '../domain/corporateAction.ts';
import type { DayReading } from '../domain/instrument.ts';

/** Time in New York at which a trading day ends. */
const DAY_TURNS = '20:00';

/** Expiry of a DAY order by a reading of the venue's rule. For one placed in a session or while closed: the close. */
export function dayEnd(calendar: TradingCalendar, at: EpochMs, reading: DayReading): EpochMs {
  if (reading !== 'nextClose') {
    const { phase, session, nextChange } = calendar.phaseAt(at);
    if (phase !== 'regular' && session !== null)
      return reading === 'phase' ? nextChange : calendar.newYorkTime(session, DAY_TURNS);
  }
  return (calendar.sessionAt(at) ?? calendar.nextSession(at)).close;
}

/** Start of an ex-date: buyers from then on do not receive the payment, and the price no longer includes it. */
export function exDateBegins(
  calendar: TradingCalendar,
  exDate: string,
  { begins }: Readonly<{ begins?: ExDateBegin | undefined }>,
): EpochMs {
  const { open } = calendar.sessionFrom(exDate);
  if (begins !== 'evening') return open;
  const midnight = calendar.newYorkTime(calendar.newYorkDate(open), '00:00');
  return calendar.newYorkTime(calendar.newYorkDate(epochMs(midnight - 1)), DAY_TURNS);
}
