import type { Mutant } from './mutant.ts';

/** Bugs in how long a command waits, holding key and wallet, for its transaction. */
export const waitMutants: readonly Mutant[] = [
  {
    name: 'unshown-order-waited-for',
    what: 'a command waits for ever for an order that the venue has taken and never shows',
    edits: [
      {
        file: 'src/app/transfers/manualSends.ts',
        find: "sent?.['state'] === 'unknown' || (verb === 'orders' && sent?.['state'] === 'acknowledged');",
        replace: "sent?.['state'] === 'unknown' && verb !== undefined;",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/transfers/debtByReceipt.test.ts'] },
  },
  {
    name: 'line-judged-by-age-alone',
    what: 'a decision is dropped two minutes after it, although the orders before it end one after the other',
    edits: [
      {
        file: 'src/engine/intents/sendQueue.ts',
        find: 'now - Math.max(since, notBefore) >',
        replace: 'now - notBefore >',
      },
    ],
    caughtBy: { tests: ['test/engine/intents/sendQueue.test.ts'] },
  },
  {
    name: 'first-strategy-takes-all',
    what: 'strategies do not take turns: the first one sends all that it has decided before the others',
    edits: [
      {
        file: 'src/engine/intents/sendQueue.ts',
        find: 'if (!this.#waitedBefore) return intents.values();',
        replace: 'return intents.values();',
      },
    ],
    caughtBy: { tests: ['test/engine/intents/sendQueue.test.ts'] },
  },
  {
    name: 'dropped-for-age-in-silence',
    what: 'decisions that have waited too long are dropped without an alarm',
    edits: [
      {
        file: 'src/engine/intents/sendQueue.ts',
        find: 'if (this.#dropped.length > 0 && ',
        replace: 'if (this.#dropped.length > 1_000 && ',
      },
    ],
    caughtBy: { tests: ['test/engine/intents/sendQueue.test.ts'] },
  },
  {
    name: 'timers-of-before-a-strategy',
    what: 'a strategy that joins a run fires the timers of the day that it was not there for',
    edits: [
      {
        file: 'src/engine/runtime/scheduler.ts',
        find: 'accountState.firstStarts.get(strategyId) ?? clock.now()',
        replace: '(strategyId === null ? clock.now() : accountState.opened?.at) ?? clock.now()',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/missedTimers.test.ts'] },
  },
];
