import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { placeInRange } from './stochastic.ts';

export type Kdj = Readonly<{ k: number; d: number; j: number }>;

/** Where `k` and `d` begin. */
const SEED = 50;

/**
 * KDJ. The raw value is where the close lies between the lowest low and the highest high of the last `length` bars, 0 to 100, 50 when
 * those are one. `k` moves by one part in `slowing` towards it, `d` by one part in `signal` towards `k`; `j` is `3 × k − 2 × d`, and may
 * leave 0 to 100. `k` and `d` begin at 50. The first answer comes with bar number `length`.
 *
 * Source: G. C. Lane's stochastic oscillator as Chinese charts draw it; the seed of 50 is theirs.
 * @throws {InvalidValueError} unless all three are whole numbers above 0
 */
export function kdj(
  length = 9,
  slowing = 3,
  signal = 3,
): Indicator<Pick<Candle, 'high' | 'low' | 'close'>, Kdj> {
  for (const each of [length, slowing, signal]) requireLength('kdj', each);
  const place = placeInRange(length);
  const average = { k: SEED, d: SEED };
  const answer = { k: NaN, d: NaN, j: NaN };
  let seen = 0;
  return {
    warmUp: length,
    next(bar) {
      const raw = 100 * place.next(bar);
      if (seen < length) seen++;
      if (seen < length) return answer;
      average.k += (raw - average.k) / slowing;
      average.d += (average.k - average.d) / signal;
      answer.k = average.k;
      answer.d = average.d;
      answer.j = 3 * average.k - 2 * average.d;
      return answer;
    },
  };
}
