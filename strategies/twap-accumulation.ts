import { defineStrategy, notional, remember, sessionTime, ticker } from 'drover/strategy';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;
/** Value in mUSD under which the venue takes no order, and part of the cash that stays for fees. */
const [ORDER_MIN, FEES] = [1, 0.002];

/**
 * Builds a position over weeks: once a week it buys for an amount, in small parts over some hours, so that no single price
 * decides. For a person with a sum to invest who does not want to move the market or to choose the moment.
 *
 * The parts are worked by the bot: what a restart interrupts goes on after it, never beyond the amount. It buys on the first
 * session of the week that is on or after `day` and reaches `until`; a week without one, or in which the runner is down until its
 * time is over, is left out. What was filled counts against the budget; what a week has left unspent stays in it.
 */
export default defineStrategy({
  name: 'twap-accumulation',
  description: 'Buys for an amount each week, in equal parts over a session, up to a budget.',
  params: z.strictObject({
    symbol: ticker().describe('The stock to buy.'),
    notional: notional().describe('mUSD to spend each week, fees not counted.'),
    budget: notional().describe('mUSD to spend in all, fees not counted.'),
    reserve: z.number().gte(0).default(0).describe('mUSD of cash that is never spent.'),
    day: z
      .enum(DAYS)
      .default('monday')
      .describe('Day of the week; a holiday moves it to the next session of that week.'),
    from: sessionTime().default('open+30m').describe('When to begin: "10:00" in New York, or "open+30m".'),
    until: sessionTime().default('close-30m').describe('When to be done, in the same session.'),
  }),
  data: ({ symbol, from }) => ({ quotes: [symbol], timers: [{ name: 'begin', at: from }] }),
  create({ params: { symbol, reserve, day, until, ...amounts }, state }) {
    const [weekly, budget] = [Number(amounts.notional), Number(amounts.budget)];
    const memory = remember(state, z.object({ week: z.number().default(-1), spent: z.number().default(0) }));
    return {
      onTimer({ view, order }) {
        if (!view.session || view.price(symbol) === null) return;
        const { week, weekday } = placeOf(view.session.date);
        if (week === memory.week || weekday < DAYS.indexOf(day)) return;
        const amount = Math.min(weekly, budget - memory.spent, (view.cash - reserve) * (1 - FEES));
        if (amount < ORDER_MIN) return;
        memory.week = week;
        const notional = Math.floor(amount * 100) / 100;
        order.work(
          symbol,
          { side: 'buy', style: 'twap', notional, until, tag: 'weekly' },
          'the buy of the week',
        );
      },
      onOrder({ update }) {
        if (update.code === 'OUT_OF_RANGE') memory.week = -1;
      },
      onFill({ fill }) {
        if (fill.side === 'buy') memory.spent += fill.shares * fill.price;
      },
    };
  },
});

/** Week, counted from the Monday of 5 January 1970, and day of the week: 0 is Monday. */
function placeOf(date: string): Readonly<{ week: number; weekday: number }> {
  const days = Date.parse(date) / DAY_MS - 4;
  return { week: Math.floor(days / 7), weekday: ((days % 7) + 7) % 7 };
}
