import { defineStrategy, sessionTime, ticker } from 'drover/strategy';
import { z } from 'zod';

/** Longest regular session. */
const SESSION_MINUTES = 390;

/**
 * Keeps a portfolio at fixed weights: sells what has grown above its share and buys what has fallen below. For a person
 * who wants a steady mix of several stocks and cash, and small trades only when the mix has drifted.
 *
 * Nothing is done while one of the prices is not known. Shares held from before count towards their weight; a stock
 * that is taken out of the list is left as it is, so give it weight 0 to sell it. An order that came to nothing leaves
 * the drift as it was, and the next time tries again.
 */
export default defineStrategy({
  name: 'rebalance',
  description: 'Holds several stocks at target weights, within a band.',
  params: z.strictObject({
    weights: z
      .record(ticker(), z.number().gte(0).lte(1))
      .refine((weights) => Object.keys(weights).length > 0, { error: 'name at least one stock' })
      .refine((weights) => total(weights) <= 1 + 1e-9, { error: 'the weights add up to more than 1' })
      .describe('Share of the equity for each stock, such as { SPY: 0.6, AAPL: 0.3 }; the rest stays cash.'),
    band: z
      .number()
      .gte(0)
      .lt(1)
      .default(0.02)
      .describe('Drift to put up with: 0.02 leaves 58 % to 62 % at 60 %.'),
    at: z
      .array(sessionTime())
      .default(['open+15m'])
      .describe('When to look, each session: "10:00" in New York, "open+15m" or "close-1h".'),
    everyMinutes: z.int().min(5).max(SESSION_MINUTES).optional().describe('Look also each so many minutes.'),
  }),
  data: ({ weights, at, everyMinutes }) => ({
    quotes: Object.keys(weights),
    timers: [...new Set([...at, ...timesEvery(everyMinutes)])].map((at) => ({ name: at, at })),
  }),
  create: ({ params: { weights, band } }) => ({
    onTimer({ view, order }) {
      const known = Object.keys(weights).every((symbol) => view.price(symbol) !== null);
      if (known)
        order.rebalance(
          weights,
          { band, rest: 'keep', outside: 'refuse' },
          `a weight is off by more than ${band}`,
        );
    },
  }),
});

const total = (weights: Record<string, number>) =>
  Object.values(weights).reduce((sum, each) => sum + each, 0);

/** From the open to before the close; on a day that closes early the later ones do not come. */
const timesEvery = (minutes = SESSION_MINUTES) =>
  Array.from({ length: Math.ceil(SESSION_MINUTES / minutes) - 1 }, (_, k) => `open+${(k + 1) * minutes}m`);
