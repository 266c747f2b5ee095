import { highest, lowest } from './extremes.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { sma } from './sma.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close'>;

export type Stochastic = Readonly<{ k: number; d: number }>;

/** Value when the market does not move: the middle of the range. */
const MIDDLE = 0.5;

/** Position of the close between the lowest low and the highest high of the last `length` bars: 0 to 1. */
export function placeInRange(length: number): Indicator<Input> {
  const [top, bottom] = [highest(length), lowest(length)];
  return {
    warmUp: length,
    next({ high, low, close }) {
      const upper = top.next(high);
      const lower = bottom.next(low);
      return upper === lower ? MIDDLE : (close - lower) / (upper - lower);
    },
  };
}

/**
 * Slow stochastic oscillator, 0 to 100: the position of the close between the lowest low and the highest high of the
 * last `length` bars, or 50 when these are equal. `k` is its simple mean over `slowing` (1: the fast stochastic), `d`
 * the simple mean of `k` over `signal`. It needs no seed. `k` comes with bar number `length + slowing − 1`, `d` with
 * number `length + slowing + signal − 2`.
 *
 * Source: G. C. Lane, Lane's Stochastics, 1984.
 * @throws {InvalidValueError} unless all three are whole numbers above 0
 */
export function stochastic(length = 14, slowing = 3, signal = 3): Indicator<Input, Stochastic> {
  for (const each of [length, slowing, signal]) requireLength('stochastic', each);
  const [place, slow, line] = [placeInRange(length), sma(slowing), sma(signal)];
  const answer = { k: NaN, d: NaN };
  const slowFrom = length + slowing - 1;
  let seen = 0;
  return {
    warmUp: slowFrom + signal - 1,
    next(bar) {
      const raw = 100 * place.next(bar);
      if (seen < slowFrom) seen++;
      if (seen < length) return answer;
      answer.k = slow.next(raw);
      if (seen === slowFrom) answer.d = line.next(answer.k);
      return answer;
    },
  };
}

/**
 * Williams %R, −100 to 0: distance of the close below the highest high of the last `length` bars, as a percentage of
 * their range; −50 without a range. It needs no seed; the first output comes with bar number `length`.
 *
 * Source: L. Williams, How I Made One Million Dollars Last Year Trading Commodities, 1973.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function williamsR(length = 14): Indicator<Input> {
  requireLength('williamsR', length);
  const place = placeInRange(length);
  return {
    warmUp: length,
    next: (bar) => 100 * (place.next(bar) - 1),
  };
}
