import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import type { Clock } from '../../core/clock.ts';
import type { MetricName } from '../../statistics/metrics.ts';
import type { Objective } from '../search/objective.ts';
import type { ParamSet } from '../search/space.ts';
import type { Headline } from './headline.ts';

/** Settings shared by all trials of a study. */
export type TrialSetup = Readonly<{
  /** Options of each backtest, without strategies. Its bars are neither changed nor copied. */
  options: Omit<
    BacktestOptions,
    'strategy' | 'strategies' | 'params' | 'from' | 'to' | 'onFact' | 'onEnd' | 'onProgress'
  >;
  /** Searched strategy, with the values of the parameters that are not searched. */
  strategy: BacktestStrategy;
  objectives: readonly Objective[];
  /** User functions used as objectives, by name. */
  functions: Readonly<Record<string, ObjectiveFunction>>;
  clock: Clock;
}>;

/** Part of the time of a study: `from` and `to` as in a backtest. Earlier bars are used for warm-up. */
export type Span = Readonly<{ from: number; to: number }>;

/** Threshold below which a trial is hopeless: its first objective over its first half, higher is better. */
export type StopRule = Readonly<{ below: number }>;

/** One parameter set over one span, as given to a worker. */
export type TrialTask = Readonly<{ params: ParamSet; span: Span; stop?: StopRule }>;

/** Result of the backtest of one parameter set. */
export type TrialResult = Readonly<{
  runId: string;
  /** Value of each objective as its metric is defined; null if it is undefined. */
  objectives: readonly (number | null)[];
  /** Reason for an undefined objective. */
  why: string | null;
  headline: Headline;
  /** Number of closed trades, and fees in mUSD. */
  trades: number;
  fees: number;
  /** Time-weighted return of each session. */
  returns: Float64Array;
  elapsedMs: number;
}>;

/**
 * How a trial ended. `stopped`: after half of its sessions, as hopeless. `failed`: its strategy threw, or the
 * parameters do not fit together. `crashed`: its worker crashed, for example out of memory.
 */
export type TrialOutcome = Readonly<
  | ({ state: 'done' } & TrialResult)
  | { state: 'stopped'; runId: string; objective: number; elapsedMs: number }
  | { state: 'failed' | 'crashed'; why: string }
>;

/** Runs trials, in another thread or in this one. */
export interface TrialRunner {
  run(task: TrialTask): Promise<TrialOutcome>;
}

/** Workers that run trials. */
export interface TrialPool {
  /** Number of calls of `run` worth making at once. It may change. */
  readonly workers: number;
  /** Work to give a worker at once, in ms. Default: long compared to a message, short compared to a kill. */
  readonly sliceMs?: number;
  /** Runs tasks one by one in one worker; outcomes in task order, none once stopped. A worker crash is an outcome. */
  run(tasks: readonly TrialTask[]): Promise<readonly TrialOutcome[]>;
  close(): Promise<void>;
}

/** User function as objective: gets the metrics of a backtest, and returns a number (higher is better) or null. */
export type ObjectiveFunction = (
  run: Readonly<{
    metrics: Readonly<Record<MetricName, number | null>>;
    /** Return of each session. */
    returns: Float64Array;
    trades: number;
  }>,
) => number | null;
