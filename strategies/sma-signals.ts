import { columns, defineSignals, interval, sma, ticker } from 'drover/strategy';
import { z } from 'zod';

/**
 * Follows a trend by the rule of `sma-cross`, written as signals: target weights from columns of bars instead of orders bar by
 * bar. For a person who thinks in whole columns, and would rather not keep state between hooks.
 *
 * Averages that do not exist yet, or are the same, leave everything as it is.
 */
export default defineSignals({
  name: 'sma-signals',
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
  signals(bars, { symbol, fast, slow, weight }) {
    const { close } = bars.of(symbol);
    const quick = columns(sma(fast), close);
    const calm = columns(sma(slow), close);
    const weights = new Float64Array(close.length);
    for (let bar = 0; bar < weights.length; bar++) {
      const spread = Number(quick[bar]) - Number(calm[bar]);
      weights[bar] = spread > 0 ? weight : spread < 0 ? 0 : NaN;
    }
    return { [symbol]: weights };
  },
});
