import { defineStrategy, sessionTime, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Buys for an amount each day, in equal parts until a time of the session, and never above a price. */
export default defineStrategy({
  name: 'accumulate',
  description: 'Buys for an amount each day, in equal parts over the session.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to buy.'),
    daily: z.number().positive().describe('mUSD to spend in each session.'),
    until: sessionTime().default('close-30m').describe('Time of the session at which it ends.'),
    highest: z.number().positive().optional().describe('Price above which nothing is bought.'),
  }),
  data: ({ symbol }) => ({ quotes: [symbol], timers: [{ name: 'begin', at: 'open+5m' }] }),
  create({ params: { symbol, daily, until, highest } }) {
    return {
      onTimer({ order }) {
        const limit = highest === undefined ? {} : { limit: highest };
        order.work(symbol, { side: 'buy', notional: daily, style: 'twap', until, ...limit }, 'daily part');
      },
    };
  },
});
