import type { Mutant } from './mutant.ts';

const caughtBy = { tests: ['test/engine/synthetic/work.test.ts'] };
const timesTest = { tests: ['test/engine/intents/orderTimes.test.ts'] };

/** Bugs in orders that are worked in slices, and in orders that expire. */
export const workingMutants: readonly Mutant[] = [
  {
    name: 'successor-beside-replaced',
    what: 'the successor of a replaced order leaves before that has ended',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: 'if (intent.after.some((id) => accountState.intents.has(id) || accountState.open.has(id))) return;',
        replace: 'if (!intent.replaces && intent.after.some((id) => accountState.intents.has(id))) return;',
      },
    ],
    caughtBy: { tests: ['test/engine/intents/replacement.test.ts'] },
  },
  {
    name: 'successor-forgets-fills',
    what: 'the successor of a replaced order leaves for what that has filled as well',
    edits: [
      {
        file: 'src/domain/orders/intentFills.ts',
        find: 'if (this.isReplaced(intentId)) this.add',
        replace: 'if (intentId === "") this.add',
      },
    ],
    caughtBy: { tests: ['test/engine/intents/replacement.test.ts'] },
  },
  {
    name: 'slice-beside-slice',
    what: 'the next price of a chase leaves before the old order has ended',
    edits: [
      {
        file: 'src/engine/synthetic/work.ts',
        find: "  const open = openChild(state, 'slice');\n  const end",
        replace: '  const open = undefined;\n  const end',
      },
    ],
    caughtBy,
  },
  {
    name: 'slices-by-what-was-asked',
    what: 'what is left of a working order ignores what its slices have filled',
    edits: [
      {
        file: 'src/engine/synthetic/workSlice.ts',
        find: "done += 'quantity' in terms.total ? filled : notional;",
        replace: "done += 'quantity' in terms.total ? filled * 0n : notional;",
      },
    ],
    caughtBy,
  },
  {
    name: 'burst-after-pause',
    what: 'what a pause has left out is caught up in one slice',
    edits: [
      {
        file: 'src/engine/synthetic/work.ts',
        find: 'const amount = share < most ? share : most;',
        replace: 'const amount = share < most ? share : share;',
      },
    ],
    caughtBy,
  },
  {
    name: 'expired-order-rests',
    what: 'a resting order is not cancelled once it has expired',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: "return order === undefined || (this.#hasExpired(intent) && order.cancel.kind === 'none');",
        replace: 'return order === undefined;',
      },
    ],
    caughtBy: timesTest,
  },
  {
    name: 'expired-order-sent',
    what: 'an order that waits is sent although it has expired',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: 'else if (this.#hasExpired(intent)) this.#parts.intents.expire(intent);',
        replace: 'else if (false) this.#parts.intents.expire(intent);',
      },
    ],
    caughtBy: timesTest,
  },
];
