/** Moments of the last `length` values; all NaN until there are that many. */
export interface Moments {
  readonly mean: number;
  /** Sum of squared distances from the mean. */
  readonly squares: number;
  /** Sum of the distances from the mean, each times its position relative to the middle of the window. */
  readonly trend: number;
  add(value: number): void;
}

/**
 * Mean, deviation and trend of a moving window, in amortised constant time. The window consists of the end of one block
 * of `length` values and the beginning of the next. Their sums are computed separately and combined, so nothing is ever
 * subtracted: rounding errors do not accumulate, and a large value leaves no trace.
 *
 * Source: T. F. Chan, G. H. Golub, R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample
 * Variances, 1979; blocks as in M. van Herk, 1992.
 */
export function moments(length: number): Moments {
  const values = new Float64Array(length);
  // Sums of the previous block, from each position to its end.
  const ends = { mean: values.slice(), squares: values.slice(), trend: values.slice() };
  const newer = { count: 0, mean: 0, squares: 0, trend: 0 };
  let isFull = false;

  const turn = (): void => {
    let mean = 0;
    let squares = 0;
    let trend = 0;
    for (let place = length - 1; place >= 0; place--) {
      const value = values[place] ?? NaN;
      const count = length - 1 - place;
      const distance = value - mean;
      mean += distance / (count + 1);
      squares += distance * (value - mean);
      trend -= (distance * count) / 2;
      ends.mean[place] = mean;
      ends.squares[place] = squares;
      ends.trend[place] = trend;
    }
    newer.count = newer.mean = newer.squares = newer.trend = 0;
    isFull = true;
  };

  const window = {
    mean: NaN,
    squares: NaN,
    trend: NaN,
    add(value: number): void {
      const distance = value - newer.mean;
      newer.trend += (distance * newer.count) / 2;
      values[newer.count] = value;
      newer.count++;
      newer.mean += distance / newer.count;
      newer.squares += distance * (value - newer.mean);
      if (newer.count === length) turn();
      if (!isFull) return;
      const { count } = newer;
      const mean = ends.mean[count] ?? NaN;
      const apart = newer.mean - mean;
      const pairs = count * (length - count);
      window.mean = mean + (apart * count) / length;
      window.squares = (ends.squares[count] ?? NaN) + newer.squares + (apart * apart * pairs) / length;
      window.trend = (ends.trend[count] ?? NaN) + newer.trend + (apart * pairs) / 2;
    },
  };
  return window;
}
