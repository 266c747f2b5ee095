import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';

/** Places one bracket in its life, whatever its outcome. */
export default defineStrategy({
  name: 'one-bracket',
  description: 'Places one bracket, once.',
  params: z.strictObject({
    symbol: z.string(),
    notional: z.string(),
    takeProfit: z.string(),
    stopLoss: z.string(),
  }),
  data: ({ symbol }) => ({ quotes: [symbol] }),
  create: ({ params: { symbol, notional, takeProfit, stopLoss }, state }) => ({
    onQuote({ view, order }) {
      if (state['placed'] === true || view.session === null) return;
      state['placed'] = true;
      order.bracket(symbol, { entry: { notional }, takeProfit, stopLoss }, 'the only one');
    },
  }),
});
