import type { Missing } from '../../statistics/figures.ts';
import { covarianceOf, deviationOf, meanOf } from '../../statistics/moments.ts';
import { bestOfChance, probabilityAbove, sharpeEstimateOf } from '../../statistics/sharpeTests.ts';
import { movingOf, sharpeOf, type Columns } from './trialReturns.ts';

export type DeflatedSharpe = Readonly<{
  /** Probability that the true Sharpe ratio of the chosen trial exceeds the bar. */
  probability: number;
  /** Sharpe ratio per session of the chosen trial, and the best expected by luck among as many trials. */
  ratio: number;
  bar: number;
  /** Number of trials made, and the equivalent number of independent ones. */
  trials: number;
  independent: number;
  /** Variance of the trials' Sharpe ratios per session. */
  variance: number;
}>;

/**
 * Deflated Sharpe ratio of a trial selected from all: the probability that its true Sharpe ratio exceeds √V·((1 −
 * γ)Φ⁻¹(1 − 1/N) + γΦ⁻¹(1 − 1/(N·e))), the expected best of N trials without skill. V is the variance of the Sharpe
 * ratios of the trials actually made, N the number of independent ones among them.
 * Source: Bailey and López de Prado, "The deflated Sharpe ratio", Journal of Portfolio Management 40(5), 2014.
 *
 * @param trialCount number of trials made on these sessions, including earlier studies. Default: the columns that move
 */
export function deflatedSharpe(
  columns: Columns,
  chosen: number,
  trialCount?: number,
): DeflatedSharpe | Missing {
  const estimate = sharpeEstimateOf(columns[chosen] ?? []);
  if ('reason' in estimate) return estimate;
  const moving = movingOf(columns);
  const ratios = moving.map(sharpeOf);
  const variance = moving.length > 1 ? covarianceOf(ratios, ratios) : 0;
  const trials = trialCount ?? moving.length;
  const independent = independentTrials(moving, trials);
  const bar = Math.sqrt(variance) * bestOfChance(independent);
  const probability = probabilityAbove(estimate, bar);
  return { probability, ratio: estimate.ratio, bar, trials, independent, variance };
}

/**
 * Number of independent trials equivalent to M correlated ones: ρ + (1 − ρ)·M, with ρ the mean correlation of two
 * trials, at least 0. Source: Bailey and López de Prado, as above, appendix A.3.
 */
export function independentTrials(columns: Columns, trialCount = columns.length): number {
  if (columns.length < 2) return trialCount;
  const rho = Math.min(Math.max(meanCorrelation(columns), 0), 1);
  return rho + (1 - rho) * trialCount;
}

/** Mean correlation of all pairs in one pass: the mean of M standardised columns has variance (1 + (M − 1)·ρ)/M. */
function meanCorrelation(columns: Columns): number {
  const count = columns.length;
  const means = new Float64Array(columns[0]?.length ?? 0);
  for (const column of columns) {
    const [mean, scale] = [meanOf(column), 1 / (deviationOf(column) * count)];
    for (let at = 0; at < means.length; at++)
      means[at] = (means[at] ?? 0) + ((column[at] ?? NaN) - mean) * scale;
  }
  return (count * covarianceOf(means, means) - 1) / (count - 1);
}
