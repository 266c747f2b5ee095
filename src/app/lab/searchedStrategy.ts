import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import { calendarWith, type CalendarException, type TradingCalendar } from '../../calendar/index.ts';
import { cash, formatDecimal } from '../../core/amount.ts';
import { ConfigError } from '../../core/errors.ts';
import type { StrategyDefinition } from '../../strategy/contract.ts';
import type { BacktestFlags } from '../backtest/flags.ts';
import {
  boundsOf,
  configInstead,
  dividendsIn,
  outsideIn,
  paramsOf,
  realmOf,
  type DividendOption,
} from '../backtest/strategies.ts';
import { exceptionsOf } from '../config/fields.ts';
import { privatePaths } from '../config/privatePaths.ts';
import { configOf } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import type { Bundle } from '../strategies/bundleStrategy.ts';
import { loadStrategy } from '../strategies/loadStrategy.ts';
import { namedSeries, seriesFiles } from '../strategies/seriesFiles.ts';
import { paramsOf as entryParams, placedAtUse } from '../strategies/params.ts';

/** Strategy of a study, with the parameters that are not searched and the other settings of its config. */
export type SearchedStrategy = Readonly<{
  id: string;
  definition: StrategyDefinition;
  bundle: Bundle;
  params: Readonly<Record<string, unknown>>;
  series: NonNullable<BacktestOptions['series']>;
  capital?: string;
  limits?: NonNullable<BacktestOptions['limits']>;
  rest?: 'sell' | 'keep';
  trade?: NonNullable<BacktestStrategy['trade']>;
  exceptions: readonly CalendarException[];
  calendar: TradingCalendar;
  /** Settings from the config. Flags take precedence. */
  settings: Pick<BacktestOptions, 'cash' | 'limits' | 'outside' | 'collarBps' | DividendOption>;
}>;

type Flags = Pick<BacktestFlags, 'strategy' | 'params' | 'series' | 'isolate' | 'like'> &
  Readonly<{ of?: string; queuePassword?: string }>;

/**
 * The strategy of `--strategy`, or that of a config (chosen with `--of` if it has several): alone, with its own capital and
 * limits and those of the run. @throws {ConfigError} with the place of the error
 */
export async function searchedStrategy(flags: Flags, context: CommandContext): Promise<SearchedStrategy> {
  if (flags.strategy === undefined) return ofConfig(flags, context);
  if (flags.of !== undefined)
    throw new ConfigError('--of names a strategy of a config: leave out --of, or --strategy');
  const { strategy: use, queuePassword } = flags;
  const kept = privatePaths(context, { folder: context.cwd, use, queuePassword });
  const { definition, bundle } = await loadStrategy(use, context.cwd, { ...realmOf(context), kept });
  const exceptions = context.configFile === undefined ? [] : exceptionsOf(configOf(context).config);
  return {
    id: definition.name,
    definition,
    bundle,
    params: paramsOf(flags) as Readonly<Record<string, unknown>>,
    series: namedSeries(flags.series, context.cwd),
    exceptions,
    calendar: calendarWith(exceptions),
    settings: {},
  };
}

async function ofConfig(flags: Flags, context: CommandContext): Promise<SearchedStrategy> {
  const { of, queuePassword } = flags;
  const loaded = await configInstead(flags, context);
  const { config, folder, file } = loaded;
  const ids = config.strategies.map(({ id }) => id);
  if (of === undefined && ids.length > 1)
    throw new ConfigError(`${file} has ${ids.join(', ')}: name the one to search with --of`);
  const index = of === undefined ? 0 : ids.indexOf(of);
  const entry = config.strategies[index];
  if (!entry) throw new ConfigError(`--of ${of ?? ''}: ${file} has ${ids.join(', ') || 'no strategy'}`);
  const { use, id, capital, limits = {}, series, rest, trade } = entry;
  const kept = privatePaths(context, { config, folder, use, queuePassword });
  const { definition, bundle } = await loadStrategy(use, folder, { ...realmOf(context), kept }).catch(
    (thrown: unknown) => {
      throw placedAtUse(thrown, loaded, index);
    },
  );
  const money = formatDecimal(cash(capital));
  if (capital === 0n)
    throw new ConfigError(`${file}: ${id} has no capital, and a backtest starts with cash only`);
  const exceptions = exceptionsOf(config);
  return {
    id,
    definition,
    bundle,
    params: entryParams(loaded, index),
    series: seriesFiles(series),
    capital: money,
    limits: boundsOf(limits),
    ...(rest && { rest }),
    ...(trade && { trade }),
    exceptions,
    calendar: calendarWith(exceptions),
    settings: {
      cash: money,
      limits: boundsOf(config.limits),
      ...outsideIn({ ...config, strategies: [entry] }),
      ...dividendsIn(config),
      collarBps: config.orders.collarBps,
    },
  };
}
