import { defineStrategy, type HookContext } from 'drover/strategy';
import { z } from 'zod';
import { chanceOf } from '../../src/core/seededRandom.ts';

type Roll = (what: string) => number;
type Given = Readonly<{
  order: HookContext['order'];
  symbol: string;
  price: number;
  held: number;
  roll: Roll;
}>;
type Act = (given: Given) => unknown;

/** A price some part from another, to the cent, or to a hundredth of it below 1. */
const near = (price: number, part: number): string => (price * (1 + part)).toFixed(price < 1 ? 4 : 2);
/** Percentages that a stock moves within minutes. */
const little = (roll: number) => ({ percent: 0.05 + 0.45 * roll });
const minutes = (roll: number, most: number) => ({ minutes: 1 + Math.floor(most * roll) });

/** Large relative to the volume of a cheap stock: its stop is touched, or it expires, while the entry is partly filled or unfilled. */
const large: Act = ({ order, symbol, price, roll }) =>
  order.bracket(symbol, {
    entry: {
      shares: Math.max(1, Math.floor(6_000 / price)),
      limit: near(price, 0.001 - 0.002 * roll('far')),
    },
    takeProfit: { percent: 0.3 },
    stopLoss: near(price, -0.0015 - 0.002 * roll('loss')),
    expires: minutes(roll('life'), 6),
  });

/** Enters by a stop that a rise within minutes touches, and sells in two parts. */
const breakout: Act = ({ order, symbol, price, roll }) => {
  const share = 0.3 + 0.4 * roll('share');
  const percent = 0.03 + 0.12 * roll('profit');
  order.bracket(symbol, {
    entry: {
      shares: Math.max(1, Math.floor(2_000 / price)),
      stop: near(price, 0.0003 + 0.001 * roll('far')),
    },
    takeProfit: [
      { percent, share },
      { percent: percent + 0.02 + 0.06 * roll('second'), share: 1 - share },
    ],
    stopLoss: little(0.3 + 0.7 * roll('loss')),
    expires: minutes(roll('life'), 40),
  });
};

/** Orders placed while nothing is held. */
const entries: readonly Act[] = [
  ({ order, symbol, roll }) =>
    order.bracket(symbol, {
      entry: { notional: (500 + 1_500 * roll('size')).toFixed(2) },
      takeProfit: little(roll('profit')),
      stopLoss: little(roll('loss')),
    }),
  ({ order, symbol, roll }) =>
    order.bracket(symbol, {
      entry: { notional: '900' },
      takeProfit: { percent: 0.6 },
      stopLoss: { trail: little(roll('loss')) },
      exitAfter: minutes(roll('after'), 25),
    }),
  large,
  breakout,
  ({ order, symbol, price, roll }) =>
    order.stop(symbol, {
      side: 'buy',
      shares: 2,
      stop: near(price, 0.0005 + 0.002 * roll('far')),
      expires: minutes(roll('life'), 30),
    }),
  ({ order, symbol, roll }) =>
    order.work(symbol, {
      side: 'buy',
      notional: '1500',
      style: 'twap',
      over: { minutes: 5 + 15 * roll('over') },
    }),
  ({ order, symbol, price, roll }) =>
    order.work(symbol, {
      side: 'buy',
      shares: Math.max(1, Math.floor(3_000 / price)),
      style: 'chase',
      over: { minutes: 3 + 10 * roll('over') },
      limit: near(price, 0.001),
      every: { seconds: 20 },
    }),
  ({ order, symbol }) => order.buy(symbol, { notional: '1200' }),
  ({ order, symbol, price, roll }) =>
    order.limit(symbol, {
      side: 'buy',
      shares: 3,
      price: near(price, -0.004),
      expires: minutes(roll('life'), 10),
    }),
];

/** Orders placed while something is held: where another exit protects it already, it is refused. */
const exits: readonly Act[] = [
  ({ order, symbol, price, roll }) =>
    order.stop(symbol, { all: true, stop: near(price, -0.0005 - 0.003 * roll('far')) }),
  ({ order, symbol, price, held, roll }) =>
    order.stop(symbol, {
      shares: held / 2,
      stop: near(price, -0.0005 - 0.002 * roll('far')),
      limit: near(price, -0.006),
      expires: minutes(roll('life'), 20),
    }),
  ({ order, symbol, roll }) => order.trail(symbol, { all: true, by: little(roll('far')) }),
  ({ order, symbol, held, roll }) => order.trail(symbol, { shares: held * 0.7, by: little(roll('far')) }),
  ({ order, symbol, price, roll }) =>
    order.oco(symbol, {
      limit: { all: true, price: near(price, 0.0005 + 0.002 * roll('profit')) },
      stop: { stop: near(price, -0.0005 - 0.002 * roll('loss')) },
    }),
  ({ order, symbol, held, roll }) =>
    order.work(symbol, {
      side: 'sell',
      shares: held / 2,
      style: roll('style') < 0.5 ? 'twap' : 'chase',
      over: { minutes: 3 + 10 * roll('over') },
    }),
  ({ order, symbol }) => order.sell(symbol, { all: true }),
];

/** Price below which an order of its size is large relative to the volume. */
const CHEAP = 30;
/** Shares of its turns in which it cancels what it has of a stock, and in which it moves an exit of it. */
const [CANCELS, MOVES] = [0.08, 0.15];
/** Largest number of orders of a stock at which it places another. */
const OPEN_MAX = 2;

/** Places orders that the runner holds, at random: its choice at a time depends only on its salt and that time. */
export default defineStrategy({
  name: 'guarded',
  description: 'Buys with brackets and in slices, and protects what it holds.',
  params: z.strictObject({ salt: z.string(), symbols: z.array(z.string()), everyMinutes: z.int() }),
  data: ({ symbols, everyMinutes }) => ({
    quotes: symbols,
    timers: Array.from({ length: Math.floor(380 / everyMinutes) }, (_, index) => {
      const at = `open+${2 + index * everyMinutes}m`;
      return { name: at, at };
    }),
  }),
  create: ({ params: { salt, symbols } }) => ({
    onTimer({ view, order, timer }) {
      for (const symbol of symbols) {
        const roll = (what: string) =>
          chanceOf(`${salt} ${view.session?.date ?? ''} ${timer} ${symbol} ${what}`);
        const price = view.price(symbol);
        if (price === null) continue;
        const open = view.orders(symbol);
        const exit = open.find(({ leg, status }) => leg === null && status === 'armed');
        if (roll('cancel') < CANCELS) order.cancel({ symbol });
        else if (exit && roll('move') < MOVES) moveOne(order, exit.id, { price, roll });
        else if (open.length < OPEN_MAX)
          placeOne({ order, symbol, price, held: view.position(symbol), roll });
      }
    },
  }),
});

/** Moves an exit, nearer or further away: what it lacks, and a trailing stop that would fall, is refused. */
function moveOne(order: Given['order'], id: string, { price, roll }: Pick<Given, 'price' | 'roll'>): void {
  if (roll('what') < 0.6) order.adjust(id, { stop: near(price, -0.0005 - 0.002 * roll('stop')) });
  else if (roll('what') < 0.8) order.adjust(id, { takeProfit: near(price, 0.0005 + 0.002 * roll('profit')) });
  else order.adjust(id, { secondTakeProfit: near(price, 0.003 + 0.002 * roll('profit')) });
}

function placeOne(given: Given): void {
  const isCheap = given.price < CHEAP && given.roll('large') < 0.6;
  const acts = given.held * given.price > 5 ? exits : isCheap ? [large] : entries;
  try {
    acts[Math.floor(given.roll('act') * acts.length)]?.(given);
  } catch {
    // Refused: another exit protects the same shares.
  }
}
