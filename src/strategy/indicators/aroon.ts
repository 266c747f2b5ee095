import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

export type Aroon = Readonly<{ up: number; down: number; oscillator: number }>;

/**
 * Aroon, 0 to 100: how recent the price's extreme is. `up` is `100 × (length − bars since the highest high) / length`
 * over the last `length + 1` bars, counting from the latest of equal highs; `down` is the same for the lowest low;
 * `oscillator` is `up − down`. It needs no seed; the first output comes with bar number `length + 1`.
 *
 * Source: T. S. Chande, A Time Price Oscillator, 1995.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function aroon(length = 14): Indicator<Pick<Candle, 'high' | 'low'>, Aroon> {
  requireLength('aroon', length);
  const [top, bottom] = [ageOfHighest(length), ageOfHighest(length)];
  const answer = { up: NaN, down: NaN, oscillator: NaN };
  return {
    warmUp: length + 1,
    next({ high, low }) {
      answer.up = (100 * (length - top.next(high))) / length;
      answer.down = (100 * (length - bottom.next(-low))) / length;
      answer.oscillator = answer.up - answer.down;
      return answer;
    },
  };
}

/**
 * Number of values since the highest of the last `length + 1`, the latest of equals, in amortised constant time: a ring
 * keeps only values above all later ones, highest first. A NaN counts as the highest until it has left the window.
 */
function ageOfHighest(length: number): Indicator {
  const size = length + 1;
  const values = new Float64Array(size);
  const places = new Float64Array(size);
  const kept = { first: 0, count: 0, seen: 0 };
  return {
    warmUp: size,
    next(value) {
      const rank = Number.isNaN(value) ? Infinity : value;
      const place = kept.seen++;
      if (kept.count > 0 && (places[kept.first] ?? NaN) <= place - size) {
        kept.first = kept.first === length ? 0 : kept.first + 1;
        kept.count--;
      }
      while (kept.count > 0 && (values[(kept.first + kept.count - 1) % size] ?? NaN) <= rank) kept.count--;
      const slot = (kept.first + kept.count) % size;
      values[slot] = rank;
      places[slot] = place;
      kept.count++;
      const isKnown = place >= length && values[kept.first] !== Infinity;
      return isKnown ? place - (places[kept.first] ?? NaN) : NaN;
    },
  };
}
