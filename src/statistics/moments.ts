import { NOTHING, from, missing, type Measure } from './figures.ts';

/** Numbers by index: a list, or a column. */
export type Values = ArrayLike<number>;

/** Sum. Loops by index, as below, because iterating over the values takes most of the time of a short run's metrics. */
export function sumOf(values: Values): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? NaN;
  return sum;
}

/** Mean; NaN for no values. */
export const meanOf = (values: Values): number => sumOf(values) / values.length;

/** Central moment: mean of the deviations from the mean to a power, over n. */
function centralMoment(values: Values, power: number): number {
  const mean = meanOf(values);
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += ((values[index] ?? NaN) - mean) ** power;
  return sum / values.length;
}

/** Sample covariance, over n − 1, of two lists of equal length. */
export function covarianceOf(first: Values, second: Values): number {
  const meanFirst = meanOf(first);
  const meanSecond = second === first ? meanFirst : meanOf(second);
  let sum = 0;
  for (let index = 0; index < first.length; index++)
    sum += ((first[index] ?? NaN) - meanFirst) * ((second[index] ?? NaN) - meanSecond);
  return sum / (first.length - 1);
}

/** Sample standard deviation, over n − 1. */
export const deviationOf = (values: Values): number => Math.sqrt(covarianceOf(values, values));

/** Skewness from moments over n: 0 for symmetric values, NaN for equal ones. */
export const skewOf = (values: Values): number => centralMoment(values, 3) / centralMoment(values, 2) ** 1.5;

/** Plain kurtosis from moments over n: 3 for a normal distribution. The excess kurtosis is 3 less. */
export const kurtosisOf = (values: Values): number =>
  centralMoment(values, 4) / centralMoment(values, 2) ** 2;

/** Lag-1 autocorrelation, over the variance of all values; NaN for equal values. */
export function autocorrelationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  let [products, squares] = [0, 0];
  let before = NaN;
  for (const [index, value] of values.entries()) {
    squares += (value - mean) ** 2;
    if (index > 0) products += (value - mean) * (before - mean);
    before = value;
  }
  return products / squares;
}

/** Values in ascending order, as a new list. */
export const sorted = (values: Values): Float64Array => Float64Array.from(values).sort();

/** Quantile by linear interpolation between ascending values: 0 gives the lowest, 1 the highest. NaN for no values. */
export function quantileOf(ascending: Float64Array, share: number): number {
  const place = share * (ascending.length - 1);
  const below = Math.floor(place);
  const low = ascending[below] ?? NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (place - below);
}

/** Quantiles of 5, 25, 50, 75 and 95 %. */
export type Quantiles<Value = number> = Readonly<Record<'p5' | 'p25' | 'p50' | 'p75' | 'p95', Value>>;

export const quantilesBy = <Value>(at: (share: number) => Value): Quantiles<Value> => ({
  p5: at(0.05),
  p25: at(0.25),
  p50: at(0.5),
  p75: at(0.75),
  p95: at(0.95),
});

/** Growth factor over all returns. */
export function growthOf(returns: readonly number[]): number {
  let growth = 1;
  for (const value of returns) growth *= 1 + value;
  return growth;
}

/** Mean of the values at or below a bound, allowing for rounding errors. */
export const meanUpTo = (values: readonly number[], bound: number): number =>
  meanOf(values.filter((value) => value <= bound + NOTHING));

/** Correlation of two lists of equal length, -1 to 1. */
export const correlationOf = (first: Values, second: Values): Measure =>
  from(moving(first), (one) => from(moving(second), (other) => covarianceOf(first, second) / one / other));

/** Regression slope of the first list on the second. */
export const betaOf = (first: Values, second: Values): Measure =>
  from(moving(second), (deviation) => covarianceOf(first, second) / deviation ** 2);

function moving(values: Values): Measure {
  const deviation = deviationOf(values);
  return deviation > NOTHING ? deviation : missing('one of the two never moves');
}

/** Number of values with `from` <= value < `to`; the last bin includes its end. */
type Bin = Readonly<{ from: number; to: number; count: number }>;

const BINS_MAX = 80;
/** Number of bins if the middle half of the values is a single value, which leaves the rule without a width. */
const BINS_OF_NO_WIDTH = 20;

/** Bins of equal width by the Freedman–Diaconis rule (twice the interquartile range over ∛n); none for no values. */
export function histogram(values: readonly number[]): Bin[] {
  const ascending = sorted(values);
  const [least, greatest] = [ascending[0] ?? 0, ascending.at(-1) ?? 0];
  if (ascending.length === 0) return [];
  const middle = quantileOf(ascending, 0.75) - quantileOf(ascending, 0.25);
  const ruleWidth = (2 * middle) / Math.cbrt(ascending.length);
  const ruleCount = ruleWidth > 0 ? Math.ceil((greatest - least) / ruleWidth) : BINS_OF_NO_WIDTH;
  const count = greatest > least ? Math.min(Math.max(ruleCount, 1), BINS_MAX) : 1;
  const width = (greatest - least) / count;
  const counts = Array.from({ length: count }, () => 0);
  for (const value of ascending) {
    const place = width > 0 ? Math.min(Math.floor((value - least) / width), count - 1) : 0;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts.map((inside, index) => ({
    from: least + index * width,
    to: least + (index + 1) * width,
    count: inside,
  }));
}
