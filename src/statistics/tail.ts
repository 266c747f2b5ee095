import { missing, quotient, type Measure } from './figures.ts';
import { deviationOf, kurtosisOf, meanOf, meanUpTo, quantileOf, skewOf, sorted } from './moments.ts';
import { normalQuantile } from './normal.ts';
import { ofReturns, type Sample } from './sample.ts';

export function tailMetrics(sample: Sample) {
  const { returns } = sample;
  const ascending = sorted(returns);
  const of = (measure: () => Measure) => ofReturns(sample, measure);
  const at = (share: number) => quantileOf(ascending, share);
  const spread = of(() => deviationOf(returns));
  const shape = (value: (values: readonly number[]) => number): Measure =>
    of(() => (spread === 0 ? missing('all returns are equal') : finite(value(returns))));
  return {
    valueAtRisk5: of(() => -at(0.05)),
    valueAtRisk1: of(() => -at(0.01)),
    parametricValueAtRisk5: of(() => -parametric(returns, 0.05)),
    parametricValueAtRisk1: of(() => -parametric(returns, 0.01)),
    conditionalValueAtRisk5: of(() => -meanUpTo(returns, at(0.05))),
    conditionalValueAtRisk1: of(() => -meanUpTo(returns, at(0.01))),
    tailRatio: of(() => quotient(Math.abs(at(0.95)), Math.abs(at(0.05)), 'the 5th percentile')),
    skew: shape(skewOf),
    excessKurtosis: shape((values) => kurtosisOf(values) - 3),
    outlierWinRatio: of(() =>
      outlier(
        at(0.99),
        returns.filter((value) => value > 0),
        'gains',
      ),
    ),
    outlierLossRatio: of(() =>
      outlier(
        at(0.01),
        returns.filter((value) => value < 0),
        'losses',
      ),
    ),
  };
}

const parametric = (returns: readonly number[], share: number): number =>
  meanOf(returns) + normalQuantile(share) * deviationOf(returns);

const finite = (value: number): Measure =>
  Number.isFinite(value) ? value : missing('all returns are equal');

const outlier = (percentile: number, values: readonly number[], what: string): Measure =>
  values.length === 0
    ? missing(`there are no ${what}`)
    : quotient(percentile, meanOf(values), `the mean of ${what}`);
