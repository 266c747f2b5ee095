import {
  type StatisticsOptions,
  isNumber,
  missing,
  quotient,
  type Measure,
  type Missing,
} from './figures.ts';
import { deviationOf, kurtosisOf, meanOf, skewOf, type Values } from './moments.ts';
import { normalBelow, normalQuantile } from './normal.ts';
import { ofReturns, type Sample } from './sample.ts';

/** Confidence level required of a track record. */
const CONFIDENCE = 0.95;
const EULER = 0.5772156649015329;

/** Sharpe ratio per mark, with the inputs of its standard error. The kurtosis is plain: 3 for a normal distribution. */
export type SharpeEstimate = Readonly<{ ratio: number; skew: number; kurtosis: number; returns: number }>;

/** Sharpe ratio of returns; undefined if it or its standard error is. */
export function sharpeEstimateOf(returns: Values, riskFreeOfMark = 0): SharpeEstimate | Missing {
  const ratio = quotient(meanOf(returns) - riskFreeOfMark, deviationOf(returns), 'the volatility');
  if (!isNumber(ratio)) return ratio;
  const estimate = {
    ratio,
    skew: skewOf(returns),
    kurtosis: kurtosisOf(returns),
    returns: returns.length,
  };
  return spreadOf(estimate) > 0 ? estimate : missing('the standard error of the Sharpe ratio is 0');
}

/** Squared standard error times n − 1 (Mertens, "Comments on variance of the IID estimator in Lo (2002)", 2002). */
const spreadOf = ({ ratio, skew, kurtosis }: SharpeEstimate): number =>
  1 - skew * ratio + ((kurtosis - 1) / 4) * ratio ** 2;

const varianceOf = (estimate: SharpeEstimate): number => spreadOf(estimate) / (estimate.returns - 1);

/**
 * Probability that the true Sharpe ratio exceeds a bar, per mark: Φ((s − bar)·√(n − 1)/√(1 − g₃s + (g₄ − 1)/4·s²)).
 * Source: Bailey and López de Prado, "The Sharpe ratio efficient frontier", Journal of Risk 15(2), 2012.
 */
export const probabilityAbove = (estimate: SharpeEstimate, bar: number): number =>
  normalBelow((estimate.ratio - bar) / Math.sqrt(varianceOf(estimate)));

/** Tests of a Sharpe ratio against chance (Bailey and López de Prado). */
export function sharpeTests(sample: Sample, trials: StatisticsOptions['trials']) {
  const test = (make: (estimate: SharpeEstimate) => Measure): Measure =>
    ofReturns(sample, () => {
      const estimate = sharpeEstimateOf(sample.returns, sample.riskFreeOfMark);
      return 'reason' in estimate ? estimate : make(estimate);
    });
  return {
    probabilisticSharpe: test((estimate) => probabilityAbove(estimate, 0)),
    deflatedSharpe:
      trials && trials.count > 1
        ? test((estimate) =>
            probabilityAbove(
              estimate,
              Math.sqrt(trials.variance ?? varianceOf(estimate)) * bestOfChance(trials.count),
            ),
          )
        : missing('the number of runs it was chosen from was not given'),
    minimumTrackRecord: test((estimate) =>
      estimate.ratio > 0
        ? 1 + spreadOf(estimate) * (normalQuantile(CONFIDENCE) / estimate.ratio) ** 2
        : missing('the Sharpe ratio is not above 0'),
    ),
  };
}

/**
 * Expected maximum of `count` standard normal draws; 0 for one, or under about 1.3, where this is below 0. Source:
 * Bailey and López de Prado, "The deflated Sharpe ratio", Journal of Portfolio Management 40(5), 2014.
 */
export function bestOfChance(count: number): number {
  if (count <= 1) return 0;
  const low = normalQuantile(1 - 1 / count);
  const high = normalQuantile(1 - 1 / (count * Math.E));
  return Math.max((1 - EULER) * low + EULER * high, 0);
}
