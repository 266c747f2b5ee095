import { ConfigError, messageOf } from '../../core/errors.ts';
import { cash, type Cash } from '../../core/amount.ts';
import type { TradingRules } from '../../engine/desk.ts';
import type { StrategySetup } from '../../engine/host.ts';
import { inProcess } from '../../engine/strategyRuntime.ts';
import { needsOf } from '../../strategy/dataNeeds.ts';
import { buyCost } from '../../sim/fees.ts';
import { contractsOf } from '../config/contracts.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { strategyOf } from '../config/strategyOf.ts';

export type PlannedStrategy = StrategySetup & Readonly<{ capital: Cash }>;

const MINUTE_MS = 60_000;

/**
 * Loads the strategies of a config, checks their parameters and asks what data they need.
 * @throws {ConfigError} with the place in the strategy or in the config
 */
export async function planStrategies(loaded: LoadedConfig): Promise<PlannedStrategy[]> {
  const planned: PlannedStrategy[] = [];
  for (const [index, { id, capital }] of loaded.config.strategies.entries()) {
    const { definition, params, locate } = await strategyOf(loaded, index);
    const explain = (thrown: unknown) => {
      const place = locate(thrown);
      return place ? `${place.file}:${place.line}:${place.column}: ${messageOf(thrown)}` : messageOf(thrown);
    };
    planned.push({
      id,
      createRuntime: inProcess(definition, params),
      capital,
      explain,
      needs: needsOf({ id, definition, params, explain }),
    });
  }
  return planned;
}

/** Puts what the engine says of a strategy at the strategy's place in the config. */
export function placed(thrown: unknown, loaded: LoadedConfig): unknown {
  if (!(thrown instanceof ConfigError)) return thrown;
  const { strategy, symbol } = thrown.details;
  const index = loaded.config.strategies.findIndex(({ id }) => id === strategy);
  const params = loaded.config.strategies[index]?.params;
  if (!params) return thrown;
  const [key] = Object.entries(params).find(([, value]) => value === symbol) ?? [];
  const where = loaded.positionOf(['strategies', index, ...(key === undefined ? ['id'] : ['params', key])]);
  return new ConfigError(`${where}: ${thrown.message}`, thrown.details, { cause: thrown });
}

/** Oldest quote that an order may be based on where the config does not say. */
const QUOTE_AGE_MS = 60_000;

/** Oldest look at orders and account that a send may follow: three of the slowest questions. */
const STATE_AGE_MS = 180_000;

/** Wait after an order that failed, before the next like it. */
const FAILURE_SPACING_MS = 30_000;

/** The rules of a run that sends: those of its config, and what its venue and its own failures ask for. */
export const sendingRules = (config: RunConfig, venue: Pick<TradingRules, 'readsChain'>): TradingRules => ({
  ...rulesOf(config),
  ...venue,
  failureSpacingMs: FAILURE_SPACING_MS,
});

/** The rules that a config sets for every order. */
export function rulesOf(config: RunConfig): TradingRules {
  const { limits, orders, strategies, polling } = config;
  const { assumeGoneAfterMinutes } = orders;
  return {
    limits: { ...limits, quoteAgeMs: limits.quoteAgeMs ?? QUOTE_AGE_MS },
    ownLimits: new Map(strategies.map(({ id, limits: own = {} }) => [id, own])),
    stateAgeMs:
      limits.stateAgeMs ?? Math.max(STATE_AGE_MS, 3 * Math.max(polling.accountMs, polling.restingMs)),
    contracts: contractsOf(config),
    confirmsBalance: true,
    collarBps: orders.collarBps,
    deadlineMs: orders.deadlineSeconds * 1000,
    costOf: (notional) => buyCost(cash(notional)).total,
    ...(assumeGoneAfterMinutes === undefined
      ? {}
      : { assumeGoneAfterMs: assumeGoneAfterMinutes * MINUTE_MS }),
  };
}
