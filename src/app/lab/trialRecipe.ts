import { calendarWith, type CalendarException } from '../../calendar/index.ts';
import type { BacktestOptions } from '../../backtest/options.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { SearchedStrategy } from './searchedStrategy.ts';
import type { Objective } from '../../lab/search/objective.ts';
import type { ObjectiveFunction, TrialSetup } from '../../lab/trials/trial.ts';
import { bundleLocator, placedMessage, type Bundle } from '../strategies/bundleStrategy.ts';
import { fillIn } from '../strategies/fillModel.ts';
import { guarded } from '../realm/realm.ts';
import { definitionIn, runBundle, type Realm } from '../strategies/loadStrategy.ts';

/**
 * Everything a thread needs to run the trials of a study, as plain data: code as bundles, and bars in memory that all threads
 * share. No trial loads, bundles or copies anything.
 */
export type TrialRecipe = Readonly<{
  options: Omit<TrialSetup['options'], 'calendar' | 'clock'>;
  exceptions: readonly CalendarException[];
  strategy: Pick<SearchedStrategy, 'id' | 'bundle' | 'series' | 'capital' | 'limits' | 'rest' | 'trade'> &
    Readonly<{ params: object }>;
  objectives: readonly Objective[];
  /** Code of the objectives that are functions, by name. */
  functions: Readonly<Record<string, Bundle>>;
  /** Code of the fill model, if the user supplied one. */
  fill?: Bundle;
}>;

/** Loads the code of a recipe. @throws {ConfigError} for a file that is neither a strategy nor a function */
export async function setupOf(recipe: TrialRecipe, clock: Clock, realm: Realm): Promise<TrialSetup> {
  const { options, exceptions, objectives } = recipe;
  const { bundle, ...strategy } = recipe.strategy;
  const calendar = calendarWith(exceptions);
  const functions: Record<string, ObjectiveFunction> = {};
  for (const [name, code] of Object.entries(recipe.functions))
    functions[name] = naming(name, await functionIn(code, realm));
  const definition = await definitionIn(bundle, realm);
  const fill = recipe.fill && (await fillIn(recipe.fill, realm));
  const locate = bundleLocator(bundle);
  return {
    options: { ...options, ...(fill && { fill }), calendar, clock },
    strategy: {
      ...strategy,
      definition,
      codeHash: bundle.hash,
      explain: (thrown) => placedMessage(thrown, locate),
    },
    objectives,
    functions,
    clock,
  };
}

const isObjective = (exported: unknown): exported is ObjectiveFunction => typeof exported === 'function';

async function functionIn(bundle: Bundle, realm: Realm): Promise<ObjectiveFunction> {
  const { exported } = await runBundle(bundle, realm);
  if (isObjective(exported)) return guarded((run) => exported(structuredClone(run)));
  throw new ConfigError(
    `${bundle.file}: the default export is not a function. Write \`export default ({ metrics }) => metrics.sharpe\``,
  );
}

/** Makes a function's errors name it, so that its author does not search in the strategy. */
const naming =
  (name: string, make: ObjectiveFunction): ObjectiveFunction =>
  (run) => {
    try {
      return make(run);
    } catch (cause) {
      throw new ConfigError(`the objective ${name} threw: ${messageOf(cause)}`, {}, { cause });
    }
  };

/** Puts bars, including those outside the session, into memory shared by threads. The given columns are copied once. */
export const withSharedBars = <Options extends Pick<BacktestOptions, 'bars' | 'outside'>>(
  options: Options,
): Options => ({
  ...options,
  bars: sharedBars(options.bars),
  ...(options.outside && { outside: { ...options.outside, bars: sharedBars(options.outside.bars) } }),
});

/** Bars in memory shared by threads. */
export const sharedBars = (bars: BacktestOptions['bars']): BacktestOptions['bars'] =>
  bars.map(({ symbol, interval, start, open, high, low, close, volume }) => ({
    symbol,
    interval,
    start: shared(start),
    open: shared(open),
    high: shared(high),
    low: shared(low),
    close: shared(close),
    volume: shared(volume),
  }));

function shared(column: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(column.byteLength));
  copy.set(column);
  return copy;
}
