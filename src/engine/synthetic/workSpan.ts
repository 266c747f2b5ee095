import type { TradingCalendar } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';

type Sessions = Pick<TradingCalendar, 'sessionAt' | 'nextSession'>;

/** Time in ms between two times during which a regular session is open. */
export function openTime(from: EpochMs, to: EpochMs, calendar: Sessions): number {
  let open = 0;
  let session = calendar.sessionAt(from) ?? calendar.nextSession(from);
  while (session.open < to) {
    open += Math.min(session.close, to) - Math.max(session.open, from);
    session = calendar.nextSession(epochMs(session.close));
  }
  return open;
}

/** Time after a duration in ms that counts only while a session is open; if it ends at a close, the next open. */
export function afterOpenTime(from: EpochMs, ms: number, calendar: Sessions): EpochMs {
  let session = calendar.sessionAt(from) ?? calendar.nextSession(from);
  let at = Math.max(session.open, from);
  let left = ms;
  while (at + left >= session.close) {
    left -= session.close - at;
    session = calendar.nextSession(epochMs(session.close));
    at = session.open;
  }
  return epochMs(at + left);
}

/** Part of a span: its index from 0, and its ends. */
export type Slot = Readonly<{ index: number; start: EpochMs; end: EpochMs; ms: number }>;

type Span = Readonly<{ from: EpochMs; until: EpochMs; parts: number }>;

/** Part of a span that contains the given time; the parts have equal lengths of open session time. */
export function slotAt(now: EpochMs, { from, until, parts }: Span, calendar: Sessions): Slot {
  const ms = Math.floor(openTime(from, until, calendar) / parts);
  const index = Math.min(parts - 1, Math.floor(openTime(from, now, calendar) / ms));
  const start = afterOpenTime(from, index * ms, calendar);
  const end = index === parts - 1 ? until : afterOpenTime(from, (index + 1) * ms, calendar);
  return { index, start, end, ms };
}
