import { epochMs } from '../../../src/core/brand.ts';
import type { QuotePhase } from '../../../src/domain/instrument.ts';
import type { TradeRules } from '../../../src/domain/limits.ts';
import { MINUTE, Stage, type StageOptions } from '../stage.ts';

/** An instant of June 2026, whose 15th is a Monday: `15T20:30`, in UTC, four hours ahead of New York. */
export const june = (time: string): number => Date.parse(`2026-06-${time}Z`);

export const ALL: readonly QuotePhase[] = ['pre', 'regular', 'post', 'overnight'];

export const trading = (phases: readonly QuotePhase[] = ALL, more: Partial<TradeRules> = {}): TradeRules => ({
  run: new Set(phases),
  strategies: new Map(),
  stocks: new Map(),
  ...more,
});

/** A stage that trades all phases, whose AAPL trades at night in whole shares. */
export function nightStage({ rules = {}, ...options }: StageOptions): Stage {
  const stage = new Stage({
    start: june('15T19:50'),
    rules: { trade: trading(), ...rules },
    ...options,
  });
  if (!options.after) stage.venue.told.set('AAPL', { overnightTradable: true });
  return stage;
}

export const until = async (stage: Stage, time: string): Promise<Stage> =>
  stage.pass(june(time) - stage.clock.now());

/** Orders so far: side, type, shares, limit and state. */
export const ordersOf = (stage: Stage): string[] =>
  stage.orders.map(({ terms, state }) => {
    const shares = Number('quantity' in terms ? (terms.quantity ?? 0n) : 0n) / 1e18;
    const at = terms.type === 'limit' ? ` at ${Number(terms.price) / 1e18}` : '';
    return `${terms.side} ${terms.type} ${shares}${at} ${state.kind === 'closed' ? state.how : state.kind}`;
  });

export { MINUTE, epochMs };
