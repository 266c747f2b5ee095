import { defineStrategy, notional, remember, ticker } from 'drover/strategy';
import type { HookContext, OrderView } from 'drover/strategy';
import { z } from 'zod';

const BPS = 10_000;
/** Value in mUSD under which the venue takes no order. */
const ORDER_MIN = 1;

const ladder = z
  .strictObject({
    symbol: ticker().describe('The stock to trade.'),
    rungs: z.int().min(1).max(20).default(3).describe('Limit buys in a ladder.'),
    stepBps: z.number().gt(0).default(50).describe('From one rung to the next: 50 is 0.5 % of the price.'),
    notional: notional().describe('mUSD that one rung buys for, fees not counted.'),
    takeProfitBps: z
      .number()
      .gt(0)
      .default(50)
      .describe('How far above its fill to sell; fees take about 12.'),
    requoteBps: z
      .number()
      .gt(0)
      .default(100)
      .describe('Move of the price after which the ladder follows it.'),
    maxExposure: notional().describe(
      'mUSD that held shares, at cost, and resting buys may come to together.',
    ),
  })
  .refine(({ rungs, stepBps }) => rungs * stepBps < BPS, {
    path: ['stepBps'],
    error: 'the lowest rung would be at a price of 0 or below',
  });
type Ladder = z.output<typeof ladder>;

/** `anchor`: the price the ladder hangs from. Null: to be placed as soon as no buy rests. */
const memoryShape = z.object({
  session: z.string().default(''),
  anchor: z.number().nullable().default(null),
});

/**
 * Buys dips and sells them again a little higher: some limit buys rest below the price, and whatever one of them fills
 * is offered above what it paid. For a person who expects a stock to swing about and not to fall for long, and who is
 * content to hold it when it does: there is no stop, only `maxExposure`.
 *
 * When the price has moved more than `requoteBps` away from where the ladder was placed, the buys that rest are
 * cancelled, and once all of them have ended a new ladder is placed. Each session starts a new one, too. A rung that
 * was filled or refused stays empty until then.
 *
 * Offers stay until they are filled, from session to session. Shares that none covers, because they were held from
 * before or their offer came to nothing, are offered above their average cost when the next session starts.
 */
export default defineStrategy({
  name: 'limit-ladder',
  description: 'Rests limit buys below the price and offers what they fill at a profit.',
  params: ladder,
  data: ({ symbol }) => ({ quotes: [symbol] }),
  create({ params, state }) {
    const memory = remember(state, memoryShape);

    const keepLadder = (context: HookContext) => {
      const { view, order } = context;
      const price = view.price(params.symbol);
      if (price === null || view.session === null) return;
      if (memory.session !== view.session.date) {
        memory.session = view.session.date;
        memory.anchor = null;
        offerUncovered(params, context, price);
      }
      if (memory.anchor !== null && Math.abs(price / memory.anchor - 1) * BPS <= params.requoteBps) return;
      memory.anchor = null;
      const resting = view.orders(params.symbol).filter(({ side }) => side === 'buy');
      for (const { id } of resting.filter(isCancellable)) order.cancel(id, 'the ladder follows the price');
      if (resting.length > 0) return;
      memory.anchor = price;
      placeRungs(params, context, price);
    };

    return {
      onQuote: keepLadder,
      onOrder(context) {
        if (context.update.status === 'cancelled') keepLadder(context);
      },
      onFill({ order, fill }) {
        if (fill.side === 'buy' && fill.shares * fill.price >= ORDER_MIN)
          order.limit(params.symbol, takeProfit(params, fill.shares, fill.price), `bought at ${fill.price}`);
      },
    };
  },
});

/** One on its way is cancelled once it has arrived, and one that is being cancelled needs no second wish. */
const isCancellable = ({ status }: OrderView) => status === 'waiting' || status === 'working';

function placeRungs(params: Ladder, { view, order }: HookContext, anchor: number) {
  const notional = Number(params.notional);
  const invested = view.position(params.symbol) * (view.averagePrice(params.symbol) ?? anchor);
  const room = Math.min(Number(params.maxExposure) - invested, view.cash);
  for (let rung = 1; rung <= params.rungs && rung * notional <= room; rung++) {
    const price = anchor * (1 - (rung * params.stepBps) / BPS);
    const terms = { side: 'buy', shares: notional / price, price, outside: 'refuse' } as const;
    order.limit(params.symbol, terms, `rung ${rung} below ${anchor}`);
  }
}

function offerUncovered(params: Ladder, { view, order }: HookContext, price: number) {
  const sells = view.orders(params.symbol).filter(({ side }) => side === 'sell');
  const covered = sells.reduce((sum, { shares, filled }) => sum + (shares ?? 0) - filled, 0);
  const rest = view.position(params.symbol) - covered;
  const cost = view.averagePrice(params.symbol) ?? price;
  if (rest * price >= ORDER_MIN)
    order.limit(params.symbol, takeProfit(params, rest, cost), `held without an offer, cost ${cost}`);
}

const takeProfit = ({ takeProfitBps }: Ladder, shares: number, cost: number) =>
  ({ side: 'sell', shares, price: cost * (1 + takeProfitBps / BPS), goodTill: 'cancelled' }) as const;
