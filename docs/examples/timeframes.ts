import { defineStrategy, sma, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Buys a dip within a day while the trend of the days is up, and sells when either turns. */
export default defineStrategy({
  name: 'timeframes',
  description: 'Buys below the average of 5-minute bars while the last day closed above that of its days.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to trade.'),
    days: z.int().min(2).default(20).describe('Days in the average that tells the trend.'),
    bars: z.int().min(2).default(12).describe('5-minute bars in the average that tells a dip.'),
  }),
  data: ({ symbol, days, bars }) => ({
    bars: [
      { symbol, interval: '1d', warmUp: days },
      { symbol, interval: '5m', warmUp: bars },
    ],
  }),
  create({ params: { symbol, days, bars } }) {
    const trend = sma(days);
    const dip = sma(bars);
    let isUp = false;
    return {
      onBar({ bar, view, order }) {
        if (bar.interval === '1d') {
          isUp = bar.close > trend.next(bar.close);
          return;
        }
        const isBelow = bar.close < dip.next(bar.close);
        const held = view.position(symbol) > 0;
        if (!held && isUp && isBelow) order.target(symbol, { weight: 1 }, 'a dip in an upward trend');
        if (held && (!isUp || !isBelow))
          order.target(symbol, { weight: 0 }, isUp ? 'the dip is over' : 'the trend is down');
      },
    };
  },
});
