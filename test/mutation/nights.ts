import type { Mutant } from './mutant.ts';

const orders = { tests: ['test/engine/nights/nightOrders.test.ts'] };
const faults = { tests: ['test/engine/nights/nightFaults.test.ts'] };

const edges = { tests: ['test/engine/nights/nightEdges.test.ts'] };
const changes = { tests: ['test/engine/nights/nightChanges.test.ts'] };

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
  {
    name: 'late-order-left-over-its-phase',
    what: 'an order that turns up without an intent rests on when its phase is over',
    edits: [
      {
        file: 'src/engine/strategy/strategyManager.ts',
        find: 'const isAtRest = !this.#holdsOrders() && !hasPhases;',
        replace: 'const isAtRest = !this.#holdsOrders() && (!hasPhases || intents.size === 0);',
      },
    ],
    caughtBy: changes,
  },
  {
    name: 'order-of-the-night-left-by-a-run-without',
    what: 'a run that trades no phases leaves the orders of one that did',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: 'this.hasPhases = rules.trade !== undefined || left.some(',
        replace: 'this.hasPhases = rules.trade !== undefined && left.some(',
      },
    ],
    caughtBy: edges,
  },
  {
    name: 'sent-as-its-phase-ends',
    what: 'an order is sent in the last half minute of its phase',
    edits: [
      {
        file: 'src/engine/state/market.ts',
        find: 'if (until !== undefined) return now > until - CLOSING_MS;',
        replace: 'if (until !== undefined) return now > until;',
      },
    ],
    caughtBy: orders,
  },
  {
    name: 'deadline-beyond-its-phase',
    what: 'the deadline of an order is after the end of its phase',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: 'const close = order.until ?? this.#context.session?.close;',
        replace: 'const close = this.#context.session?.close;',
      },
    ],
    caughtBy: edges,
  },
  {
    name: 'sent-where-its-stock-trades-no-more',
    what: 'an order leaves after its stock has stopped trading in the phase',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: 'if (until === undefined || windowFor(',
        replace: 'if (until === undefined || until > 0 || windowFor(',
      },
    ],
    caughtBy: changes,
  },
  {
    name: 'replaced-over-the-end-of-a-phase',
    what: 'the successor of a day order leaves in a phase after that in which the other rested',
    edits: [
      {
        file: 'src/engine/intents/replacement.ts',
        find: '...(until !== undefined && expires !== undefined && {',
        replace: '...(until === 0 && expires !== undefined && {',
      },
    ],
    caughtBy: changes,
  },
  {
    name: 'phases-without-being-asked',
    what: 'a limit order is one of all phases where none are traded',
    edits: [
      {
        file: 'src/engine/strategy/strategyOrders.ts',
        find: "const isTraded = terms.kind === 'limit' && this.#context.rules.trade;",
        replace: "const isTraded = terms.kind === 'limit';",
      },
    ],
    caughtBy: changes,
  },
  {
    name: 'day-ends-early-without-phases',
    what: 'an order may end at 20:00 where no phases are traded',
    edits: [
      {
        file: 'src/engine/state/tradingWindow.ts',
        find: "trade?.dayEnds : 'nextClose';",
        replace: 'trade?.dayEnds : undefined;',
      },
    ],
    caughtBy: changes,
  },
  {
    name: 'ex-date-begins-at-the-open',
    what: 'where nights are traded, who buys in the night of an ex-date has a part in the dividend',
    edits: [
      {
        file: 'src/sim/dayEnd.ts',
        find: "if (begins !== 'evening') return open;",
        replace: 'if (begins) return open;',
      },
    ],
    caughtBy: { tests: ['test/engine/nights/nightDividends.test.ts'] },
  },
  {
    name: 'night-bar-in-the-session',
    what: 'bars of the night are stored and played among those of the regular session',
    edits: [
      {
        file: 'src/market/outsideBars.ts',
        find: "Number(span.phase === 'regular')",
        replace: "Number(span.phase === 'regular' || span.phase === 'overnight')",
      },
    ],
    caughtBy: { tests: ['test/market/outsideBars.test.ts'] },
  },
  {
    name: 'night-bars-for-everyone',
    what: 'a strategy that asks for bars of the session is shown those that another asks for at night',
    edits: [
      {
        file: 'src/domain/bar.ts',
        find: "phases?.some((each) => each === phase) ?? phase === 'regular';",
        replace: "phases?.some((each) => each === phase) ?? phase !== 'closed';",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/barPhases.test.ts'] },
  },
  {
    name: 'bar-of-a-stale-quote',
    what: 'a price that the venue made before the latest bar ended makes that bar again',
    edits: [
      {
        file: 'src/market/quoteBars.ts',
        find: 'if (this.#endOf({ interval: set.interval, start }) <= this.#until) continue;',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/market/quoteBars.test.ts'] },
  },
  {
    name: 'bar-beyond-its-phase',
    what: 'the last bar of a phase counts until after its end',
    edits: [
      {
        file: 'src/market/series.ts',
        find: 'epochMs(Math.min(start + INTERVAL_MS[interval], session.close))',
        replace: 'epochMs(start + INTERVAL_MS[interval])',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/data/outside.test.ts'] },
  },
  {
    name: 'unsent-order-of-yesterday',
    what: 'an order that a kill kept from leaving is sent at the next open, because its session has closed meanwhile',
    edits: [
      {
        file: 'src/engine/intents/phaseEnds.ts',
        find: "const isOld = code === 'RESTARTED' || ",
        replace: 'const isOld = ',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/restart.test.ts'] },
  },
  {
    name: 'old-decision-at-the-next-open',
    what: 'an order that has waited too long as its session closed is sent at the next open',
    edits: [
      {
        file: 'src/engine/intents/phaseEnds.ts',
        find: ' || context.now - order.plannedAt > DECISION_AGE_MAX_MS;',
        replace: ';',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/gap.test.ts'] },
  },
  {
    name: 'order-of-the-last-second-lost',
    what: 'an order for which no second of its session is left is dropped',
    edits: [
      {
        file: 'src/engine/intents/phaseEnds.ts',
        find: "if (code === 'SESSION_CLOSED') return true;",
        replace: "if (code === 'SESSION_CLOSED' && order.until !== undefined) return true;",
      },
    ],
    caughtBy: changes,
  },
  {
    name: 'flatten-pauses-while-the-price-falls',
    what: 'a sale of a flatten whose price has left its limit counts as one that has failed',
    edits: [
      {
        file: 'src/engine/operator/flatten.ts',
        find: '?.lapsed === true',
        replace: '?.lapsed === (null as unknown)',
      },
    ],
    caughtBy: faults,
  },
  {
    name: 'exit-of-the-next-session',
    what: 'a bracket whose fill is known after the close is sold at a time of the next session',
    edits: [
      {
        file: 'src/engine/synthetic/syntheticInput.ts',
        find: 'const at = first?.plannedAt ?? now;',
        replace: 'const at = now;',
      },
    ],
    caughtBy: { tests: ['test/engine/synthetic/exits.test.ts'] },
  },
  {
    name: 'sale-taken-back-has-failed',
    what: 'the sale of an exit that is taken back unsent, because the price has left its limit, waits as one that has failed',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: '(isPassingCode(code) || order.lapsed === true)',
        replace: 'isPassingCode(code)',
      },
    ],
    caughtBy: edges,
  },
];
