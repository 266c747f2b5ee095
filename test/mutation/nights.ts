import type { Mutant } from './mutant.ts';

const orders = { tests: ['test/engine/nights/nightOrders.test.ts'] };
const faults = { tests: ['test/engine/nights/nightFaults.test.ts'] };

/** Bugs in trading outside the regular session. */
export const nightMutants: readonly Mutant[] = [
  {
    name: 'exit-armed-twice-over-a-phase',
    what: 'the intent of an order ends with its phase, and not with the order',
    edits: [
      {
        file: 'src/engine/intents/phaseEnds.ts',
        find: "if (now >= until) intents.cancelOrder(order, 'its phase is over', 'lapse');",
        replace:
          "if (now >= until) { intents.cancelOrder(order, 'its phase is over', 'lapse'); intents.end(order.intentId, 'cancelled', { code: 'EXPIRED', why: 'its phase is over' }); }",
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'night-by-the-limits-of-the-day',
    what: 'an order of the night is checked against the limits of the day',
    edits: [
      {
        file: 'src/engine/state/tradingWindow.ts',
        find: 'limits.outside && isOutside(context) ? { ...limits, ...limits.outside } : limits;',
        replace: 'limits.outside && !isOutside(context) ? { ...limits, ...limits.outside } : limits;',
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'order-left-over-its-phase',
    what: 'an order is not cancelled when its phase is over',
    edits: [
      {
        file: 'src/engine/intents/phaseEnds.ts',
        find: 'if (until === undefined || cancel.kind !== ',
        replace: 'if (until === undefined || now >= until || cancel.kind !== ',
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'lapsed-order-renewed-after-a-cancel',
    what: 'a cancel of a strategy is lost while its order lapses with its phase',
    edits: [
      {
        file: 'src/engine/intents/intents.ts',
        find: 'if (order.lapsed && !lapse) return',
        replace: 'if (order.lapsed && lapse) return',
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'night-price-of-the-day-before',
    what: 'an order of a phase leaves on a price of before it',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: 'if (window && quote.at < window.open) return;',
        replace: 'if (window && !window.phase && quote.at < window.open) return;',
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'fractions-in-whole-shares',
    what: 'fractions go out in a phase that takes whole shares alone',
    edits: [
      {
        file: 'src/engine/state/tradingWindow.ts',
        find: 'if (!isOutside(context) || instrument.fractionsOutside || !instrument.fractionable) return instrument;',
        replace: 'if (!isOutside(context) || instrument.fractionable) return instrument;',
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'day-turns-at-the-open',
    what: 'turnover and loss of the day begin again at the open where nights are traded',
    edits: [
      {
        file: 'src/domain/account/accountState.ts',
        find: 'if (fact.date === this.dayDate) return;',
        replace: 'if (fact.date === this.dayDate && at < 0) return;',
      },
    ],
    caughtBy: faults,
  },
  {
    name: 'night-order-overdue-by-the-first-end',
    what: 'an order counts as overdue from the first end on that DAY may mean',
    edits: [
      {
        file: 'src/engine/orders/overdue.ts',
        find: 'dayEndsOf(this.#context, order).last;',
        replace: 'dayEndsOf(this.#context, order).first;',
      },
    ],
    caughtBy: faults,
  },
  {
    name: 'night-refusal-believed',
    what: "a limit order that is refused with the market order's words counts as refused",
    edits: [
      {
        file: 'src/api/venue.ts',
        find: "named.session !== undefined && type === 'limit'",
        replace: "named.session !== undefined && type === 'market'",
      },
    ],
    caughtBy: { tests: ['test/api/venue.test.ts'] },
  },
];
