import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { placeInRange } from './stochastic.ts';

export type Kdj = Readonly<{ k: number; d: number; j: number }>;

/** Initial value of `k` and `d`. */
const SEED = 50;

/**
 * KDJ. The raw value is the position of the close in the range of the last `length` bars, 0 to 100, or 50 without a
 * range. `k` moves towards it by 1 / `slowing` of the distance, `d` towards `k` by 1 / `signal`; `j` is `3 × k − 2 ×
 * d`, and may leave 0 to 100. `k` and `d` start at 50. The first output comes with bar number `length`.
 *
 * Source: G. C. Lane's stochastic oscillator as in Chinese charts, which also use the seed of 50.
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
