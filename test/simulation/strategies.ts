import { z } from 'zod';
import { parseCash, type Cash } from '../../src/core/amount.ts';
import { chanceOf } from '../../src/core/seededRandom.ts';
import type { StrategySetup } from '../../src/engine/strategy/strategyInstance.ts';
import { inProcess } from '../../src/engine/strategy/strategyRuntime.ts';
import { defineStrategy, type HookContext, type StrategyDefinition } from '../../src/strategy/index.ts';
import dca from '../../strategies/dca.ts';
import limitLadder from '../../strategies/limit-ladder.ts';
import rebalance from '../../strategies/rebalance.ts';
import smaCross from '../../strategies/sma-cross.ts';
import guarded from './guarded.ts';
import insistent from './insistent.ts';
import wakeful from './wakeful.ts';

/** Shares below which no order is worthwhile. */
const DUST = 1e-6;
/** Cheap stocks, so that an order for little money is one for many shares. */
const SLOW = 'PLUG';

type Given = Readonly<{
  view: HookContext['view'];
  order: HookContext['order'];
  symbol: string;
  price: number;
  held: number;
}>;
type Act = (given: Given, roll: (what: string) => number) => unknown;

const acts: readonly Act[] = [
  ({ order, symbol }, roll) => void order.buy(symbol, { notional: (200 + 1_500 * roll('size')).toFixed(2) }),
  ({ order, symbol }, roll) => void order.buy(symbol, { shares: 1 + Math.floor(4 * roll('size')) }),
  ({ order, symbol, held }, roll) =>
    held > DUST && order.sell(symbol, { shares: held * (0.1 + 0.9 * roll('part')) }),
  ({ order, symbol }) => void order.sell(symbol, { all: true }),
  ({ order, symbol, price }, roll) =>
    void order.limit(symbol, { side: 'buy', shares: 3, price: price * (0.997 + 0.0035 * roll('far')) }),
  ({ order, symbol, price, held }, roll) =>
    held > DUST &&
    order.limit(symbol, {
      side: 'sell',
      shares: held / 2,
      price: price * (0.9995 + 0.004 * roll('far')),
      goodTill: roll('till') < 0.5 ? 'cancelled' : 'day',
    }),
  // Takes minutes to fill, and may be cancelled as soon as it rests: in part, then.
  ({ order, view }) => {
    const price = view.price(SLOW);
    if (price !== null)
      order.limit(SLOW, { side: 'buy', shares: Math.floor(6_000 / price), price: price * 1.002 });
  },
  ({ order, symbol, price }) =>
    void order.limit(symbol, { side: 'buy', shares: 2, price: price * 0.96, goodTill: 'cancelled' }),
  ({ order, view, symbol, price }, roll) => {
    for (const { id, leg, type } of view.orders(symbol))
      if (leg === null && type === 'limit') order.replace(id, { limit: price * (0.997 + 0.006 * roll(id)) });
  },
  ({ order, symbol }, roll) => order.target(symbol, { weight: 0.4 * roll('weight') }),
  ({ order, symbol }) => order.target(symbol, { weight: 0 }),
  ({ order, symbol }) => order.cancel({ symbol }),
  ({ order }) => order.cancel({}),
];

/** The same for the night: market orders as limit orders, and exits of all phases. */
const nightActs: readonly Act[] = [
  ({ order, symbol }, roll) =>
    void order.buy(symbol, { notional: (500 + 1_500 * roll('size')).toFixed(2), outside: 'limit' }),
  ({ order, symbol }, roll) =>
    void order.buy(symbol, { shares: 1.3 + Math.floor(4 * roll('size')), outside: 'limit' }),
  ({ order, symbol, held }) => held > DUST && order.sell(symbol, { all: true, outside: 'limit' }),
  ({ order, symbol, price, held }, roll) =>
    held > DUST &&
    order.stop(symbol, {
      all: true,
      stop: price * (1.001 - 0.01 * roll('far')),
      phases: ['pre', 'regular', 'post', 'overnight'],
    }),
];

/** Times outside the session: within each phase, and around its ends. */
const NIGHT_TIMES = [
  '16:05',
  '17:30',
  '18:50',
  '19:58',
  '20:01',
  '23:00',
  '03:12',
  '03:58',
  '04:00',
  '07:15',
  '09:28',
];

/** Trades at random: its choice at a time depends only on its salt and that time. */
const fickle = defineStrategy({
  name: 'fickle',
  description: 'Wishes for one thing after the other, without an aim.',
  params: z.strictObject({
    salt: z.string(),
    symbols: z.array(z.string()),
    everyMinutes: z.int(),
    nights: z.boolean(),
  }),
  data: ({ symbols, everyMinutes, nights }) => ({
    quotes: symbols,
    timers: [
      ...Array.from({ length: Math.floor(385 / everyMinutes) }, (_, index) => {
        const at = `open+${1 + index * everyMinutes}m` as const;
        return { name: at, at };
      }),
      ...(nights ? NIGHT_TIMES : []).map((at) => ({ name: at, at })),
    ],
  }),
  create: ({ params: { salt, symbols } }) => ({
    onTimer({ view, order, timer }) {
      const roll = (what: string) => chanceOf(`${salt} ${view.session?.date ?? ''} ${timer} ${what}`);
      const symbol = symbols[Math.floor(roll('symbol') * symbols.length)] ?? 'AAPL';
      const price = view.price(symbol);
      if (price === null) return;
      const held = view.position(symbol);
      const all = view.session ? acts : [...acts, ...nightActs, ...nightActs];
      all[Math.floor(roll('act') * all.length)]?.({ view, order, symbol, price, held }, roll);
    },
    onQuote({ plot, symbol, price }) {
      plot('price', price, { symbol });
      plot('any price', price);
    },
    onOrder({ order, update }) {
      const isSlow = update.symbol === SLOW && update.status === 'working';
      const roll = chanceOf(`${salt} ${update.id}`);
      if (isSlow && roll < 0.4) order.cancel(update.id);
      else if (isSlow && roll < 0.8)
        order.replace(update.id, { shares: Math.max(1, Math.floor((update.shares ?? 1) * 2 * roll)) });
    },
  }),
});

export type Setup = StrategySetup & Readonly<{ capital: Cash }>;

function setup<P extends z.ZodType>(
  id: string,
  definition: StrategyDefinition<P>,
  { capital, ...params }: z.input<P> & { capital: string },
): Setup {
  const parsed = definition.params.parse(params);
  return {
    id,
    needs: definition.data(parsed),
    capital: parseCash(capital),
    createRuntime: inProcess(definition, parsed),
  };
}

/** A strategy that requests its position in a stock at every quote. */
export const insistentOn = (
  symbol: string,
  money: Readonly<{ capital: string; shares: number; swingMinutes?: number }>,
): Setup => setup('insistent', insistent, { ...money, symbol });

/** About fifty orders a day. Together the strategies have all of the account's 100,000. */
export const strategiesFor = (seed: number, nights = false): Setup[] => [
  setup('savings', dca, { capital: '10000', symbol: 'SPY', notional: '500', at: 'open+10m' }),
  setup('trend', smaCross, {
    capital: '20000',
    symbol: 'AAPL',
    interval: '5m',
    fast: 5,
    slow: 20,
    weight: 0.45,
  }),
  setup('ladder', limitLadder, {
    capital: '15000',
    symbol: 'NVDA',
    rungs: 3,
    stepBps: 20,
    notional: '2000',
    takeProfitBps: 30,
    requoteBps: 60,
    maxExposure: '10000',
  }),
  setup('mix', rebalance, {
    capital: nights ? '17000' : '25000',
    weights: { MSFT: 0.3, AMZN: 0.3, TSLA: 0.2 },
    band: 0.01,
    at: ['open+15m', '12:30', 'close-30m'],
  }),
  setup('fickle', fickle, {
    capital: isGuarded(seed) ? '13000' : '25000',
    nights,
    salt: `fickle ${seed}`,
    symbols: ['AAPL', nights ? 'MSFT' : 'GOOGL', 'KO', SLOW],
    everyMinutes: 7,
  }),
  insistentOn('META', { capital: '5000', shares: 4, swingMinutes: 12 }),
  ...(nights
    ? [
        setup('wakeful', wakeful, {
          capital: '8000',
          salt: `wakeful ${seed}`,
          symbols: ['QQQ', 'NVDA', 'TSLA'],
        }),
      ]
    : []),
  ...(isGuarded(seed)
    ? [
        setup('guarded', guarded, {
          capital: '12000',
          salt: `guarded ${seed}`,
          symbols: ['AAPL', 'KO', SLOW],
          everyMinutes: 5,
        }),
      ]
    : []),
];

/** True where a strategy has the runner hold orders: in every second seed. */
const isGuarded = (seed: number): boolean => seed % 2 === 1;
