import { defineStrategy, interval, ticker } from 'drover/strategy';
import { z } from 'zod';

const LENGTH = 14;
const LOW = 30;
const HIGH = 70;
const DISCOUNT = 0.99;
const SHARES = 10;

/**
 * Half of the benchmark of the backtester, kept as simple as other tools can do it too: when the RSI is low, a limit buy of
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
    const next = wilderRsi();
    const isDaily = interval === '1d';
    return {
      onBar({ bar, view, order }) {
        const rsi = next(bar.close);
        if (rsi < LOW) {
          const isLast = view.session === null;
          if (view.position(symbol) > 0 || view.orders(symbol).length > 0 || (isLast && !isDaily)) return;
          order.limit(symbol, { side: 'buy', shares: SHARES, price: DISCOUNT * bar.close });
        } else if (rsi > HIGH && view.position(symbol) > 0 && view.orders(symbol).length === 0)
          order.sell(symbol, { shares: SHARES });
      },
    };
  },
});

/** Wilder's RSI, seeded with the mean of the first changes. NaN until there are so many. */
function wilderRsi(): (close: number) => number {
  let [last, changes, up, down] = [NaN, 0, 0, 0];
  return (close) => {
    const change = close - last;
    last = close;
    if (Number.isNaN(change)) return NaN;
    changes++;
    const [gain, loss] = [Math.max(change, 0), Math.max(-change, 0)];
    const kept = changes <= LENGTH ? changes - 1 : LENGTH - 1;
    up = (up * kept + gain) / (kept + 1);
    down = (down * kept + loss) / (kept + 1);
    if (changes < LENGTH) return NaN;
    return down === 0 ? 100 : 100 - 100 / (1 + up / down);
  };
}
