import { z } from 'zod';
import { isAboveZero } from '../core/amount.ts';
import { INTERVALS } from '../domain/bar.ts';
import { isTicker } from '../domain/instrument.ts';
import { readSessionTime, SESSION_TIME_FORMS } from './sessionTime.ts';

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

/** Parameter: the length of a bar. Left out of parameter searches unless stated otherwise. */
export const interval = () => z.enum(INTERVALS).meta({ search: false });
