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
 * Ichimoku cloud. `conversion`, `base` and `leadB` lie half way between the highest high and the lowest low of the last
 * `conversion`, `base` and `span` bars; `leadA` is `(conversion + base) / 2`. `leadA` and `leadB` are the cloud as it is drawn
 * `base − 1` bars ahead (the bar itself counts as the first), `spanA` and `spanB` the cloud under this bar: what they were `base −
 * 1` bars before. The lagging span is not an answer, because a chart draws it from later bars: `momentum(base − 1)` says on which
 * side of the earlier close the close is.
 *
 * It needs no seed. `conversion`, `base` and `leadB` come with bar number `conversion`, `base` and `span`, all of it with number
 * `max(conversion, base, span) + base − 1`.
 *
 * Source: G. Hosoda, Ichimoku Kinko Hyo, 1969, counted as charts of TradingView do.
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
