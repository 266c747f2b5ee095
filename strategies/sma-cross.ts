import { defineStrategy, interval, sma, ticker } from 'drover/strategy';
import { z } from 'zod';

/**
 * Follows a trend: in the stock while its recent average price is above its longer one, in cash otherwise. For a person
 * who would rather miss the turn than sit through a long fall, and accepts small losses while the price goes sideways.
 *
 * Averages that do not exist yet decide nothing. Shares held from before are treated as if the strategy had bought
 * them. An order that came to nothing is wished for again with the next bar.
 */
export default defineStrategy({
  name: 'sma-cross',
  description: 'Holds the stock while the fast average is above the slow one.',
  params: z
    .strictObject({
      symbol: ticker().describe('The stock to trade.'),
      fast: z.int().min(1).default(10).describe('Bars in the fast average.'),
      slow: z.int().min(2).default(30).describe('Bars in the slow average; more than in the fast one.'),
      interval: interval().default('1d').describe('Length of a bar.'),
      weight: z.number().gt(0).lte(1).default(1).describe('Share of the equity to hold: 0.5 is half of it.'),
    })
    .refine(({ fast, slow }) => fast < slow, { path: ['slow'], error: 'slow must be more than fast' }),
  data: ({ symbol, interval, slow }) => ({ bars: [{ symbol, interval, warmUp: slow }] }),
  create({ params: { symbol, weight, ...lengths } }) {
    const fast = sma(lengths.fast);
    const slow = sma(lengths.slow);
    return {
      onBar({ bar, view, order, plot }) {
        const [fastAverage, slowAverage] = [fast.next(bar.close), slow.next(bar.close)];
        plot('fast average', fastAverage, { symbol });
        plot('slow average', slowAverage, { symbol });
        const spread = fastAverage - slowAverage;
        if (Number.isNaN(spread)) return;
        const above = spread > 0;
        const held = view.position(symbol) > 0;
        const involved = held || view.orders(symbol).length > 0;
        if (above && !held) order.target(symbol, { weight }, 'the fast average is above the slow one');
        if (!above && involved)
          order.target(symbol, { weight: 0 }, 'the fast average is not above the slow one');
      },
    };
  },
});
