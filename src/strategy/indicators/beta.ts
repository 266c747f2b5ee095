import type { Indicator, Pair } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Rolling beta: how much `value` moves when `reference` moves by 1 %, over the last `length` returns of both from bar
 * to bar, `value / last value − 1`: their covariance divided by the variance of the `reference` returns. NaN when
 * `reference` does not move. It needs no seed; the first output comes with pair number `length + 1`.
 *
 *     beta(60).next({ value: bar.close, reference: view.price('SPY') ?? NaN })
 *
 * Source: W. F. Sharpe, Capital Asset Prices, 1964. Sums as in `moments`.
 * @throws {InvalidValueError} unless `length` is a whole number above 1
 */
export function beta(length: number): Indicator<Pair> {
  requireLength('beta', length, 2);
  const window = coMoments(length);
  const last = { value: NaN, reference: NaN };
  return {
    warmUp: length + 1,
    next({ value, reference }) {
      const own = value / last.value - 1;
      const other = reference / last.reference - 1;
      const isFirst = Number.isNaN(last.value) && Number.isNaN(last.reference);
      last.value = value;
      last.reference = reference;
      return isFirst ? NaN : window(own, other);
    },
  };
}

/**
 * Covariance of the last `length` pairs (x, y) divided by the variance of y, in amortised constant time: sums over the
 * end of one block of `length` pairs and the start of the next are combined, as in `moments`.
 */
function coMoments(length: number): (x: number, y: number) => number {
  const xs = new Float64Array(length);
  const ys = new Float64Array(length);
  // Sums of the previous block, from each position to its end.
  const ends = { x: xs.slice(), y: xs.slice(), xy: xs.slice(), yy: xs.slice() };
  const newer = { count: 0, x: 0, y: 0, xy: 0, yy: 0 };
  let isFull = false;

  const add = (x: number, y: number): void => {
    const apart = x - newer.x;
    const high = y - newer.y;
    newer.count++;
    newer.x += apart / newer.count;
    newer.y += high / newer.count;
    newer.xy += apart * (y - newer.y);
    newer.yy += high * (y - newer.y);
  };
  const clear = (): void => {
    newer.count = newer.x = newer.y = newer.xy = newer.yy = 0;
  };
  const turn = (): void => {
    clear();
    for (let place = length - 1; place >= 0; place--) {
      add(xs[place] ?? NaN, ys[place] ?? NaN);
      ends.x[place] = newer.x;
      ends.y[place] = newer.y;
      ends.xy[place] = newer.xy;
      ends.yy[place] = newer.yy;
    }
    clear();
    isFull = true;
  };

  return (x, y) => {
    xs[newer.count] = x;
    ys[newer.count] = y;
    add(x, y);
    if (newer.count === length) turn();
    if (!isFull) return NaN;
    const { count } = newer;
    const share = (count * (length - count)) / length;
    const apart = newer.x - (ends.x[count] ?? NaN);
    const high = newer.y - (ends.y[count] ?? NaN);
    const covariance = (ends.xy[count] ?? NaN) + newer.xy + apart * high * share;
    return covariance / ((ends.yy[count] ?? NaN) + newer.yy + high * high * share);
  };
}
