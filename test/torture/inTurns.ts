import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';

/** Most orders at a time. */
const LIVE_MAX = 4;

/** Buys, sells, rests, holds and cancels in turns, at each quote of its stock. No two orders are alike. */
export default defineStrategy({
  name: 'in-turns',
  description: 'Places orders of every kind in turns.',
  params: z.strictObject({ symbol: z.string() }),
  data: ({ symbol }) => ({ quotes: [symbol] }),
  create: ({ params: { symbol }, state }) => ({
    onQuote({ view, order, price }) {
      if (view.session === null) return;
      const turn = typeof state['turn'] === 'number' ? state['turn'] : 0;
      state['turn'] = turn + 1;
      const isFull = view.orders(symbol).length >= LIVE_MAX;
      if (turn % 5 === 4 || isFull) order.cancel({ symbol });
      else if (turn % 5 === 0) order.buy(symbol, { notional: (60 + turn / 100).toFixed(2) });
      else if (turn % 5 === 1)
        order.bracket(symbol, {
          entry: { notional: (40 + turn / 100).toFixed(2) },
          takeProfit: { percent: 0.05 },
          stopLoss: { percent: 0.05 },
        });
      else if (turn % 5 === 2)
        order.limit(symbol, { side: 'buy', price: price * 0.998, shares: 0.2 + turn / 10_000 });
      else if (view.position(symbol) > 0.1) order.sell(symbol, { shares: view.position(symbol) / 4 });
    },
  }),
});
