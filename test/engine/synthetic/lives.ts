import { parseCash } from '../../../src/core/amount.ts';
import type { HookContext, StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { part } from './play.ts';

type Step = (stage: Stage) => void;
type Orders = HookContext['order'];

/** Life of a held order: the requests of its strategy, and what happens to it, one step per minute. */
export type Life = Readonly<{
  options: StageOptions;
  steps: readonly Step[];
  /** Final orders without a kill, as `market 4 filled`. */
  ends: Readonly<{ buys: readonly string[]; sells: readonly string[] }>;
}>;

const rules = { assumeGoneAfterMs: 3 * MINUTE };
const ROUND_MS = 10 * SECOND;
const ROUNDS_A_STEP = 6;

/** Options of a strategy that acts once, however often it is restarted. */
const once = (build: (first: (name: string, act: () => void) => void) => StrategyHooks): StageOptions => ({
  build: {
    solo: (state: StrategyState) =>
      build((name, act) => {
        if (state[name] !== true) act();
        state[name] = true;
      }),
  },
  rules,
});

const placing = (place: (order: Orders) => void): StageOptions =>
  once((first) => ({ onStart: ({ order }) => first('placed', () => place(order)) }));

/** Buys 10 AAPL at the start, and protects the fill. */
const protecting = (protect: (order: Orders) => void): StageOptions =>
  once((first) => ({
    onStart: ({ order }) => first('bought', () => order.buy('AAPL', { shares: 10 })),
    onFill: ({ order, fill }) => {
      if (fill.side === 'buy') first('protected', () => protect(order));
    },
  }));

const to =
  (price: string): Step =>
  ({ venue }) =>
    void venue.prices.set('AAPL', parseCash(price));

/** Ends the resting order of a side, partly filled, which the venue shows only then. Without `part` it fills completely. */
const ends =
  (side: 'buy' | 'sell', filled?: string): Step =>
  ({ venue }) => {
    const row = venue.rows.findLast(({ order, status }) => order.side === side && status === 'open');
    if (!row) return;
    if (filled === undefined) venue.fill(row);
    else venue.fill(row, 'cancelled', part(filled));
  };

/** Fills the oldest resting sell. */
const sellsFirst: Step = ({ venue }) => {
  const row = venue.rows.find(({ order, status }) => order.side === 'sell' && status === 'open');
  if (row) venue.fill(row);
};

const idle: Step = () => undefined;

const bracket = (order: Orders) =>
  order.bracket('AAPL', { entry: { shares: 10, limit: 99 }, takeProfit: 110, stopLoss: 95 });
const twoTakeProfits = (entry: Readonly<{ limit: number } | { stop: number }>) => (order: Orders) =>
  order.bracket('AAPL', {
    entry: { shares: 10, ...entry },
    takeProfit: [
      { price: 110, share: 0.4 },
      { price: 115, share: 0.6 },
    ],
    stopLoss: 95,
  });
const oco = (order: Orders) => order.oco('AAPL', { limit: { shares: 10, price: 110 }, stop: { stop: 95 } });

export const LIVES: Readonly<Record<string, Life>> = {
  'a bracket whose stop is touched after parts of its entry and its take-profit': {
    options: placing(bracket),
    steps: [ends('buy', '6'), to('100'), ends('sell', '2'), to('94'), idle],
    ends: {
      buys: ['limit 10 cancelled'],
      sells: ['limit 6 cancelled', 'limit 4 cancelled', 'market 4 filled'],
    },
  },
  'a bracket whose take-profit fills whole, before its stop is touched': {
    options: placing(bracket),
    steps: [ends('buy'), to('110'), ends('sell'), to('94'), idle],
    ends: { buys: ['limit 10 filled'], sells: ['limit 10 filled'] },
  },
  'a bracket that enters by a stop, and sells a part at its first take-profit': {
    options: placing(twoTakeProfits({ stop: 102 })),
    steps: [to('101'), to('103'), ends('buy'), sellsFirst, to('94'), idle],
    ends: {
      buys: ['limit 10 filled'],
      sells: ['limit 4 filled', 'limit 6 cancelled', 'market 6 filled'],
    },
  },
  'a bracket whose second take-profit sells a part, before its stop is touched': {
    options: placing(twoTakeProfits({ limit: 99 })),
    steps: [ends('buy'), ends('sell', '2'), to('94'), idle],
    ends: {
      buys: ['limit 10 filled'],
      sells: ['limit 4 cancelled', 'limit 6 cancelled', 'limit 4 cancelled', 'market 8 filled'],
    },
  },
  'a bracket whose two take-profits fill': {
    options: placing(twoTakeProfits({ limit: 99 })),
    steps: [ends('buy'), sellsFirst, sellsFirst, to('94'), idle],
    ends: { buys: ['limit 10 filled'], sells: ['limit 4 filled', 'limit 6 filled'] },
  },
  'one cancels the other: a part at the limit, the rest at the stop': {
    options: protecting(oco),
    steps: [ends('buy'), ends('sell', '3'), to('94'), idle],
    ends: {
      buys: ['limit 10 filled'],
      sells: ['limit 10 cancelled', 'limit 7 cancelled', 'market 7 filled'],
    },
  },
  'one cancels the other: the limit fills whole, before the stop is touched': {
    options: protecting(oco),
    steps: [ends('buy'), ends('sell'), to('94'), idle],
    ends: { buys: ['limit 10 filled'], sells: ['limit 10 filled'] },
  },
  'a trailing stop that rises, and is touched': {
    options: protecting((order) => order.trail('AAPL', { shares: 10, by: { percent: 5 } })),
    steps: [ends('buy'), to('104'), to('102'), to('98'), idle],
    ends: { buys: ['limit 10 filled'], sells: ['market 10 filled'] },
  },
};

/** Working orders of 6 shares. */
export const WORKED: Readonly<Record<string, StageOptions>> = {
  'a twap of four slices': placing((order) =>
    order.work('AAPL', {
      side: 'buy',
      shares: 6,
      style: 'twap',
      over: { minutes: 8 },
      every: { minutes: 2 },
    }),
  ),
  'a chase that is priced again': placing((order) =>
    order.work('AAPL', {
      side: 'buy',
      shares: 6,
      style: 'chase',
      over: { minutes: 8 },
      every: { seconds: 30 },
    }),
  ),
};

/** Plays the steps, a minute each, from one of them on, and fills market orders. Returns the step it has reached. */
export async function live(stage: Stage, steps: readonly Step[], from = 0): Promise<number> {
  let next = from;
  const rounds = (steps.length - from + 1) * ROUNDS_A_STEP;
  for (let round = 1; round <= rounds && stage.alive; round++) {
    await stage.pass(ROUND_MS);
    fillMarket(stage);
    if (round % ROUNDS_A_STEP === 0) steps[next++]?.(stage);
  }
  return next;
}

/** Fills open market orders. */
export function fillMarket({ venue }: Stage): void {
  for (const row of venue.rows) if (row.status === 'open' && row.order.type === 'market') venue.fill(row);
}

/** Plays a life with a kill, and the time after the restart. */
export async function lifeOf({ options, steps }: Life, dies?: StageOptions['dies']): Promise<Stage> {
  const first = await new Stage({ ...options, ...(dies ? { dies } : {}) }).play(0);
  const step = await live(first, steps);
  if (first.alive) return first;
  const next = await new Stage({ ...options, after: first }).play(0);
  await live(next, steps, step);
  return next;
}
