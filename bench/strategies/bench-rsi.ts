import { defineStrategy, interval, rsi, ticker } from 'drover/strategy';
import { z } from 'zod';

const LENGTH = 14;
const LOW = 30;
const HIGH = 70;
const DISCOUNT = 0.99;
const SHARES = 10;

/**
 * Half of the benchmark of the backtester, simple enough for other tools to reproduce: when the RSI is low, a limit buy of
 * ten shares one percent down, for the day; when it is high, they are sold. Not for trading.
 *
 * A decision on the last minute of a session comes too late for a limit order of that day, and places none; one on a daily
 * bar is for the next.
 */
export default defineStrategy({
  name: 'bench-rsi',
  description: 'A benchmark: ten shares by a limit order when the RSI is low, sold when it is high.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to trade.'),
    interval: interval().default('1m').describe('Length of a bar.'),
  }),
  data: ({ symbol, interval }) => ({ bars: [{ symbol, interval }] }),
  create({ params: { symbol, interval } }) {
    const strength = rsi(LENGTH);
    const isDaily = interval === '1d';
    return {
      onBar({ bar, view, order }) {
        const value = strength.next(bar.close);
        if (value < LOW) {
          const isLast = view.session === null;
          if (view.position(symbol) > 0 || view.orders(symbol).length > 0 || (isLast && !isDaily)) return;
          order.limit(symbol, { side: 'buy', shares: SHARES, price: DISCOUNT * bar.close });
        } else if (value > HIGH && view.position(symbol) > 0 && view.orders(symbol).length === 0)
          order.sell(symbol, { shares: SHARES });
      },
    };
  },
});
