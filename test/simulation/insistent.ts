import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';

const MINUTE_MS = 60_000;

/**
 * Requests its position at every quote, so that anything that frees the reserve of an order too early makes it buy
 * again. With `swingMinutes` it alternates between all of its shares and half of them.
 */
export default defineStrategy({
  name: 'insistent',
  description: 'Wants its position at every quote.',
  params: z.strictObject({ symbol: z.string(), shares: z.number(), swingMinutes: z.number().optional() }),
  data: ({ symbol }) => ({ quotes: [symbol] }),
  create: ({ params: { symbol, shares, swingMinutes } }) => ({
    onQuote({ view, order }) {
      const isHalf = swingMinutes !== undefined && Math.floor(view.now / MINUTE_MS / swingMinutes) % 2 === 1;
      order.target(symbol, { shares: isHalf ? shares / 2 : shares }, 'at every quote');
    },
  }),
});
