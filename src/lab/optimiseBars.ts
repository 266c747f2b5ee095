import { z } from 'zod';
import type { BacktestOptions } from '../backtest/options.ts';
import { systemClock } from '../core/clock.ts';
import { invariant } from '../core/errors.ts';
import type { StrategyDefinition } from '../strategy/contract.ts';
import { beliefOf } from './belief/belief.ts';
import { optimise, planStudy, type OptimiseOptions } from './optimise.ts';
import { objectivesOf } from './search/objective.ts';
import { samplerOf, type Method } from './search/sampler.ts';
import { sizeOf, spaceOf, spaceOfSchema, type ParamSet, type ParamsSchema } from './search/space.ts';
import { identityOf } from './study/identity.ts';
import { openStudy, type BookedTrial } from './study/studyFile.ts';
import { studyResultOf, type StudyResult } from './studyResult.ts';
import { localPool } from './trials/localPool.ts';
import { StudyTrials, trialEngineOf } from './trials/studyTrials.ts';
import type { TrialSetup } from './trials/trial.ts';

/** Options of a study run from a program: those of a backtest of one strategy, and those of the search. */
export type OptimiseBarsOptions = Omit<
  BacktestOptions,
  'strategy' | 'strategies' | 'params' | 'trials' | 'trialVariance' | 'onFact' | 'onProgress'
> &
  Readonly<{
    strategy: StrategyDefinition;
    /** Values of the parameters that are not searched. */
    params?: object;
    /** Space in the form of `--space`. Default: from the schema of the strategy. */
    space?: unknown;
    /** Filter for parameter sets. Default: all that the schema accepts. */
    accepts?: (params: ParamSet) => boolean;
    /** Default: `grid` for up to 2,000 sets, else `tpe`. */
    method?: Method;
    /** Number of parameter sets to try, for any method but `grid`. Default 100. */
    trials?: number;
    /** Metrics, of which the first decides. Default `sharpe`. */
    objective?: string;
    /** Window lengths, such as `12m/3m`. */
    walkForward?: string;
    anchored?: boolean;
    embargo?: number;
    stopEarly?: boolean;
    /** File of the study. Default: it is not stored. */
    study?: string;
    resume?: boolean;
    onTrial?: (trial: BookedTrial) => void;
  }>;

const GRID_DEFAULT = 2_000;
const TRIALS = 100;
const IN_MEMORY = ':memory:';

/**
 * Searches the parameters of a strategy in this thread, and judges the result.
 * @throws {ConfigError} for a space, window, objective or study that does not fit
 */
export async function optimiseBars(given: OptimiseBarsOptions): Promise<StudyResult> {
  const { clock = systemClock, study: file = IN_MEMORY, resume = false, onTrial = () => undefined } = given;
  const begun = clock.monotonic();
  const options = optionsOf(given);
  const { sessions } = planStudy(options);
  const study = openStudy(file, { identity: identityOf(options, { sessions }), resume });
  try {
    const pool = localPool(new StudyTrials(options.setup));
    const optimised = await optimise(options, { study, pool, onTrial, isStopped: () => false });
    invariant(optimised !== null, 'a search that nobody stops ends');
    const belief = await beliefOf(optimised, options);
    invariant(belief !== null, 'a judgement that nobody stops ends');
    const engine = trialEngineOf(options.setup, options.span);
    return studyResultOf({ optimised, belief, engine, options, file, elapsedMs: clock.monotonic() - begun });
  } finally {
    study.close();
  }
}

function optionsOf(given: OptimiseBarsOptions): OptimiseOptions {
  const { strategy, params = {}, objective = 'sharpe', from, to, clock = systemClock, ...rest } = given;
  const { space: wanted, accepts = () => true, method, trials = TRIALS, seed = 0, ...others } = rest;
  const { walkForward, anchored = false, embargo = 0, stopEarly = false, ...market } = others;
  const { study: _study, resume: _resume, onTrial: _onTrial, series, ...options } = market;
  const schema = z.toJSONSchema(strategy.params, { io: 'input', unrepresentable: 'any' }) as ParamsSchema;
  const space = wanted === undefined ? spaceOfSchema(schema).space : spaceOf(wanted, schema);
  const setup: TrialSetup = {
    options: { ...options, seed },
    strategy: { definition: strategy, params, ...(series && { series }) },
    objectives: objectivesOf(objective),
    functions: {},
    clock,
  };
  const sampling = {
    space,
    method: method ?? (sizeOf(space) <= GRID_DEFAULT ? 'grid' : 'tpe'),
    trials,
    seed,
    accepts: (set: ParamSet) => strategy.params.safeParse({ ...params, ...set }).success && accepts(set),
  } as const;
  samplerOf(sampling);
  return {
    setup,
    span: { from: from ?? -Infinity, to: to ?? Infinity },
    sampling,
    walkForward: walkForward === undefined ? null : { text: walkForward, isAnchored: anchored, embargo },
    stopEarly,
  };
}
