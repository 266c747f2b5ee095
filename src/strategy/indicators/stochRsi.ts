import { highest, lowest } from './extremes.ts';
import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { rsi } from './rsi.ts';
import { sma } from './sma.ts';
import type { Stochastic } from './stochastic.ts';

/**
 * Stochastic RSI, 0 to 100: the position of the `rsi` in its range over the last `length`, or 50 without a range. `k`
 * is its simple mean over `slowing` (1: none), `d` that of `k` over `signal`. `rsi`, of the same `length`, has its own
 * seed. `k` comes with value number `2 × length + slowing − 1`, `d` with number `2 × length + slowing + signal − 2`.
 *
 * Source: T. S. Chande, S. Kroll, The New Technical Trader, 1994, averaged as in most charts.
 * @throws {InvalidValueError} unless all three are whole numbers above 0
 */
export function stochRsi(length = 14, slowing = 3, signal = 3): Indicator<number, Stochastic> {
  for (const each of [length, slowing, signal]) requireLength('stochRsi', each);
  const strength = rsi(length);
  const [top, bottom] = [highest(length), lowest(length)];
  const [slow, line] = [sma(slowing), sma(signal)];
  const answer = { k: NaN, d: NaN };
  const slowFrom = 2 * length + slowing - 1;
  let seen = 0;
  return {
    warmUp: slowFrom + signal - 1,
    next(value) {
      const index = strength.next(value);
      if (seen < slowFrom) seen++;
      if (seen <= length) return answer;
      const upper = top.next(index);
      const lower = bottom.next(index);
      if (seen < 2 * length) return answer;
      answer.k = slow.next(upper === lower ? 50 : (100 * (index - lower)) / (upper - lower));
      if (seen === slowFrom) answer.d = line.next(answer.k);
      return answer;
    },
  };
}
