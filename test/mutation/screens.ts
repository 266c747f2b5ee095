import type { Mutant } from './mutant.ts';

/** Bugs in a run's output, its figures first. */
export const screenMutants: readonly Mutant[] = [
  {
    name: 'difference-rounded-away',
    what: 'two amounts that differ by less than a cent are shown alike',
    edits: [
      {
        file: 'src/domain/shortAmounts.ts',
        find: 'while (step > 1n && apart',
        replace: 'while (step < 1n && apart',
      },
    ],
    caughtBy: { tests: ['test/domain/shortAmounts.test.ts'] },
  },
  {
    name: 'zeros-in-front',
    what: 'a date in a text, which is no amount, ends the run that shows it',
    edits: [
      {
        file: 'src/domain/shortAmounts.ts',
        find: '(?:0|[1-9]\\d{0,29})',
        replace: '\\d{1,30}',
      },
    ],
    caughtBy: { tests: ['test/domain/shortAmounts.test.ts'] },
  },
  {
    name: 'withdrawal-as-loss',
    what: 'what was withdrawn counts as a loss of the unallocated part',
    edits: [
      {
        file: 'src/engine/state/exposure.ts',
        find: '- deposited + withdrawn - adopted',
        replace: '- deposited - adopted',
      },
    ],
    caughtBy: { tests: ['test/engine/state/exposureEarnings.test.ts'] },
  },
  {
    name: 'missing-price-as-loss',
    what: 'stock of a strategy counts as nothing while its price is missing',
    edits: [
      {
        file: 'src/engine/state/accountSnapshot.ts',
        find: 'if (shares !== 0n) booked += value;',
        replace: 'if (shares !== 0n) booked += own;',
      },
    ],
    caughtBy: { tests: ['test/engine/state/exposureEarnings.test.ts'] },
  },
  {
    name: 'orders-of-another',
    what: 'orders of a strategy whose id has a hyphen are counted for nobody',
    edits: [
      {
        file: 'src/domain/orders/orderIntent.ts',
        find: "id.slice(0, id.lastIndexOf('-'))",
        replace: "id.slice(0, id.indexOf('-'))",
      },
    ],
    caughtBy: { tests: ['test/backtest/resultByStrategy.test.ts'] },
  },
  {
    name: 'all-clear-unsaid',
    what: 'that an outage is over does not reach the screen',
    edits: [
      {
        file: 'src/engine/state/freshness.ts',
        find: "this.#context.allClear(STALE, 'orders and account have been read again: sending continues');",
        replace:
          "this.#context.notify('info', 'orders and account have been read again: sending continues');",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/notices.test.ts'] },
  },
  {
    name: 'page-in-alarm',
    what: 'a page of HTML stands in a message',
    edits: [
      {
        file: 'src/api/failures.ts',
        find: ".replace(TAGS, ' ')",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/api/failuresPage.test.ts'] },
  },
  {
    name: 'kill-as-order',
    what: 'a run that was killed is said to have ended in order',
    edits: [
      {
        file: 'src/engine/kernel/startCheck.ts',
        find: "if (this.isTrading) this.end = { how: 'killed', at };",
        replace: "if (this.isTrading) this.end = { how: 'in order', at };",
      },
    ],
    caughtBy: { tests: ['test/engine/kernel/lastRun.test.ts'] },
  },
  {
    name: 'stops-halted-unasked',
    what: 'a halt keeps armed stops from selling, and nobody is asked before',
    edits: [
      {
        file: 'src/cli/commands/daemon/heldQuestions.ts',
        find: "if (yes || context.commandName === 'halt') return 'halted';",
        replace: "if (yes || held.length > 0) return 'halted';",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/daemon/heldQuestions.test.ts'] },
  },
  {
    name: 'reduce-halts',
    what: 'who chooses to reduce instead of to halt gets a halt, and no stop sells',
    edits: [
      {
        file: 'src/cli/commands/daemon/heldQuestions.ts',
        find: "if (/^r(educe)?$/i.test(answer)) return 'reducing';",
        replace: "if (/^r(educe)?$/i.test(answer)) return 'halted';",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/daemon/heldQuestions.test.ts'] },
  },
  {
    name: 'suspended-shown-as-armed',
    what: 'a stop that cannot sell, because trading is halted, is shown as armed',
    edits: [
      {
        file: 'src/ops/model/heldOrders.ts',
        find: 'if (suspended === null) return { ...phase, suspended };',
        replace: "if (suspended !== '') return { ...phase, suspended: null };",
      },
    ],
    caughtBy: { tests: ['test/ops/model/heldOrders.test.ts'] },
  },
  {
    name: 'waiting-order-shown-unsplit',
    what: 'an order that waits to be placed again is shown to its strategy with the shares of before a split',
    edits: [
      {
        file: 'src/engine/strategy/view.ts',
        find: "const isToCome = status === 'waiting' && typeof asked === 'bigint';",
        replace: 'const isToCome = order === undefined;',
      },
    ],
    caughtBy: { tests: ['test/engine/account/corporateActions.test.ts'] },
  },
  {
    name: 'default-loosened-unasked',
    what: 'a reload in mode live widens a limit that the config had left to its default, without --yes',
    edits: [
      {
        file: 'src/app/run/reload.ts',
        find: ' || Number(to) > Number(defaultOf(path, config));',
        replace: ';',
      },
    ],
    caughtBy: { tests: ['test/app/run/reload.test.ts'] },
  },
];
