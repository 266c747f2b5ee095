import { rangeOf } from './atr.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { wilder } from './smoothing.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close'>;

export type Adx = Readonly<{ adx: number; plus: number; minus: number }>;

/**
 * Average directional index, 0 to 100, with both directional indicators. Between bars, the larger of `high − last high`
 * and `last low − low`, if above 0, is a move up or down. `plus` and `minus` are 100 × the average move up and down
 * divided by the average true range; `adx` averages `100 × |plus − minus| / (plus + minus)`. A quotient over 0 is 0.
 *
 * All averages are Wilder's: they start as the mean of the first `length` values, and then each value has a weight of 1
 * / `length`. The first bar only serves as a base for the second. `plus` and `minus` come with bar number `length + 1`,
 * `adx` with number `2 × length`.
 *
 * Source: J. W. Wilder, New Concepts in Technical Trading Systems, 1978.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function adx(length = 14): Indicator<Input, Adx> {
  requireLength('adx', length);
  const [ranges, ups, downs, index] = [wilder(length), wilder(length), wilder(length), wilder(length)];
  const last = { high: NaN, low: NaN, close: NaN };
  const answer = { adx: NaN, plus: NaN, minus: NaN };
  let compared = -1;

  const compare = (bar: Input): void => {
    const up = bar.high - last.high;
    const down = last.low - bar.low;
    const range = ranges.next(rangeOf(bar, last.close));
    const plus = ups.next(up > down && up > 0 ? up : 0);
    const minus = downs.next(down > up && down > 0 ? down : 0);
    if (compared < length) return;
    answer.plus = percent(plus, range);
    answer.minus = percent(minus, range);
    answer.adx = index.next(percent(Math.abs(plus - minus), plus + minus));
  };

  return {
    warmUp: 2 * length,
    next(bar) {
      if (compared < length) compared++;
      if (compared > 0) compare(bar);
      last.high = bar.high;
      last.low = bar.low;
      last.close = bar.close;
      return answer;
    },
  };
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
