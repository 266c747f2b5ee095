import { existsSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import type { Cash } from '../../core/amount.ts';
import { cash } from '../../core/amount.ts';
import type { TradingRules } from '../../engine/desk.ts';
import type { StrategySetup } from '../../engine/host.ts';
import { buyCost } from '../../sim/fees.ts';
import { validateParams } from '../config/params.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { loadStrategy } from '../loadStrategy.ts';

export type PlannedStrategy = StrategySetup & Readonly<{ capital: Cash }>;

const MINUTE_MS = 60_000;

/**
 * Loads the strategies of a config and checks their parameters.
 * @throws {ConfigError} with the place in the strategy or in the config
 */
export async function planStrategies(loaded: LoadedConfig): Promise<PlannedStrategy[]> {
  const planned: PlannedStrategy[] = [];
  for (const [index, { id, use, capital }] of loaded.config.strategies.entries()) {
    const { definition, locate } = await loadStrategy(use, loaded.folder);
    const params: unknown = validateParams(loaded, index, definition.params);
    const explain = (thrown: unknown) => {
      const place = locate(thrown);
      return place ? `${place.file}:${place.line}:${place.column}: ${messageOf(thrown)}` : messageOf(thrown);
    };
    planned.push({ id, definition, params, capital, explain });
  }
  return planned;
}

/** The rules that a config sets for every order. */
export function rulesOf({ limits, orders, strategies }: RunConfig): TradingRules {
  const { assumeGoneAfterMinutes } = orders;
  return {
    limits,
    ownLimits: new Map(strategies.map(({ id, limits: own = {} }) => [id, own])),
    collarBps: orders.collarBps,
    deadlineMs: orders.deadlineSeconds * 1000,
    costOf: (notional) => buyCost(cash(notional)).total,
    ...(assumeGoneAfterMinutes === undefined
      ? {}
      : { assumeGoneAfterMs: assumeGoneAfterMinutes * MINUTE_MS }),
  };
}

/** Whether the file that stops all sends is there. Looked at before every send. */
export const killSwitch = (file: string) => (): boolean => existsSync(file);
