import { defineStrategy, remember, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Buys once, and lets the bot sell at a loss of some percent. */
export default defineStrategy({
  name: 'protect',
  description: 'Buys a stock once and sells it when it falls.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to buy.'),
    lossPercent: z.number().gt(0).lt(100).default(5).describe('Loss at which to sell, in percent.'),
  }),
  data: ({ symbol }) => ({ quotes: [symbol] }),
  create({ params: { symbol, lossPercent }, state }) {
    const memory = remember(state, z.object({ bought: z.boolean().default(false) }));
    return {
      onQuote({ order }) {
        if (memory.bought) return;
        memory.bought = true;
        const terms = { entry: { notional: 1000 }, stopLoss: { percent: lossPercent } };
        order.bracket(symbol, terms, 'bought with a stop');
      },
    };
  },
});
