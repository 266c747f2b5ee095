import type { Cash } from '../core/amount.ts';
import { hashHex } from '../core/random.ts';
import { VERSION } from '../core/version.ts';
import type { PlannedAction } from './actions.ts';
import { spanOf, type BacktestOptions, type MarketModel } from './options.ts';
import type { PlannedStrategy } from './setup.ts';

/** Inputs that decide the outcome of a run. `data`: identity of the bars, by their hashes. */
type RunInputs = Readonly<{
  options: BacktestOptions;
  model: MarketModel;
  money: Cash;
  strategies: readonly PlannedStrategy[];
  actions: readonly PlannedAction[];
  data: readonly unknown[];
}>;

/** Hash of everything that decides the outcome: engine, code, config, data and seed. */
export function runIdOf({ options, model, money, strategies, data, actions }: RunInputs): string {
  const { limits = {}, collarBps = null, seed = 0 } = options;
  const { from, to } = spanOf(options);
  const identity = {
    engine: VERSION,
    model,
    seed,
    limits,
    collarBps,
    from: String(from),
    to: String(to),
    cash: money,
    strategies: strategies.map(({ id, params, codeHash, capital }) => ({ id, params, codeHash, capital })),
    own: (options.strategies ?? []).map(({ limits: own = {} }) => own),
    data,
    actions,
  };
  const text = JSON.stringify(identity, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hashHex(text).slice(2, 34);
}
