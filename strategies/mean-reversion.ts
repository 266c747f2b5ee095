import { defineStrategy, interval, rsi, ticker } from 'drover/strategy';
import { z } from 'zod';

const percent = () => z.number().gt(0).lt(100);
/** Part of the free cash that stays for the fees of the purchase. */
const FEES = 0.002;

/**
 * Buys a stock that has fallen fast, and sells it when it has recovered a little, has fallen further, or has done neither for
 * some time. For a person who expects exaggerations to be corrected within days, and who wants to know beforehand what a
 * mistake costs.
 *
 * Each purchase is a bracket: take-profit, stop and time are measured from what was really paid and bought, and the bot holds
 * them over restarts. Nothing is bought while the stock is held, or while an order for it is open. A purchase that came to
 * nothing is tried again only when the RSI falls below its threshold anew.
 */
export default defineStrategy({
  name: 'mean-reversion',
  description: 'Buys when the RSI is low; sells at a profit, at a stop or after a time.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to trade.'),
    interval: interval().default('1d').describe('Length of a bar.'),
    length: z.int().min(2).default(14).describe('Bars in the RSI.'),
    oversold: z.number().gt(0).lt(50).default(30).describe('RSI below which the stock is bought.'),
    weight: z
      .number()
      .gt(0)
      .lte(1)
      .default(0.5)
      .describe('Share of the equity to buy for: 0.5 is half of it.'),
    takeProfitPercent: percent().default(4).describe('Profit at which to sell, in percent.'),
    stopPercent: percent().default(3).describe('Loss at which to sell, in percent.'),
    trailing: z
      .boolean()
      .default(false)
      .describe('Let the stop follow the highest price since the purchase.'),
    exitAfterBars: z.int().min(1).default(10).describe('Bars after which to sell, whatever the price.'),
  }),
  data: ({ symbol, interval, length }) => ({
    bars: [{ symbol, interval, warmUp: rsi(length).warmUp }],
  }),
  create({ params }) {
    const { symbol, oversold } = params;
    const strength = rsi(params.length);
    let wasLow = true;
    const stopLoss = params.trailing
      ? { trail: { percent: params.stopPercent } }
      : { percent: params.stopPercent };
    return {
      onBar({ bar, view, order }) {
        const value = strength.next(bar.close);
        const falls = value < oversold && !wasLow;
        wasLow = value < oversold;
        if (!falls || view.position(symbol) > 0 || view.orders(symbol).length > 0) return;
        const notional = Math.min(view.equity * params.weight, view.cash * (1 - FEES));
        order.bracket(
          symbol,
          {
            entry: { notional },
            takeProfit: { percent: params.takeProfitPercent },
            stopLoss,
            exitAfter: { bars: params.exitAfterBars, interval: params.interval },
            tag: 'oversold',
          },
          `RSI ${value.toFixed(1)} is below ${oversold}`,
        );
      },
    };
  },
});
