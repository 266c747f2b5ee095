import { MINUTE_MS } from '../../core/brand.ts';
import { z } from 'zod';
import type { TradingRules } from '../../domain/limits.ts';
import { ConfigError, orClosedAfter } from '../../core/errors.ts';
import { cash, type Cash } from '../../core/amount.ts';
import { ticker } from '../../domain/instrument.ts';
import { DOCUMENTED_FEES } from '../../domain/fees.ts';
import { inProcess } from '../../engine/strategy/strategyRuntime.ts';
import type { StrategySetup } from '../../engine/strategy/strategyInstance.ts';
import { seriesOf } from '../../market/seriesCsv.ts';
import { needsOf } from '../../strategy/dataNeeds.ts';
import { externalRulesOf, limitsOf as isolationLimits } from '../config/sections.ts';
import { contractsOf, dividendsOf, tokenRatiosOf, tradesOutside } from '../config/stocks.ts';
import type { IsolationLimits } from '../config/sections.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { privatePaths } from '../config/privatePaths.ts';
import type { CommandContext, NamedConfig } from '../../process/context.ts';
import { misfitError, paramsOf, placedAtUse } from '../strategies/params.ts';
import { requireSources } from '../strategies/fetches.ts';
import { seriesFiles, type WatchedSeries } from '../strategies/seriesFiles.ts';
import { IsolatedStrategy, needsIn, threadOptions } from '../isolation/isolatedStrategy.ts';
import { groupsFor, type ThreadGroup } from '../isolation/threadGroup.ts';
import { placedMessage } from '../strategies/bundleStrategy.ts';

export type PlannedStrategy = StrategySetup & Readonly<{ capital: Cash }>;

/** Strategies of a run in their threads, which `close` ends. */
type StrategyPlan = Readonly<{ strategies: readonly PlannedStrategy[]; close: () => Promise<void> }>;

type PlanOptions = Readonly<{
  context: Pick<CommandContext, 'cwd' | 'env' | keyof NamedConfig>;
  print: (text: string) => void;
  isRestart?: boolean;
  /** Strategies that must not share a thread. Default none. */
  alone?: ReadonlySet<string>;
}>;

/**
 * Loads the strategies of a config into their threads, checks their parameters and determines their data. `print`
 * receives what strategies print. `isRestart`: a strategy that cannot be loaded is planned as one that stops at its start.
 * @throws {ConfigError} with the place in the strategy or in the config, unless it `isRestart`
 */
export async function planStrategies(loaded: LoadedConfig, options: PlanOptions): Promise<StrategyPlan> {
  const started: (IsolatedStrategy | ConfigError)[] = [];
  const close = async () => {
    await Promise.all(started.flatMap((strategy) => ('close' in strategy ? [strategy.close()] : [])));
  };
  const orError = (thrown: unknown): ConfigError => {
    if (options.isRestart && thrown instanceof ConfigError) return thrown;
    throw thrown;
  };
  return orClosedAfter({ close }, async () => {
    // All threads start before the first one is waited for.
    const ids = loaded.config.strategies.map(({ id }) => id);
    const limits = isolationLimits(loaded.config.isolation);
    const groups = groupsFor(ids, options.alone ?? new Set(), threadOptions(limits));
    for (const [index, group] of groups.entries())
      started.push(await startStrategy(loaded, index, { ...options, group, limits }).catch(orError));
    const strategies = started.map((strategy, index) => {
      if (!('close' in strategy)) return unloadedPlan(loaded, index, strategy);
      try {
        return planOf(loaded, index, strategy);
      } catch (thrown) {
        return unloadedPlan(loaded, index, orError(thrown));
      }
    });
    return { strategies, close };
  });
}

/** Plan of a strategy that could not be loaded: it stops with this error when it starts, and requests nothing. */
function unloadedPlan({ config }: LoadedConfig, index: number, error: ConfigError): PlannedStrategy {
  const { id = '', capital = cash(0n) } = config.strategies[index] ?? {};
  const createRuntime = inProcess(
    {
      name: id,
      description: '',
      params: z.unknown(),
      data: () => ({}),
      create: () => {
        throw error;
      },
    },
    null,
  );
  return { id, capital, needs: {}, createRuntime };
}

async function startStrategy(
  loaded: LoadedConfig,
  index: number,
  { context, print, group, limits }: PlanOptions & Readonly<{ group: ThreadGroup; limits: IsolationLimits }>,
): Promise<IsolatedStrategy> {
  const { use = '', id = '' } = loaded.config.strategies[index] ?? {};
  const { config, folder } = loaded;
  const named = (text: string) => print(text.replace(/\n$/, '').replace(/^/gm, `${id}: `));
  const kept = privatePaths(context, { config, folder, use });
  try {
    return await IsolatedStrategy.start(use, folder, { id, group, limits, print: named, kept });
  } catch (thrown) {
    throw placedAtUse(thrown, loaded, index);
  }
}

function planOf(loaded: LoadedConfig, index: number, strategy: IsolatedStrategy): PlannedStrategy {
  const { mode, strategies } = loaded.config;
  const {
    id = '',
    capital = cash(0n),
    warmUp = mode === 'live' ? 'require' : 'wait',
    allowOrders = [],
    rest,
    series: paths,
    fetch: sources,
  } = strategies[index] ?? {};
  const read = strategy.load(paramsOf(loaded, index), (why) => misfitError(loaded, index, why));
  const explain = (thrown: unknown) => loaded.secrets.redact(placedMessage(thrown, strategy.locate));
  const data = () => needsIn(read);
  const needs = needsOf({ id, definition: { data }, params: null, explain });
  const series = placed(loaded, () => seriesOf({ id, needs: needs.series ?? [], files: seriesFiles(paths) }));
  placed(loaded, () => requireSources(id, needs, sources));
  const { createRuntime } = strategy;
  const allowed = new Set(allowOrders);
  return { id, capital, explain, needs, warmUp, series, allowOrders: allowed, rest, createRuntime };
}

/** Dated series of a run, with their files. */
export const watchedSeries = (
  { config }: LoadedConfig,
  planned: readonly Pick<PlannedStrategy, 'id' | 'needs'>[],
): WatchedSeries[] =>
  planned.flatMap(({ id, needs }) => {
    const paths = config.strategies.find((entry) => entry.id === id)?.series ?? {};
    return (needs.series ?? []).flatMap((need) => {
      const file = paths[need.name];
      return file === undefined ? [] : [{ strategyId: id, need, file }];
    });
  });

/** Adds the strategy's place in the config to an error of the engine that names the strategy. */
export function withLocation(thrown: unknown, loaded: LoadedConfig): unknown {
  if (!(thrown instanceof ConfigError)) return thrown;
  const { strategy, symbol } = thrown.details;
  const index = loaded.config.strategies.findIndex(({ id }) => id === strategy);
  const params = loaded.config.strategies[index]?.params;
  if (!params) return thrown;
  const [key] = Object.entries(params).find(([, value]) => value === symbol) ?? [];
  const where = loaded.positionOf(['strategies', index, ...(key === undefined ? ['id'] : ['params', key])]);
  return new ConfigError(`${where}: ${thrown.message}`, thrown.details, { cause: thrown });
}

/** Runs `run`, and adds locations to such errors. */
function placed<T>(loaded: LoadedConfig, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw withLocation(thrown, loaded);
  }
}

/** Default maximum age of the quote that an order is based on. */
const QUOTE_AGE_MS = 60_000;

/** Maximum age of the last read of orders and account at a send: three periods of the slowest poll. */
const STATE_AGE_MS = 180_000;

/** Delay after a failed order before the next similar one. */
const FAILURE_SPACING_MS = 30_000;

/** Rules of a run that sends: those of its config, and those that its venue and its own failures require. */
export const sendingRules = (config: RunConfig, venue: Pick<TradingRules, 'readsChain'>): TradingRules => ({
  ...rulesOf(config),
  ...venue,
  failureSpacingMs: FAILURE_SPACING_MS,
});

/** The traded phases, unless there is only the regular session. */
function tradeOf(config: RunConfig): Pick<TradingRules, 'trade'> {
  if (!tradesOutside(config)) return {};
  const { trade, strategies, stocks, venue: { extendedHours, dayEnds } = {} } = config;
  const own = strategies.flatMap(({ id, trade: phases }) => (phases ? [[id, new Set(phases)] as const] : []));
  const hours = Object.entries(stocks).map(([symbol, { trade: phases, extendedHours: isExtended }]) => {
    const named = phases ? { phases: new Set(phases) } : {};
    return [ticker(symbol), { ...named, extendedHours: isExtended }] as const;
  });
  return {
    trade: { run: new Set(trade), strategies: new Map(own), stocks: new Map(hours), extendedHours, dayEnds },
  };
}

/** Rules of a config that apply to every order. */
export function rulesOf(config: RunConfig): TradingRules {
  const { limits, orders, strategies, polling } = config;
  const { assumeGoneAfterMinutes } = orders;
  return {
    limits: { ...limits, quoteAgeMs: limits.quoteAgeMs ?? QUOTE_AGE_MS },
    ownLimits: new Map(strategies.map(({ id, limits: own = {} }) => [id, own])),
    stateAgeMs:
      limits.stateAgeMs ?? Math.max(STATE_AGE_MS, 3 * Math.max(polling.accountMs, polling.restingMs)),
    onKill: limits.onKill,
    ...tradeOf(config),
    contracts: contractsOf(config),
    dividends: dividendsOf(config),
    tokenRatios: tokenRatiosOf(config),
    exitDividends: config.exits.dividends,
    external: externalRulesOf(config),
    confirmsBalance: true,
    collarBps: orders.collarBps,
    deadlineMs: orders.deadlineSeconds * 1000,
    fees: DOCUMENTED_FEES,
    ...(assumeGoneAfterMinutes === undefined
      ? {}
      : { assumeGoneAfterMs: assumeGoneAfterMinutes * MINUTE_MS }),
  };
}
