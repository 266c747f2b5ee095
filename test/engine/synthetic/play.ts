import { expect } from 'vitest';
import { formatDecimal, parseCash, shares, type Shares } from '../../../src/core/amount.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

type Protect = (order: HookContext['order'], view: HookContext['view']) => void;

/** Buys 10 AAPL (at 100.5) at the start, and places an exit once it has filled. */
export const holding = (protect: Protect, more: StrategyHooks = {}): StrategyHooks => ({
  ...more,
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0 && view.orders().length === 0) order.buy('AAPL', { shares: 10 });
  },
  onFill: ({ order, view, fill }) => {
    if (fill.side === 'buy' && view.orders().every(({ side }) => side === 'buy')) protect(order, view);
  },
});

/** A stage whose strategy holds 10 AAPL with an exit. */
export async function held(
  protect: Protect,
  more: StrategyHooks = {},
  options: StageOptions = {},
): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: holding(protect, more) }, ...options }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  return stage.pass(MINUTE);
}

/** A stage whose strategy places a bracket at its start. */
export const bracketed = (
  terms: Parameters<HookContext['order']['bracket']>[1],
  options: StageOptions = {},
): Promise<Stage> => new Stage({ hooks: { solo: bracketing(terms) }, ...options }).play(MINUTE);

export const bracketing = (terms: Parameters<HookContext['order']['bracket']>[1]): StrategyHooks => ({
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0 && view.orders().length === 0) order.bracket('AAPL', terms);
  },
});

/** Moves the price of AAPL, and lets half a minute pass. */
export const price = (stage: Stage, to: string, ms = 30 * SECOND): Promise<Stage> => {
  stage.venue.prices.set('AAPL', parseCash(to));
  return stage.pass(ms);
};

export const part = (of: string): Shares => shares(parseCash(of));

/** Sells so far: type, shares and state. */
export const sells = (stage: Stage): string[] => ordersOf(stage, 'sell');
export const buys = (stage: Stage): string[] => ordersOf(stage, 'buy');

const ordersOf = (stage: Stage, side: 'buy' | 'sell'): string[] =>
  stage.orders
    .filter(({ terms }) => terms.side === side)
    .map(({ terms, state }) =>
      [
        terms.type,
        'quantity' in terms && terms.quantity ? formatDecimal(terms.quantity) : '',
        state.kind === 'closed' ? state.how : state.kind,
      ].join(' '),
    );

export const syntheticsOf = (stage: Stage) => [
  ...stage.runner.kernel.context.accountState.synthetics.live.values(),
];

/** Number of orders that the runner holds. */
export const armed = (stage: Stage): number => syntheticsOf(stage).length;

export const heldShares = (stage: Stage): string =>
  formatDecimal(stage.runner.kernel.context.accountState.ledger.held('solo', 'AAPL' as never));

/** A resting sell of 10 whose cancel comes late sells 4; the other 6 leave only then. `left`: shares held at the end. */
export async function expectRestSold(stage: Stage, left: string): Promise<void> {
  expect(sells(stage)).toEqual(['limit 10 working']);
  stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 6 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect([armed(stage), heldShares(stage)]).toEqual([0, left]);
}

/** Replays the journal of a stage with the strategies of `options`; null when nothing differs. */
export function partingOf(stage: Stage, options: StageOptions) {
  const { calendar, rules, strategies } = new Stage(options).options;
  const entries = [...memoryJournal(stage.lines).entries()];
  return replay(entries, () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }))
    .parting;
}
