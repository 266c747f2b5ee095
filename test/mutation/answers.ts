import type { Mutant } from './mutant.ts';

/** Bugs in the reading of responses, or of missing ones. */
export const answerMutants: readonly Mutant[] = [
  {
    name: 'misnamed-until-the-next-order',
    what: 'an answer that names a transaction which shows nothing is only taken back once something else was sent',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'const isDue = isAssumed || (isOverdue && !this.#looks.isTraced(id));',
        replace: 'const isDue = isAssumed;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'order-by-the-transaction-of-a-transfer',
    what: 'an order is booked under a transaction that is a transfer’s',
    edits: [
      {
        file: 'src/engine/state/submissions.ts',
        find: 'return transfer === undefined || transfer === id ? null',
        replace: 'return transfer === undefined || id !== transfer ? null',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/transactions.test.ts'] },
  },
  {
    name: 'transfer-by-the-transaction-of-a-cancel',
    what: 'a transfer or order is booked under the transaction of a cancel',
    edits: [
      {
        file: 'src/engine/state/submissions.ts',
        find: "(isCancel ? 'a cancel' : null)",
        replace: "(isCancel && strategyId !== null ? 'a cancel' : null)",
      },
    ],
    caughtBy: { tests: ['test/engine/orders/transactions.test.ts'] },
  },
  {
    name: 'failed-question-is-not-found',
    what: 'a question by hash that fails counts as "the venue does not know it"',
    edits: [
      {
        file: 'src/api/venue.ts',
        find: `return null;
  }
  throw error;`,
        replace: `return null;
  }
  return null;`,
      },
    ],
    caughtBy: { tests: ['test/api/venue.test.ts'] },
  },
  {
    name: 'failed-list-is-empty',
    what: 'an order list that cannot be read counts as one without a candidate',
    edits: [
      {
        file: 'src/engine/runtime/polling.ts',
        find: 'await sweepOrders(venue, { live: live.length, oldestLive });',
        replace:
          'await sweepOrders(venue, { live: live.length, oldestLive }).catch(() => ({ rows: [], complete: true }));',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'failed-chain-is-absence',
    what: 'a node that does not answer counts as a chain without a trace of the order',
    edits: [
      {
        file: 'src/engine/runtime/orderManager.ts',
        find: 'return [undefined, null];',
        replace: 'return [null, { at: this.#options.clock.now(), isReplaced: false }];',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'any-code-is-a-refusal',
    what: 'a declined send counts as refused without a documented text',
    edits: [
      {
        file: 'src/api/failures.ts',
        find: "kind === 'declined' && repeat === 'always'",
        replace: "kind === 'declined' && repeat !== undefined",
      },
    ],
    caughtBy: { tests: ['test/api/venue.test.ts', 'test/api/failuresAnswers.test.ts'] },
  },
  {
    name: 'limited-is-refused',
    what: 'a 429 to a send counts as proof that nothing happened',
    edits: [
      {
        file: 'src/api/venue.ts',
        find: 'if (error instanceof UnreachableError)',
        replace: 'if (error instanceof UnreachableError || error instanceof RateLimitedError)',
      },
    ],
    caughtBy: { tests: ['test/api/venue.test.ts'] },
  },
  {
    name: 'unauthorized-is-proof',
    what: 'a 401 to a send is believed although an earlier copy of it may have been taken',
    edits: [
      {
        file: 'src/api/venue.ts',
        find: "return { kind: 'refused', reason, error, unproven: true };",
        replace: "return { kind: 'refused', reason, error };",
      },
    ],
    caughtBy: { tests: ['test/api/venue.test.ts'] },
  },
  {
    name: 'refused-is-forgotten',
    what: 'an order that was refused without proof and turns up is somebody else’s',
    edits: [
      {
        file: 'src/domain/orders/orderMachine.ts',
        find: "({ kind: 'refused', reason, sent: { at, deadline },",
        replace: "({ kind: 'refused', reason, sent: { at: (at * 2) as typeof at, deadline },",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/adversity.test.ts'] },
  },
  {
    name: 'documented-refusal-is-final',
    what: 'an order that was refused in a documented text and turns up is somebody else’s',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: 'const alike = awaited.length > 0 ? awaited : fitting;',
        replace: 'const alike = awaited;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/adversity.test.ts'] },
  },
  {
    name: 'unknown-free-of-caps',
    what: 'an order without an answer does not count against the limits',
    edits: [
      {
        file: 'src/engine/state/exposure.ts',
        find: 'let gross = marks.counted + open.buys(strategyId) + externalBuys(context, strategyId);',
        replace:
          "let gross = marks.counted + externalBuys(context, strategyId); for (const { state, terms, reserve } of open.all.values()) if (terms.side === 'buy' && state.kind !== 'unknown') gross += reserve;",
      },
      {
        file: 'src/engine/state/exposure.ts',
        find: "if (order.terms.side === 'sell' || (",
        replace: "if (order.state.kind === 'unknown' || order.terms.side === 'sell' || (",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'unknown-free-of-reserves',
    what: 'the money of an order without an answer is spent again',
    edits: [
      {
        file: 'src/domain/orders/openOrders.ts',
        find: "state.kind !== 'planned';",
        replace: "state.kind !== 'planned' && state.kind !== 'unknown';",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'reserve-bound-twice',
    what: 'the reserve of an order counts again when the order is sent',
    edits: [
      {
        file: 'src/domain/orders/openOrders.ts',
        find: 'if (!before) this.#bind(order, 1);',
        replace: 'if (!before || !isSent(before)) this.#bind(order, 1);',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/openOrders.test.ts'] },
  },
  {
    name: 'second-beside-unknown',
    what: 'another order for the same symbol and side goes out while an answer is missing',
    edits: [
      {
        file: 'src/engine/intents/plannedOrder.ts',
        find: "order.terms.side === side && (blocks(order) || order.state.kind === 'planned')",
        replace: "order.terms.side === side && order.state.kind === 'planned' && !blocks(order)",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/sending.test.ts'] },
  },
  {
    name: 'sent-taken-for-planned',
    what: 'a send without an answer is dropped after a restart, as if it had never left',
    edits: [
      {
        file: 'src/engine/state/submissions.ts',
        find: "if (kind === 'sent') return { kind: 'lost'",
        replace: "if (kind === 'unknown') return { kind: 'lost'",
      },
      {
        file: 'src/engine/state/submissions.ts',
        find: "if (kind !== 'planned') return null;",
        replace: "if (kind !== 'planned' && kind !== 'sent') return null;",
      },
      {
        file: 'src/domain/orders/orderMachine.ts',
        find: `      return state.kind === 'planned'
        ? move(order, event)
        : illegal('only an order that was not sent is abandoned');`,
        replace: `      return state.kind === 'planned' || state.kind === 'sent'
        ? move(order, event)
        : illegal('only an order that was not sent is abandoned');`,
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/running.test.ts'] },
  },
  {
    name: 'allocated-at-each-start',
    what: 'a restart gives each strategy its capital once more',
    edits: [
      {
        file: 'src/engine/account/opening.ts',
        find: 'cash(capital - known)',
        replace: 'cash(capital)',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'nested-objects-unseen',
    what: 'an answer of objects within objects is parsed however deep it is',
    edits: [
      {
        file: 'src/core/nesting.ts',
        find: "for (const bracket of '[{')",
        replace: "for (const bracket of '[')",
      },
    ],
    caughtBy: { tests: ['test/core/nesting.test.ts'] },
  },
  {
    name: 'stranger-for-own-user',
    what: 'balances of another wallet are taken for those that were asked for',
    edits: [
      {
        file: 'src/api/requester.ts',
        find: "!('userId' in path)",
        replace: "'userId' in path",
      },
    ],
    caughtBy: { tests: ['test/api/requesterScope.test.ts'] },
  },
];
