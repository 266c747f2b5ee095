import type { Mutant } from './mutant.ts';

const fence = 'src/domain/orders/fence.ts';
const fenceTests = { tests: ['test/domain/orders/fence.test.ts'] };

/** Bugs in the conclusions about an order's outcome. */
export const proofMutants: readonly Mutant[] = [
  {
    name: 'changed-settlement-on-its-word',
    what: 'a settlement that changes is booked again although the account has not changed',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: 'return changes.every(([asset, amount]) => this.gapOf(asset) === amount);',
        replace: 'return changes.every(([asset]) => this.gapOf(asset) !== null);',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/overdue.test.ts'] },
  },
  {
    name: 'changed-settlement-kept',
    what: 'an order that has settled otherwise after a reorganisation keeps its first amounts',
    edits: [
      {
        file: 'src/domain/orders/contradiction.ts',
        find: '(isSettled(order) && settlementChange(order, report).some(([, amount]) => amount !== 0n));',
        replace: '(isSettled(order) && settlementChange(order, report).length > 2);',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/overdue.test.ts'] },
  },
  {
    name: 'fence-without-indexer',
    what: 'never placed without proof that the indexer has passed the deadline',
    edits: [
      {
        file: fence,
        find: "if (!isIndexed && !isOffChain(seconds, absentAt)) return 'indexer';",
        replace: 'void isIndexed;',
      },
    ],
    caughtBy: fenceTests,
  },
  {
    name: 'fence-without-deadline',
    what: 'never placed while it can still be mined',
    edits: [
      {
        file: fence,
        find: 'if (now <= deadline + FENCE_SLACK_MS)',
        replace: 'if (now <= deadline - 3_600_000)',
      },
    ],
    caughtBy: fenceTests,
  },
  {
    name: 'fence-past-a-link',
    what: 'never placed although a link stands there whose order the indexer may still show',
    edits: [
      {
        file: fence,
        find: 'indexedThrough !== null && indexedThrough > deadline * 1000 + FENCE_SLACK_MS;',
        replace: 'indexedThrough !== null && indexedThrough > deadline * 1000;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'fence-by-one-list',
    what: 'never placed after a single list without it',
    edits: [{ file: fence, find: 'COMPLETE_LISTS = 2;', replace: 'COMPLETE_LISTS = 1;' }],
    caughtBy: fenceTests,
  },
  {
    name: 'fence-without-ledger',
    what: 'never placed although money is missing',
    edits: [
      {
        file: fence,
        find: "return ledgerAgrees ? null : 'ledger';",
        replace: "return ledgerAgrees || cleanLists > 0 ? null : 'ledger';",
      },
    ],
    caughtBy: fenceTests,
  },
  {
    name: 'candidate-overlooked',
    what: 'a list that shows a link which could be the order counts as one without it',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'this.#looks.countList(order.id, !candidate);',
        replace: 'this.#looks.countList(order.id, true);',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'indexed-by-a-link',
    what: 'a link that the indexer has not worked through counts as proof that it has',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'if (orderId === null || createdAt > this.#context.now + STAMP_SLACK_MS) return;',
        replace: 'if (createdAt > this.#context.now + STAMP_SLACK_MS) return;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'indexed-by-time-to-come',
    what: 'a row that is stamped with a time to come counts as proof of how far the indexer is',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'orderId === null || createdAt > this.#context.now + STAMP_SLACK_MS',
        replace: 'orderId === null',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'found-late-ignored',
    what: 'an order taken for never placed that turns up is somebody else’s',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: '[...live, ...accountState.absent.values()]',
        replace: '[...live]',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/reportMatching.test.ts'] },
  },
  {
    name: 'matched-on-less',
    what: 'a row is attributed to an order with other terms',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: 'return ours.quantity === theirs.quantity && ours.price === theirs.price;',
        replace: 'return ours.quantity === theirs.quantity;',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/reportMatching.test.ts'] },
  },
  {
    name: 'either-of-two',
    what: 'of two orders that a row could be the first is taken',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: 'if (alike.length > 1 &&',
        replace: 'if (alike.length > 1_000 &&',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/reportMatching.test.ts'] },
  },
  {
    name: 'signed-hash-dropped',
    what: 'a row of another order takes the transaction from an order that the wallet signed itself',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: "if (order?.state.kind !== 'acknowledged' || isSignedHere(order, accountState)) return undefined;",
        replace: "if (order?.state.kind !== 'acknowledged') return undefined;",
      },
    ],
    caughtBy: { tests: ['test/domain/orders/reportMatching.test.ts'] },
  },
  {
    name: 'denied-row-booked',
    what: 'a row of another order under a transaction that the wallet signed is taken for its own',
    edits: [
      { file: 'src/engine/orders/tracker.ts', find: 'if (this.#isDenied(report)) return;', replace: '' },
    ],
    caughtBy: { tests: ['test/engine/runtime/adversity.test.ts'] },
  },
  {
    name: 'partial-fill-lost-in-cancel',
    what: 'what an order had filled before its cancel is not booked',
    edits: [
      {
        file: 'src/domain/orders/orderMachine.ts',
        find: "const closed = { kind: 'closed', how, txHash, venueId, settlement } as const;",
        replace:
          "const closed = { kind: 'closed', how, txHash, venueId, settlement: how === 'cancelled' ? null : settlement } as const;",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/running.test.ts', 'test/domain/orders/orderMachine.test.ts'] },
  },
  {
    name: 'settled-twice',
    what: 'a settlement that is reported again is booked again',
    edits: [
      {
        file: 'src/domain/orders/orderMachine.ts',
        find: "return sameEnd(state, closed) ? stale : illegal('a settled order has changed');",
        replace:
          "return sameEnd(state, closed) ? move(order, closed) : illegal('a settled order has changed');",
      },
    ],
    caughtBy: { tests: ['test/domain/orders/orderMachine.test.ts'] },
  },
  {
    name: 'old-answers-believed',
    what: 'an answer from before an order ended is held against it',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'if ((accountState.ended.get(id)?.at ?? before.claim?.at ?? -Infinity) >= asked) return;',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/running.test.ts'] },
  },
  {
    name: 'cancel-repeated-at-once',
    what: 'a cancel is sent again before its deadline has passed',
    edits: [
      {
        file: 'src/engine/intents/intents.ts',
        find: 'return isSent && now > cancel.deadline * 1000 + FENCE_SLACK_MS;',
        replace: 'return isSent;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/running.test.ts', 'test/engine/runtime/adversity.test.ts'] },
  },
  {
    name: 'frozen-but-traded',
    what: 'a symbol that is frozen goes on being traded',
    edits: [
      {
        file: 'src/engine/risk/restrictions.ts',
        find: "if (frozen !== null) return { code: 'FROZEN', why: `${symbol} is frozen: ${frozen}` };",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/overdue.test.ts'] },
  },
  {
    name: 'difference-explained-away',
    what: 'money that moved behind the runner’s back is never counted',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: 'if (reported === gap || this.#actions.mayExplain(',
        replace: 'if (reported === gap || mismatch.explainable || this.#actions.mayExplain(',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
];
