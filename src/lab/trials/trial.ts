import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import type { Clock } from '../../core/clock.ts';
import type { MetricName } from '../../statistics/metrics.ts';
import type { Objective } from '../search/objective.ts';
import type { ParamSet } from '../search/space.ts';
import type { Headline } from './headline.ts';

/** What all trials of a study have in common. */
export type TrialSetup = Readonly<{
  /** Options of each backtest, without strategies. Its bars are not changed, and not copied. */
  options: Omit<
    BacktestOptions,
    'strategy' | 'strategies' | 'params' | 'from' | 'to' | 'onFact' | 'onEnd' | 'onProgress'
  >;
  /** The searched strategy, with the values of the parameters that are not searched. */
  strategy: BacktestStrategy;
  objectives: readonly Objective[];
  /** Functions of the objectives that are no metric, by name. */
  functions: Readonly<Record<string, ObjectiveFunction>>;
  clock: Clock;
}>;

/** Part of the time of a study: instants as `from` and `to` of a backtest. The earlier bars warm up. */
export type Span = Readonly<{ from: number; to: number }>;

/** Bar under which a trial is hopeless: its first objective over its first half, the higher the better. */
export type StopRule = Readonly<{ below: number }>;

/** One parameter set over one span, as a worker gets it. */
export type TrialTask = Readonly<{ params: ParamSet; span: Span; stop?: StopRule }>;

/** Backtest of one parameter set. */
export type TrialResult = Readonly<{
  runId: string;
  /** Value of each objective as its metric is defined; null if it is undefined. */
  objectives: readonly (number | null)[];
  /** Reason for an undefined objective. */
  why: string | null;
  headline: Headline;
  /** Closed trades, and fees in mUSD. */
  trades: number;
  fees: number;
  /** Return of each session, time-weighted. */
  returns: Float64Array;
  elapsedMs: number;
}>;

/**
 * How a trial ended. `stopped`: after half of its sessions, as hopeless. `failed`: its strategy threw, or the parameters do not
 * fit together. `crashed`: its worker crashed, as for want of memory.
 */
export type TrialOutcome = Readonly<
  | ({ state: 'done' } & TrialResult)
  | { state: 'stopped'; runId: string; objective: number; elapsedMs: number }
  | { state: 'failed' | 'crashed'; why: string }
>;

/** What runs trials: a thread of its own, or this one. */
export interface TrialRunner {
  run(task: TrialTask): Promise<TrialOutcome>;
}

/** Workers that take trials. */
export interface TrialPool {
  /** Calls of `run` that are worth making at once. It may change. */
  readonly workers: number;
  /** Work to give a worker at once, in ms. Default: long beside a message between threads, short beside a kill. */
  readonly sliceMs?: number;
  /** Runs tasks one after the other in one worker; outcomes in their order, and none once the study is stopped. A worker that goes down is an outcome. */
  run(tasks: readonly TrialTask[]): Promise<readonly TrialOutcome[]>;
  close(): Promise<void>;
}

/** Objective by a function of its author: gets the metrics of a backtest, and gives a number, the higher the better, or null. */
export type ObjectiveFunction = (
  run: Readonly<{
    metrics: Readonly<Record<MetricName, number | null>>;
    /** Return of each session. */
    returns: Float64Array;
    trades: number;
  }>,
) => number | null;
