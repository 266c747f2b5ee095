import { donchian } from './donchian.ts';
import type { Candle, Indicator } from './indicator.ts';
import { past } from './past.ts';
import { requireLength } from './require.ts';

export type Ichimoku = Readonly<{
  conversion: number;
  base: number;
  spanA: number;
  spanB: number;
  leadA: number;
  leadB: number;
}>;

/**
 * Ichimoku cloud. `conversion`, `base` and `leadB` are halfway between the highest high and the lowest low of the last
 * `conversion`, `base` and `span` bars; `leadA` is `(conversion + base) / 2`. `leadA` and `leadB` are the cloud that
 * charts draw `base − 1` bars ahead (the bar itself counts as the first); `spanA` and `spanB` are the cloud at this
 * bar, their values `base − 1` bars ago. The lagging span is not included, because a chart draws it from later bars:
 * the sign of `momentum(base − 1)` tells on which side of the earlier close the close is.
 *
 * It needs no seed. `conversion`, `base` and `leadB` come with bar number `conversion`, `base` and `span`, and the full
 * output with number `max(conversion, base, span) + base − 1`.
 *
 * Source: G. Hosoda, Ichimoku Kinko Hyo, 1969, counted as in TradingView charts.
 * @throws {InvalidValueError} unless all three are whole numbers above 0
 */
export function ichimoku(
  conversion = 9,
  base = 26,
  span = 52,
): Indicator<Pick<Candle, 'high' | 'low'>, Ichimoku> {
  for (const each of [conversion, base, span]) requireLength('ichimoku', each);
  const short = donchian(conversion);
  const middle = donchian(base);
  const long = donchian(span);
  const pastA = past(base - 1);
  const pastB = past(base - 1);
  const answer = { conversion: NaN, base: NaN, spanA: NaN, spanB: NaN, leadA: NaN, leadB: NaN };
  return {
    warmUp: Math.max(conversion, base, span) + base - 1,
    next(bar) {
      answer.conversion = short.next(bar).middle;
      answer.base = middle.next(bar).middle;
      answer.leadA = (answer.conversion + answer.base) / 2;
      answer.leadB = long.next(bar).middle;
      answer.spanA = pastA.next(answer.leadA);
      answer.spanB = pastB.next(answer.leadB);
      return answer;
    },
  };
}
