import { z } from 'zod';
import type { SessionTime } from './orderTerms.ts';
import { isAboveZero } from '../core/amount.ts';
import { INTERVALS } from '../domain/bar.ts';
import { isTicker } from '../domain/instrument.ts';

/** Examples that every message about a wrong time shows. */
export const SESSION_TIME_FORMS = '"10:30" (New York), "open+15m" or "close-1h30m"';

const WALL = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const RELATIVE = /^(?:(open)(?:\+(?=\d)|$)|(close)(?:-(?=\d)|$))(?:(\d{1,2})h)?(?:(\d{1,3})m)?$/;
/** True for a wall time, `HH:MM`. */
export const isWallTime = (time: string): boolean => WALL.test(time);

const FIRST_WALL = '09:30';
const LAST_WALL = '16:00';
/** Minutes of a full regular session. */
const MINUTES_MAX = 390;

/** Session time as New York wall time `HH:MM`, or as minutes from the open or back from the close. */
export type SessionTimeForm = Readonly<{ wall: string } | { from: 'open' | 'close'; minutes: number }>;

/** Parses a session time; null for another form and for a time that no regular session can reach, as `08:00` or `open+7h`. */
export function readSessionTime(time: SessionTime): SessionTimeForm | null {
  if (WALL.test(time)) return time >= FIRST_WALL && time <= LAST_WALL ? { wall: time } : null;
  const [, open, close, hours = '0', rest = '0'] = RELATIVE.exec(time) ?? [];
  const minutes = Number(hours) * 60 + Number(rest);
  if ((!open && !close) || minutes > MINUTES_MAX) return null;
  return { from: open ? 'open' : 'close', minutes };
}

const AMOUNT_FORMS = 'expected an amount above 0: a number, or an exact decimal in quotes such as "12.50"';

/** Parameter: a stock symbol in upper case. */
export const ticker = () =>
  z.string().refine(isTicker, { error: 'expected a stock symbol in upper case, such as AAPL or BRK.B' });

/** Parameter: an amount of mUSD above 0. */
export const notional = () =>
  z.union(
    [z.number().positive({ error: AMOUNT_FORMS }), z.string().refine(isAboveZero, { error: AMOUNT_FORMS })],
    {
      error: AMOUNT_FORMS,
    },
  );

/** Parameter: a time of the regular session; see `SessionTime`. */
export const sessionTime = () =>
  z.string().refine((time) => readSessionTime(time) !== null, {
    error: `expected a time that a session can reach: ${SESSION_TIME_FORMS}`,
  });

/** Parameter: the length of a bar. A search of parameters leaves it as it is unless told otherwise. */
export const interval = () => z.enum(INTERVALS).meta({ search: false });
