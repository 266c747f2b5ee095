import type { z } from 'zod';
import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import type { BacktestFlags } from './flags.ts';
import { dividendsOf, tradesOutside } from '../config/stocks.ts';
import type { RunConfig } from '../config/schema.ts';
import { cash, formatDecimal } from '../../core/amount.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { isTree, LEVELS_MAX, parseBounded } from '../../core/nesting.ts';
import type { JsonSchema } from '../config/problems.ts';
import type { CommandContext } from '../../process/context.ts';
import type { LoadedConfig } from '../config/load.ts';
import { privatePaths } from '../config/privatePaths.ts';
import { placedMessage } from '../strategies/bundleStrategy.ts';
import { loadStrategy, type LoadedStrategy, type Realm } from '../strategies/loadStrategy.ts';
import { namedSeries, seriesFiles } from '../strategies/seriesFiles.ts';
import type { IsolatedCode, IsolatedCodeOptions, Misfit } from '../isolation/isolatedStrategy.ts';

type StrategyFlags = Pick<BacktestFlags, 'strategy' | 'params' | 'series' | 'isolate'>;

export type DividendOption = 'dividends' | 'stockDividends' | 'withheldPercent' | 'exitDividends';

/** Strategies and the other backtest settings of a config. */
export type GivenStrategies = Pick<
  BacktestOptions,
  'cash' | 'limits' | 'outside' | DividendOption | 'collarBps' | 'calendar'
> &
  Readonly<{
    strategies: readonly BacktestStrategy[];
    /** Ends the threads, if there are any. */
    close?: () => Promise<void>;
  }>;

/** The strategy of `--strategy`, or those of a config. @throws {ConfigError} with the place of the error */
export async function givenStrategies(
  flags: StrategyFlags,
  context: CommandContext,
): Promise<GivenStrategies> {
  if (flags.strategy === undefined) return ofConfig(flags, context);
  const code = flags.isolate
    ? await isolatedOf(flags.strategy, flags, context)
    : { strategy: await localOf(flags.strategy, flags, context) };
  return {
    strategies: [{ ...code.strategy, series: namedSeries(flags.series, context.cwd) }],
    ...('close' in code ? { close: code.close } : {}),
    ...(context.configFile !== undefined && {
      calendar: (await import('../config/load.ts')).givenCalendar(context),
    }),
  };
}

/** This process as a realm for third-party code, whose output goes to stderr. */
export const realmOf = ({ lockRealm, terminal }: CommandContext): Realm => ({
  lock: lockRealm,
  print: (text) => terminal.err(text.replace(/\n$/, '')),
});

async function localOf(
  use: string,
  flags: StrategyFlags,
  context: CommandContext,
): Promise<BacktestStrategy> {
  const { cwd, secrets } = context;
  const kept = privatePaths(context, { folder: cwd, use });
  const loaded = await loadStrategy(use, cwd, { ...realmOf(context), kept });
  const value = paramsOf(flags);
  const schema = loaded.definition.params;
  const { error } = schema.safeParse(value);
  if (error)
    throw (await import('../strategies/params.ts')).paramsMisfit(error.issues, { schema, value, secrets });
  return { ...codeOf(loaded), params: value };
}

/** A strategy in its own thread. Its schema, which checks the parameters, stays there. */
async function isolated(
  use: Pick<IsolatedCodeOptions, 'use' | 'folder' | 'limits' | 'kept' | 'params'>,
  misfit: IsolatedCodeOptions['misfit'],
  context: CommandContext,
): Promise<IsolatedCode> {
  const { isolatedCode } = await import('../isolation/isolatedStrategy.ts');
  return isolatedCode({ ...use, misfit, print: realmOf(context).print });
}

async function isolatedOf(use: string, flags: StrategyFlags, context: CommandContext): Promise<IsolatedCode> {
  const { paramsMisfit } = await import('../strategies/params.ts');
  const { cwd: folder, secrets } = context;
  const params = paramsOf(flags);
  const misfit = ({ issues, schema }: Misfit) =>
    paramsMisfit(issues as z.core.$ZodIssue[], {
      schema: { json: schema as JsonSchema },
      value: params,
      secrets,
    });
  const kept = privatePaths(context, { folder, use });
  return isolated({ use, folder, kept, params }, misfit, context);
}

/** The config of a command that names no strategy. @throws {ConfigError} without one, or for series on the command line as well */
export async function configInstead(
  { series = [] }: Pick<StrategyFlags, 'series'>,
  context: CommandContext,
): Promise<LoadedConfig> {
  if (context.configFile === undefined)
    throw new ConfigError('which strategy? Name one with --strategy FILE, or a config file with strategies');
  if (series.length > 0) throw new ConfigError(SERIES_OF_CONFIG);
  return (await import('../config/load.ts')).configOf(context);
}

/** The strategies of a config on the sum of their capital, under its limits except those on age: no bar is late. */
async function ofConfig(flags: StrategyFlags, context: CommandContext): Promise<GivenStrategies> {
  const loaded = await configInstead(flags, context);
  const { calendarOf } = await import('../config/fields.ts');
  const { config } = loaded;
  const threads: IsolatedCode[] = [];
  const strategies: BacktestStrategy[] = [];
  for (const [index, { id, capital, limits = {}, series, rest, trade }] of config.strategies.entries()) {
    if (flags.isolate) threads.push(await isolatedEntry(loaded, index, context));
    const code = threads[index]?.strategy ?? (await localEntry(loaded, index, context));
    const given = { limits: boundsOf(limits), capital: formatDecimal(capital), series: seriesFiles(series) };
    strategies.push({ ...code, id, rest, ...(trade && { trade }), ...given });
  }
  const money = config.strategies.reduce((sum, { capital }) => sum + capital, 0n);
  if (money === 0n)
    throw new ConfigError(
      `${loaded.file}: no strategy has capital, and a backtest starts with cash only. Give capital to at least one`,
    );
  return {
    strategies,
    cash: formatDecimal(cash(money)),
    limits: boundsOf(config.limits),
    ...outsideIn(config),
    ...dividendsIn(config),
    close: async () => {
      await Promise.all(threads.map(({ close }) => close()));
    },
    collarBps: config.orders.collarBps,
    calendar: calendarOf(config),
  };
}

/** Dividend settings of a config: how payments arrive, and how they change stops. Flags take precedence. */
export function dividendsIn(config: RunConfig): Pick<BacktestOptions, DividendOption> {
  const { way, stocks, withheldBps } = dividendsOf(config);
  return {
    dividends: way,
    stockDividends: Object.fromEntries(stocks),
    withheldPercent: withheldBps / 100,
    exitDividends: config.exits.dividends,
  };
}

/** Phases of a config that trades outside the session; their bars are added later. */
export function outsideIn(config: RunConfig): Pick<BacktestOptions, 'outside'> {
  if (!tradesOutside(config)) return {};
  const own = Object.entries(config.stocks).flatMap(([symbol, { trade }]) =>
    trade ? [[symbol, trade] as const] : [],
  );
  const { begins: exDates = 'open' } = dividendsOf(config);
  return { outside: { trade: config.trade, stocks: Object.fromEntries(own), bars: [], exDates } };
}

/** Error for a flag that cannot be combined with a config. */
const SERIES_OF_CONFIG =
  '--series goes with --strategy: for the strategies of a config, write series: { NAME: FILE } beside their params';

async function localEntry(
  loaded: LoadedConfig,
  index: number,
  context: CommandContext,
): Promise<BacktestStrategy> {
  const { strategyOf } = await import('../strategies/params.ts');
  const { folder, config } = loaded;
  const kept = privatePaths(context, { config, folder, use: config.strategies[index]?.use ?? '' });
  const code = await strategyOf(loaded, index, { ...realmOf(context), kept });
  return { ...codeOf(code), params: code.params };
}

async function isolatedEntry(
  loaded: LoadedConfig,
  index: number,
  context: CommandContext,
): Promise<IsolatedCode> {
  const { misfitError, paramsOf: entryParams } = await import('../strategies/params.ts');
  const { folder, config } = loaded;
  const { use = '' } = config.strategies[index] ?? {};
  const kept = privatePaths(context, { config, folder, use });
  const entry = { use, folder, limits: config.isolation, kept, params: entryParams(loaded, index) };
  return isolated(entry, (why) => misfitError(loaded, index, why), context);
}

type Limits = NonNullable<BacktestOptions['limits']>;

/** Limits that a backtest applies: all except those on data age and fees. Limits on premiums need token prices. */
export function boundsOf(limits: Limits): Limits {
  const { orderNotional, positionNotional, grossExposure, ordersPerMinute, dayLoss, priceBandBps } = limits;
  const { limitPolicy, symbols, groups, turnoverPerDay, drawdown, lossStreak, cooldown, outside } = limits;
  const { premiumBps } = limits;
  const bySize = { orderNotional, positionNotional, grossExposure, symbols, groups, limitPolicy };
  const byLoss = { dayLoss, drawdown, lossStreak, cooldown };
  const night = outside ? { outside: nightBoundsOf(outside) } : {};
  return { ...bySize, ...byLoss, ...night, ordersPerMinute, priceBandBps, premiumBps, turnoverPerDay };
}

/** Limits of the night, without the one on price age, which a backtest does not know. */
function nightBoundsOf({ quoteAgeMs: _, ...limits }: NonNullable<Limits['outside']>) {
  return limits;
}

const codeOf = ({ definition, hash, locate }: LoadedStrategy): BacktestStrategy => ({
  definition,
  codeHash: hash,
  explain: (thrown) => placedMessage(thrown, locate),
});

/** The parameters as given; no other flag adds or changes one. @throws {ConfigError} unless they are a JSON object */
export function paramsOf({ params = '{}' }: Pick<StrategyFlags, 'params'>): object {
  const value = parsed(params);
  if (isTree(value)) return value;
  throw new ConfigError(`--params: ${params} is not a JSON object. ${PARAMS_EXAMPLE}`);
}

const PARAMS_EXAMPLE = `Put names and texts in double quotes, and everything in single quotes: --params '{"symbol":"AAPL"}'`;

function parsed(text: string): unknown {
  try {
    return parseBounded(text, LEVELS_MAX);
  } catch (cause) {
    throw new ConfigError(`--params: ${messageOf(cause)}. ${PARAMS_EXAMPLE}`, {}, { cause });
  }
}
