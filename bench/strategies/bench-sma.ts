import { defineStrategy, interval, sma, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Averages that differ by less count as equal, regardless of the order of summation. */
const SAME = 1e-9;
const SHARES = 10;

/**
 * Half of the benchmark of the backtester, simple enough for other tools to reproduce: ten shares while the average of ten
 * closes is above that of thirty. Not for trading: it pays more in fees than it makes.
 */
export default defineStrategy({
  name: 'bench-sma',
  description: 'A benchmark: holds ten shares while the average of 10 bars is above that of 30.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to trade.'),
    interval: interval().default('1m').describe('Length of a bar.'),
  }),
  data: ({ symbol, interval }) => ({ bars: [{ symbol, interval }] }),
  create({ params: { symbol } }) {
    const fast = sma(10);
    const slow = sma(30);
    return {
      onBar({ bar, view, order }) {
        const spread = fast.next(bar.close) - slow.next(bar.close);
        if (spread > SAME) {
          if (view.position(symbol) === 0) order.buy(symbol, { shares: SHARES });
        } else if (spread < -SAME && view.position(symbol) > 0) order.sell(symbol, { shares: SHARES });
      },
    };
  },
});
