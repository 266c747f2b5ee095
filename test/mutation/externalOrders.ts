import type { Mutant } from './mutant.ts';

const file = 'src/engine/orders/orderList.ts';
const caughtBy = { tests: ['test/engine/runtime/endlessList.test.ts'] };

/** Bugs in handling orders of other programs, and rows without an order. */
export const externalOrderMutants: readonly Mutant[] = [
  {
    name: 'flood-of-rows-never-forgotten',
    what: 'after a list has invented a thousand rows, one order of another program stops every send for good',
    edits: [
      {
        file,
        find: 'Math.max(this.#taken.orders - elapsed / ROOM_EACH_MS, 0)',
        replace: 'this.#taken.orders',
      },
    ],
    caughtBy,
  },
  {
    name: 'external-order-unreported-beside-a-broken-list',
    what: 'an external order that comes while the pages of the list contradict each other is never reported',
    edits: [
      {
        file,
        find: 'if (this.#leftOut.count > 0 || this.#isOverflowing)',
        replace: 'if (this.#leftOut.count > 0 || this.#context.problems.has(PROBLEM))',
      },
    ],
    caughtBy,
  },
  {
    name: 'money-made-of-orders-that-are-gone',
    what: 'what orders lock that the venue no longer shows can never be adopted, or is adopted as money that is not there',
    edits: [
      {
        file: 'src/engine/operator/balanceAcceptance.ts',
        find: 'compareWithout(accountState, report, new Set(gone.map(({ txHash }) => txHash)))',
        replace: 'compareWithout(accountState, report, new Set())',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/journal/release.test.ts'] },
  },
  {
    name: 'unknown-word-ends-external-order',
    what: 'an open order of another program whose status is an unknown word counts as ended',
    edits: [
      {
        file,
        find: "report.status === 'unrecognised' ? report.locked !== null : !hasEndedAtVenue(report)",
        replace: "report.status !== 'unrecognised' && !hasEndedAtVenue(report)",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/external.test.ts'] },
  },
];
