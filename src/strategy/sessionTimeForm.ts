import type { SessionTime } from './contract.ts';

/** What every message about a wrong time shows. */
export const SESSION_TIME_FORMS = '"10:30" (New York), "open+15m" or "close-1h30m"';

const WALL = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const RELATIVE = /^(?:(open)(?:\+(?=\d)|$)|(close)(?:-(?=\d)|$))(?:(\d{1,2})h)?(?:(\d{1,3})m)?$/;
const FIRST_WALL = '09:30';
const LAST_WALL = '16:00';
/** A full regular session. */
const MINUTES_MAX = 390;

/** New York wall time `HH:MM`, or minutes from the open or back from the close. */
export type SessionTimeForm = Readonly<{ wall: string } | { from: 'open' | 'close'; minutes: number }>;

/** Null for a text outside the grammar and for a time that no regular session can reach, as `08:00` or `open+7h`. */
export function readSessionTime(time: SessionTime): SessionTimeForm | null {
  if (WALL.test(time)) return time >= FIRST_WALL && time <= LAST_WALL ? { wall: time } : null;
  const [, open, close, hours = '0', rest = '0'] = RELATIVE.exec(time) ?? [];
  const minutes = Number(hours) * 60 + Number(rest);
  if ((!open && !close) || minutes > MINUTES_MAX) return null;
  return { from: open ? 'open' : 'close', minutes };
}
