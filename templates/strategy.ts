import { defineStrategy, sma, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Holds a stock while its price is above its average, and cash otherwise. An example: it is no way to get rich. */
export default defineStrategy({
  name: 'above-average',
  description: 'Holds the stock while its price is above its average.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to trade.'),
    length: z.int().min(2).default(12).describe('Bars of five minutes in the average.'),
    weight: z.number().gt(0).lte(1).default(0.9).describe('Share of its money to hold in the stock.'),
  }),
  data: ({ symbol, length }) => ({ bars: [{ symbol, interval: '5m', warmUp: length }] }),
  create({ params: { symbol, length, weight } }) {
    const average = sma(length);
    return {
      onBar({ bar, view, order }) {
        const level = average.next(bar.close);
        // An order that is under way decides nothing twice; an average that does not exist yet decides nothing at all.
        if (Number.isNaN(level) || view.orders(symbol).length > 0) return;
        const holds = view.position(symbol) > 0;
        if (bar.close > level && !holds) order.target(symbol, { weight }, 'rose above its average');
        if (bar.close < level && holds) order.target(symbol, { weight: 0 }, 'fell below its average');
      },
    };
  },
});
