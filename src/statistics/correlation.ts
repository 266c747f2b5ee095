import { from, missing, NOTHING, type Measure } from './measure.ts';
import { covarianceOf, deviationOf } from './moments.ts';

/** Of two lists of one length, -1 to 1. */
export const correlationOf = (first: readonly number[], second: readonly number[]): Measure =>
  from(moving(first), (one) => from(moving(second), (other) => covarianceOf(first, second) / one / other));

/** Slope of the straight line that gives the first list from the second. */
export const betaOf = (first: readonly number[], second: readonly number[]): Measure =>
  from(moving(second), (deviation) => covarianceOf(first, second) / deviation ** 2);

function moving(values: readonly number[]): Measure {
  const deviation = deviationOf(values);
  return deviation > NOTHING ? deviation : missing('one of the two never moves');
}
