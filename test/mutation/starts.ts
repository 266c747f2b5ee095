import type { Mutant } from './mutant.ts';

const warmUps = { tests: ['test/engine/runtime/warmUp.test.ts'] };
const deposits = { tests: ['test/engine/treasury/treasury.test.ts'] };

/** Bugs in the warm-up required by a start, and in sells that need a deposit. */
export const startMutants: readonly Mutant[] = [
  {
    name: 'bar-that-forms-by-a-clock-ahead',
    what: 'a forming bar counts as finished by a clock that is ahead of the venue',
    edits: [
      {
        file: 'src/market/feed.ts',
        find: '<= ended && bar.start',
        replace: '<= now && bar.start',
      },
    ],
    caughtBy: { tests: ['test/market/feed.test.ts'] },
  },
  {
    name: 'schedule-by-a-clock-that-is-wrong',
    what: 'a clock that was set far ahead uses up sessions and timers that are still to come',
    edits: [
      {
        file: 'src/engine/runtime/recovery.ts',
        find: "this.isClockDoubted ||= gap.kind !== 'stoodStill';",
        replace: "this.isClockDoubted = gap.kind === 'stoodStill';",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/gap.test.ts'] },
  },
  {
    name: 'reads-by-a-clock-that-is-wrong',
    what: 'what is read by a clock that was set far ahead is booked at times that are still to come',
    edits: [
      {
        file: 'src/engine/runtime/polling.ts',
        find: 'if (this.#options.recovery.isClockDoubted) return otherwise;',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/gap.test.ts'] },
  },
  {
    name: 'start-by-a-clock-that-is-wrong',
    what: 'a start by a clock that is far ahead begins sessions that are still to come',
    edits: [
      {
        file: 'src/engine/runtime/runner.ts',
        find: 'if (apart !== null) return apart;',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/gap.test.ts'] },
  },
  {
    name: 'warm-up-not-required',
    what: 'a run starts although a warm-up that is required lacks bars',
    edits: [
      {
        file: 'src/engine/runtime/warmUpCheck.ts',
        find: "policy === 'require' && lastRun.seenUntil === null",
        replace: "policy === 'require' && lastRun.seenUntil !== null",
      },
    ],
    caughtBy: warmUps,
  },
  {
    name: 'warming-strategy-decides',
    what: 'a strategy that waits for its warm-up is started at once',
    edits: [
      {
        file: 'src/engine/strategy/strategyManager.ts',
        find: 'if (!strategy.isWarming()) strategy.start();',
        replace: 'strategy.start();',
      },
    ],
    caughtBy: warmUps,
  },
  {
    name: 'deposit-for-every-sell',
    what: 'stock leaves the wallet for a sell that did not ask for it',
    edits: [
      {
        file: 'src/engine/treasury/treasury.ts',
        find: '    if (policy.onlyAsked === true && intent.depositFirst !== true) return false;\n',
        replace: '',
      },
    ],
    caughtBy: deposits,
  },
  {
    name: 'deposit-without-leave',
    what: 'a strategy has stock deposited although its config does not allow it',
    edits: [
      {
        file: 'src/engine/intents/terms.ts',
        find: 'if (!allowed.has(DELIVERIES[delivery]))',
        replace: 'if (allowed.size > 1)',
      },
    ],
    caughtBy: deposits,
  },
];
