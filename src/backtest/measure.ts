import { ConfigError } from '../core/errors.ts';
import type { StatisticsOptions, TradeFigures } from '../statistics/figures.ts';
import type { BacktestOptions } from './options.ts';

type Bought = Pick<TradeFigures, 'shares' | 'entryPrice'>;

/** What a run is measured with, checked. */
export type Measuring = Readonly<{
  riskFree: number;
  trials: StatisticsOptions['trials'];
  /** mUSD staked on a trade; null where nobody says. */
  stakeOf: ((trade: Bought) => number) | null;
}>;

/** @throws {ConfigError} for what is no rate, no number of runs or no stake */
export const measuringOf = (options: BacktestOptions, marksPerYear: number): Measuring => ({
  riskFree: riskFreeOf(options),
  trials: trialsOf(options, marksPerYear),
  stakeOf: stakeOf(options),
});

function riskFreeOf({ riskFree = 0 }: BacktestOptions): number {
  if (riskFree > -1 && riskFree < 1) return riskFree;
  throw new ConfigError(`riskFree ${riskFree}: write the rate of a year as a part of 1, 0.04 for 4 %`);
}

function trialsOf({ trials, trialVariance }: BacktestOptions, marksPerYear: number): Measuring['trials'] {
  if (trials === undefined && trialVariance === undefined) return undefined;
  if (trials === undefined || !Number.isInteger(trials) || trials < 2)
    throw new ConfigError(
      `trials ${trials ?? 'not given'}: write how many runs this one was chosen from, itself among them: 2 or more`,
    );
  if (trialVariance === undefined) return { count: trials };
  if (trialVariance >= 0 && trialVariance < Infinity)
    return { count: trials, variance: trialVariance / marksPerYear };
  throw new ConfigError(
    `trialVariance ${trialVariance}: write the variance of their Sharpe ratios, 0 or more`,
  );
}

const BPS = 10_000;

function stakeOf({ initialRisk }: BacktestOptions): Measuring['stakeOf'] {
  if (initialRisk === undefined) return null;
  const [, kind, digits] = /^(bps|cash):(\d+(?:\.\d+)?)$/.exec(initialRisk) ?? [];
  const value = Number(digits);
  if (kind === 'cash' && value > 0) return () => value;
  if (kind === 'bps' && value > 0) return ({ shares, entryPrice }) => (shares * entryPrice * value) / BPS;
  throw new ConfigError(
    `initialRisk "${initialRisk}": write "bps:200", of what the shares of a trade cost, or "cash:100" in mUSD`,
  );
}
