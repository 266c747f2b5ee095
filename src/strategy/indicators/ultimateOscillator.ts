import { InvalidValueError } from '../../core/errors.ts';
import { rangeOf } from './atr.ts';
import { fold } from './fold.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Ultimate oscillator, 0 to 100: the part of the true range below the close, over three lengths, the shortest with the
 * most weight: `100 × (4 × s + 2 × m + l) / 7`. Each part is the sum of `close − min(low, last close)` divided by the
 * sum of the true ranges over its bars, or 0.5 when nothing moved. It needs no seed; the first bar only serves as a
 * base for the second, and the first output comes with bar number `long + 1`.
 *
 * Source: L. Williams, The Ultimate Oscillator, 1985.
 * @throws {InvalidValueError} unless all three are whole numbers above 0, each above the one before
 */
export function ultimateOscillator(
  short = 7,
  middle = 14,
  long = 28,
): Indicator<Pick<Candle, 'high' | 'low' | 'close'>> {
  for (const each of [short, middle, long]) requireLength('ultimateOscillator', each);
  if (!(short < middle && middle < long))
    throw new InvalidValueError(
      `ultimateOscillator needs lengths that rise, not ${short}, ${middle} and ${long}`,
    );
  const [quick, usual, lazy] = [shareOf(short), shareOf(middle), shareOf(long)];
  const last = { close: NaN };
  return {
    warmUp: long + 1,
    next(bar) {
      const pressure = bar.close - Math.min(bar.low, last.close);
      const range = rangeOf(bar, last.close);
      last.close = bar.close;
      if (Number.isNaN(pressure)) return NaN;
      return (100 * (4 * quick(pressure, range) + 2 * usual(pressure, range) + lazy(pressure, range))) / 7;
    },
  };
}

/** Ratio of two sums over the last `length` bars. */
function shareOf(length: number): (part: number, whole: number) => number {
  const [parts, wholes] = [fold(length, 'total'), fold(length, 'total')];
  return (part, whole) => {
    const sum = parts.next(part);
    const total = wholes.next(whole);
    return total === 0 ? 0.5 : sum / total;
  };
}
