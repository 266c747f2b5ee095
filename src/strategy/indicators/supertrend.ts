import { atr } from './atr.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength, requireMultiple } from './require.ts';

export type Supertrend = Readonly<{ line: number; direction: number }>;

/**
 * SuperTrend: a stop `width` average true ranges from the middle of the bar, `(high + low) / 2`, that moves only in the
 * direction of its trend. `line` is the stop price: below an uptrend (`direction` 1), above a downtrend (−1).
 *
 * The upper stop is `middle + width × atr` if that is lower, or if the last close was above the stop; else it stays.
 * The lower stop mirrors it. A close above the upper stop starts an uptrend, one below the lower a downtrend.
 *
 * Seed: the first trend is down, as in TradingView, and is meaningful once it has turned. The first output comes with
 * bar number `length`, like that of `atr`.
 *
 * Source: O. Seban, Tout le monde mérite d'être riche, 2009, by the rule of TradingView.
 * @throws {InvalidValueError} unless `length` is a whole number and `width` a number above 0
 */
export function supertrend(
  length = 10,
  width = 3,
): Indicator<Pick<Candle, 'high' | 'low' | 'close'>, Supertrend> {
  requireLength('supertrend', length);
  requireMultiple('supertrend', width);
  const average = atr(length);
  const stop = { upper: NaN, lower: NaN };
  const last = { close: NaN };
  const answer = { line: NaN, direction: NaN };
  return {
    warmUp: length,
    next(bar) {
      const middle = (bar.high + bar.low) / 2;
      const away = width * average.next(bar);
      const upper = middle + away;
      const lower = middle - away;
      // False if there was no stop before.
      if (!(upper >= stop.upper && last.close <= stop.upper)) stop.upper = upper;
      if (!(lower <= stop.lower && last.close >= stop.lower)) stop.lower = lower;
      last.close = bar.close;
      if (Number.isNaN(away)) answer.direction = NaN;
      else if (answer.direction === 1) answer.direction = bar.close < stop.lower ? -1 : 1;
      else answer.direction = answer.direction === -1 && bar.close > stop.upper ? 1 : -1;
      answer.line = answer.direction === 1 ? stop.lower : stop.upper;
      return answer;
    },
  };
}
