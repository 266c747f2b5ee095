import { defineStrategy, notional, remember, sessionTime, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Fills are told as float64: what they add up to is not exact. */
const HALF_CENT = 0.005;

/**
 * Saves into a stock: the same amount in every session, whatever the price. For a person who builds a position over
 * months and does not want to choose the moment.
 *
 * It tries once a session, restarts included. A session in which the price is not known at that time, the order comes
 * to nothing, or the runner is down is left out: a missed buy is cheaper than a double one. Shares held from before
 * are neither sold nor counted against the cap.
 */
export default defineStrategy({
  name: 'dca',
  description: 'Buys for a fixed amount once a session.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to buy.'),
    notional: notional().describe('mUSD to spend each session, fees not counted.'),
    at: sessionTime()
      .default('10:00')
      .describe(
        'When to buy: "10:00" in New York, "open+30m" or "close-1h". Sessions that end earlier are left out.',
      ),
    cap: notional().optional().describe('mUSD to spend in all; a buy that would go beyond it is not made.'),
  }),
  data: ({ symbol, at }) => ({ quotes: [symbol], timers: [{ name: 'buy', at }] }),
  create({ params: { symbol, notional, cap = Infinity }, state }) {
    const memory = remember(
      state,
      z.object({ lastSession: z.string().default(''), spent: z.number().default(0) }),
    );
    return {
      onTimer({ view, order }) {
        const today = view.session?.date;
        if (today === undefined || today === memory.lastSession || view.price(symbol) === null) return;
        const onTheirWay = view.orders(symbol).reduce((sum, { notional }) => sum + (notional ?? 0), 0);
        if (memory.spent + onTheirWay + Number(notional) > Number(cap) + HALF_CENT) return;
        memory.lastSession = today;
        order.buy(symbol, { notional, outside: 'refuse' }, `the buy of ${today}`);
      },
      onFill({ fill }) {
        if (fill.side === 'buy') memory.spent += fill.shares * fill.price;
      },
    };
  },
});
