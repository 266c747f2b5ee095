import { ema } from './ema.ts';
import type { Indicator } from './indicator.ts';
import { requireFaster, requireLength } from './require.ts';

export type Macd = Readonly<{ macd: number; signal: number; histogram: number }>;

/**
 * Moving average convergence divergence: `macd` is the fast average minus the slow one, `signal` is the average of
 * `macd`, `histogram` is `macd − signal`. All three averages are exponential and start with the simple mean of their
 * first inputs: the fast one of the first `fast` values, the signal of the first `signal` values of `macd`. `macd`
 * comes with value number `slow`, the rest with number `slow + signal − 1`.
 *
 * Source: G. Appel, The Moving Average Convergence-Divergence Trading Method, 1979.
 * @throws {InvalidValueError} unless all three are whole numbers above 0, and `fast` is below `slow`
 */
export function macd(fast = 12, slow = 26, signal = 9): Indicator<number, Macd> {
  requireFaster('macd', fast, slow);
  requireLength('macd', signal);
  const [quick, lazy, line] = [ema(fast), ema(slow), ema(signal)];
  const answer = { macd: NaN, signal: NaN, histogram: NaN };
  let seen = 0;
  return {
    warmUp: slow + signal - 1,
    next(value) {
      const spread = quick.next(value) - lazy.next(value);
      if (seen < slow) seen++;
      if (seen < slow) return answer;
      answer.macd = spread;
      answer.signal = line.next(spread);
      answer.histogram = spread - answer.signal;
      return answer;
    },
  };
}
