import { ema } from './ema.ts';
import type { Indicator } from './indicator.ts';
import { requireFaster, requireLength } from './require.ts';

export type Ppo = Readonly<{ ppo: number; signal: number; histogram: number }>;

/**
 * Percentage price oscillator: `macd` as a percentage of the slow average, to compare stocks of different prices. `ppo`
 * is `100 × (fast average / slow average − 1)`, `signal` is the average of `ppo`, `histogram` is `ppo − signal`. Seeds
 * and first outputs are those of `macd`.
 *
 * Source: G. Appel, Technical Analysis: Power Tools for Active Investors, 2005.
 * @throws {InvalidValueError} unless all three are whole numbers above 0, and `fast` is below `slow`
 */
export function ppo(fast = 12, slow = 26, signal = 9): Indicator<number, Ppo> {
  requireFaster('ppo', fast, slow);
  requireLength('ppo', signal);
  const [quick, lazy, line] = [ema(fast), ema(slow), ema(signal)];
  const answer = { ppo: NaN, signal: NaN, histogram: NaN };
  return {
    warmUp: slow + signal - 1,
    next(value) {
      answer.ppo = 100 * (quick.next(value) / lazy.next(value) - 1);
      if (Number.isNaN(answer.ppo)) {
        answer.signal = answer.histogram = NaN;
        return answer;
      }
      answer.signal = line.next(answer.ppo);
      answer.histogram = answer.ppo - answer.signal;
      return answer;
    },
  };
}
