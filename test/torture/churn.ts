import { defineStrategy } from 'drover/strategy';
import type { HookContext } from 'drover/strategy';
import { z } from 'zod';
import { chanceOf } from '../../src/core/seededRandom.ts';

/** Most live orders of one symbol. */
const LIVE_MAX = 3;

type Given = Pick<HookContext, 'view' | 'order'> & Readonly<{ symbol: string; price: number }>;
type Act = (given: Given, roll: (what: string) => number) => unknown;

/** An amount between 20 and 120 mUSD to the cent, so that few orders are alike. */
const cashOf = (roll: number): string => (20 + 100 * roll).toFixed(2);
const sharesOf = (cash: number, price: number): number => Math.round((cash / price) * 10_000) / 10_000;

const acts: readonly Act[] = [
  ({ order, symbol }, roll) => order.buy(symbol, { notional: cashOf(roll('size')) }),
  ({ order, symbol, price }, roll) =>
    order.buy(symbol, { shares: sharesOf(Number(cashOf(roll('size'))), price) }),
  ({ order, symbol, view }, roll) =>
    view.position(symbol) > 0.01 &&
    order.sell(symbol, { shares: view.position(symbol) * (0.1 + 0.6 * roll('part')) }),
  ({ order, symbol, price }, roll) =>
    order.limit(symbol, {
      side: 'buy',
      price: price * (0.995 + 0.006 * roll('far')),
      shares: sharesOf(Number(cashOf(roll('size'))), price),
    }),
  ({ order, symbol, price, view }, roll) =>
    view.position(symbol) > 0.1 &&
    order.limit(symbol, {
      side: 'sell',
      shares: view.position(symbol) / 3,
      price: price * (0.999 + 0.006 * roll('far')),
      goodTill: roll('till') < 0.3 ? 'cancelled' : 'day',
    }),
  ({ order, symbol }) => order.cancel({ symbol }),
  ({ order, symbol }, roll) =>
    order.bracket(symbol, {
      entry: { notional: cashOf(roll('size')) },
      takeProfit: { percent: 0.05 + 0.2 * roll('profit') },
      stopLoss: roll('kind') < 0.5 ? { percent: 0.1 } : { trail: { percent: 0.1 } },
      exitAfter: { minutes: 1 + Math.floor(10 * roll('after')) },
    }),
  ({ order, symbol, price, view }, roll) =>
    view.position(symbol) > 0.1 &&
    order.oco(symbol, {
      limit: { shares: view.position(symbol) / 3, price: (price * (1 + 0.002 * roll('profit'))).toFixed(2) },
      stop: { stop: (price * (0.9995 - 0.002 * roll('loss'))).toFixed(2) },
      expires: { minutes: 10 },
    }),
  ({ order, symbol, price }, roll) =>
    order.work(symbol, {
      side: 'buy',
      shares: sharesOf(60, price),
      style: roll('style') < 0.5 ? 'twap' : 'chase',
      over: { minutes: 2 + Math.floor(4 * roll('over')) },
    }),
];

/** Places and cancels orders as often as possible: its choice at a time depends only on its salt and that time. */
export default defineStrategy({
  name: 'churn',
  description: 'Places and cancels many small orders without an aim.',
  params: z.strictObject({ salt: z.string(), symbols: z.array(z.string()), eagerness: z.number() }),
  data: ({ symbols }) => ({ quotes: symbols }),
  create: ({ params: { salt, symbols, eagerness } }) => ({
    onQuote({ view, order, symbol, price }) {
      const roll = (what: string) => chanceOf(`${salt} ${symbol} ${view.now} ${what}`);
      if (view.session === null || !symbols.includes(symbol) || roll('act at all') > eagerness) return;
      if (view.orders(symbol).length >= LIVE_MAX) {
        order.cancel({ symbol });
        return;
      }
      try {
        acts[Math.floor(roll('act') * acts.length)]?.({ view, order, symbol, price }, roll);
      } catch {
        // Refused: another exit protects the same shares, or a price does not fit the present one.
      }
    },
    onOrder({ view, order, update }) {
      const isSoon = chanceOf(`${salt} ${update.id} ${view.now}`) < 0.25;
      if (update.status === 'working' && isSoon) order.cancel(update.id);
    },
  }),
});
