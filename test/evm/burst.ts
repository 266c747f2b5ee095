import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';

const MINUTE_MS = 60_000;

/** Orders three stocks at one quote, again and again; rests a limit far below the market and cancels it the next time. */
export default defineStrategy({
  name: 'burst',
  description: 'Sends several orders at once.',
  params: z.strictObject({
    bought: z.array(z.string()).min(1),
    rested: z.string(),
    everyMinutes: z.number().positive(),
    bursts: z.int().positive(),
  }),
  data: ({ bought, rested }) => ({ quotes: [...bought, rested] }),
  create: ({ params: { bought, rested, everyMinutes, bursts }, state }) => ({
    onQuote({ view, order, symbol, price }) {
      const last = typeof state['last'] === 'number' ? state['last'] : 0;
      const done = typeof state['done'] === 'number' ? state['done'] : 0;
      if (symbol !== rested || view.session === null || done >= bursts) return;
      if (view.now - last < everyMinutes * MINUTE_MS) return;
      for (const each of bought) order.buy(each, { notional: 20 + done });
      if (view.orders(rested).length > 0) order.cancel({ symbol: rested });
      else order.limit(rested, { side: 'buy', shares: 1, price: Math.floor(price * 70) / 100 });
      state['last'] = view.now;
      state['done'] = done + 1;
    },
  }),
});
