import { defineStrategy, remember, ticker } from 'drover/strategy';
import type { HookContext, View } from 'drover/strategy';
import { z } from 'zod';

const memoryShape = z.object({
  /** Month of the last rotation, as 2026-06. */
  month: z.string().default(''),
  /** Highest equity since the stop was last lifted. */
  peak: z.number().default(0),
  /** True from a stop to the next rotation. */
  isStopped: z.boolean().default(false),
});

/**
 * Holds the stocks of a list that have risen most, and chooses again each month. For a person who expects leaders to lead for
 * some months more, trades seldom, and leaves the market when the whole has lost too much.
 *
 * The choice is made in the first session of a month in which each stock has a price and enough daily bars; a run that begins
 * in the middle of a month chooses at once. A stock that has lost over the months looked at is not held: its part stays cash.
 * When the equity has fallen by `drawdownPercent` from its highest, all is sold, and the next month chooses again, from a new
 * highest. What an order could not do is left until then. A deposit counts as a gain here, and a withdrawal as a loss.
 */
export default defineStrategy({
  name: 'momentum-rotation',
  description: 'Holds the stocks of a list that rose most, chosen monthly, with a drawdown stop.',
  params: z
    .strictObject({
      symbols: z.array(ticker()).min(2).describe('The stocks to choose from.'),
      top: z.int().min(1).default(3).describe('Stocks to hold at the same time.'),
      days: z.int().min(2).default(126).describe('Sessions over which a rise is measured.'),
      weight: z
        .number()
        .gt(0)
        .lte(1)
        .default(0.95)
        .describe('Share of the equity to hold in stocks, in equal parts.'),
      drawdownPercent: z
        .number()
        .gt(0)
        .lt(100)
        .default(15)
        .describe('Fall of the equity from its highest at which all is sold, in percent.'),
    })
    .refine(({ symbols }) => new Set(symbols).size === symbols.length, {
      path: ['symbols'],
      error: 'a stock is named twice',
    })
    .refine(({ symbols, top }) => top <= symbols.length, {
      path: ['top'],
      error: 'top is more than there are stocks',
    }),
  data: ({ symbols, days }) => ({
    bars: symbols.map((symbol) => ({ symbol, interval: '1d', warmUp: days + 1 })),
    quotes: symbols,
    timers: [{ name: 'rotate', at: 'open+15m' }],
  }),
  create({ params: { symbols, top, days, weight, drawdownPercent }, state }) {
    const memory = remember(state, memoryShape);

    /** Sells all once the equity has fallen too far, and again what a failed sell has left. */
    const protect = ({ view, order }: HookContext) => {
      const held = symbols.filter((symbol) => view.position(symbol) > 0);
      if (held.length === 0 || held.some((symbol) => view.price(symbol) === null)) return;
      memory.peak = Math.max(memory.peak, view.equity);
      memory.isStopped ||= view.equity <= memory.peak * (1 - drawdownPercent / 100);
      if (!memory.isStopped || view.orders().length > 0) return;
      order.rebalance(
        weightsOf(symbols, []),
        { rest: 'keep' },
        `the equity is ${drawdownPercent} % below its highest`,
      );
    };

    return {
      onQuote: protect,
      onTimer({ view, order }) {
        const month = view.session?.date.slice(0, 7);
        if (month === undefined || month === memory.month) return;
        const rises = symbols.map((symbol) => ({ symbol, rise: riseOf(view, symbol, days) }));
        if (rises.some(({ rise }) => rise === null)) return;
        if (memory.isStopped) memory.peak = 0;
        memory.isStopped = false;
        memory.peak = Math.max(memory.peak, view.equity);
        memory.month = month;
        const leaders = rises
          .filter(({ rise }) => (rise ?? 0) > 0)
          .sort((a, b) => (b.rise ?? 0) - (a.rise ?? 0))
          .slice(0, top)
          .map(({ symbol }) => symbol);
        order.rebalance(
          weightsOf(symbols, leaders, weight / top),
          { band: 0.01, rest: 'keep' },
          `the leaders of ${month}`,
        );
      },
    };
  },
});

/** Rise over so many sessions as a fraction; null while prices or bars are missing. */
function riseOf(view: View, symbol: string, days: number): number | null {
  const closes = view.bars(symbol, '1d').closes(days + 1);
  const [first, last] = [closes[0], closes.at(-1)];
  if (closes.length <= days || first === undefined || last === undefined) return null;
  return view.price(symbol) === null ? null : last / first - 1;
}

const weightsOf = (symbols: readonly string[], leaders: readonly string[], weight = 0) =>
  Object.fromEntries(symbols.map((symbol) => [symbol, leaders.includes(symbol) ? weight : 0]));
