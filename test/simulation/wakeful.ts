import { defineStrategy, type HookContext } from 'drover/strategy';
import { z } from 'zod';
import { chanceOf } from '../../src/core/seededRandom.ts';

const PHASES = ['pre', 'regular', 'post', 'overnight'] as const;
/** Times of the session at which it buys fractions, and of the night. */
const BY_DAY = ['close-90m', 'close-50m', 'close-10m', 'open+20m', 'open+150m'];
const BY_NIGHT = (
  '16:05 16:40 17:20 18:20 19:20 19:58 20:05 20:40 21:20 23:20 ' +
  '01:20 02:50 03:58 04:05 05:20 07:20 08:50 09:28'
).split(' ');
/** Times shortly before the end of a phase, at which exits move so near that they are still selling then. */
const LATE = /^(19|03):58|09:28$/;
/** mUSD below which a holding is bought, and shares of its turns in which it cancels, and in which it sells by itself. */
const LITTLE = 700;
const [CANCELS, SELLS] = [0.1, 0.15];

type Given = Readonly<{
  order: HookContext['order'];
  symbol: string;
  price: number;
  roll: (what: string) => number;
}>;

/** Protects what is held by a stop that a small fall touches, in all phases. */
function protect({ order, symbol, price, roll }: Given): void {
  const phases = [...PHASES];
  if (roll('trail') < 0.3)
    order.trail(symbol, { all: true, by: { percent: 0.05 + 0.3 * roll('by') }, phases });
  else order.stop(symbol, { all: true, stop: price * (1 - 0.002 * roll('far') ** 3), phases });
}

/** Buys for the night: at once, or by an order that is placed again in each phase. */
function buy({ order, symbol, price, roll }: Given): void {
  if (roll('how') < 0.7)
    order.buy(symbol, { notional: (600 + 900 * roll('size')).toFixed(2), outside: 'limit' });
  else
    order.limit(symbol, {
      side: 'buy',
      shares: Math.max(1, Math.floor(1_100 / price)),
      price: price * (0.998 + 0.0018 * roll('far')),
      goodTill: 'cancelled',
    });
}

/** Trades around the clock: what it holds has an exit of all phases. Its choice at a time depends only on its salt and that time. */
export default defineStrategy({
  name: 'wakeful',
  description: 'Buys by day and night, and protects what it holds in every phase.',
  params: z.strictObject({ salt: z.string(), symbols: z.array(z.string()) }),
  data: ({ symbols }) => ({
    quotes: symbols,
    timers: [...BY_DAY, ...BY_NIGHT].map((at) => ({ name: at, at })),
  }),
  create: ({ params: { salt, symbols } }) => ({
    onTimer({ view, order, timer }) {
      for (const symbol of symbols) {
        const roll = (what: string) => chanceOf(`${salt} ${view.now} ${timer} ${symbol} ${what}`);
        const [price, held] = [view.price(symbol), view.position(symbol)];
        if (price === null) continue;
        const given = { order, symbol, price, roll };
        const open = view.orders(symbol);
        const isOpen = open.length > 0;
        const exit = open.find(({ leg, status }) => leg === null && status === 'armed');
        if (exit && LATE.test(timer)) order.adjust(exit.id, { stop: price * (1 - 0.0002 * roll('late')) });
        else if (roll('cancel') < CANCELS) order.cancel({ symbol });
        else if (!isOpen && view.session && held * price < LITTLE)
          order.buy(symbol, { notional: (1_200 + 900 * roll('size')).toFixed(2) });
        else if (!isOpen && held * price < LITTLE) buy(given);
        else if (!isOpen && roll('sell') < SELLS) order.sell(symbol, { all: true, outside: 'limit' });
        else if (!isOpen) protect(given);
      }
    },
  }),
});
