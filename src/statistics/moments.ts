import { NOTHING } from './measure.ts';

/** By index, as below: what a loop over the values themselves takes is most of a short run's metrics. */
export function sumOf(values: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? NaN;
  return sum;
}

/** NaN of no values. */
export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

/** Mean of what values are away from their mean, to a power; over n. */
function centralMoment(values: readonly number[], power: number): number {
  const mean = meanOf(values);
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += ((values[index] ?? NaN) - mean) ** power;
  return sum / values.length;
}

/** Sample covariance, over n − 1, of two lists of one length. */
export function covarianceOf(first: readonly number[], second: readonly number[]): number {
  const meanFirst = meanOf(first);
  const meanSecond = second === first ? meanFirst : meanOf(second);
  let sum = 0;
  for (let index = 0; index < first.length; index++)
    sum += ((first[index] ?? NaN) - meanFirst) * ((second[index] ?? NaN) - meanSecond);
  return sum / (first.length - 1);
}

/** Sample standard deviation, over n − 1. */
export const deviationOf = (values: readonly number[]): number => Math.sqrt(covarianceOf(values, values));

/** Of the values themselves (moments over n): 0 for what is symmetric. NaN of equal values. */
export const skewOf = (values: readonly number[]): number =>
  centralMoment(values, 3) / centralMoment(values, 2) ** 1.5;

/** Plain, moments over n: 3 for a normal distribution. The excess kurtosis is 3 less. */
export const kurtosisOf = (values: readonly number[]): number =>
  centralMoment(values, 4) / centralMoment(values, 2) ** 2;

/** Of each value with the one before it, over the variance of all; NaN of equal values. */
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

/** Values from the least to the greatest, as a new list. */
export const sorted = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();

/** By straight lines between the values in order, which must ascend: 0 gives the least, 1 the greatest. NaN of none. */
export function quantileOf(ascending: Float64Array, share: number): number {
  const place = share * (ascending.length - 1);
  const below = Math.floor(place);
  const low = ascending[below] ?? NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (place - below);
}

/** 1 and its gains: what 1 becomes over returns. */
export function growthOf(returns: readonly number[]): number {
  let growth = 1;
  for (const value of returns) growth *= 1 + value;
  return growth;
}

/** Mean of the values at or below a bound, those among them that are equal to it but for rounding. */
export const meanUpTo = (values: readonly number[], bound: number): number =>
  meanOf(values.filter((value) => value <= bound + NOTHING));
