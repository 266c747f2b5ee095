import type { Mutant } from './mutant.ts';

const lastTurn = { tests: ['test/app/isolation/isolatedStrategyLastTurn.test.ts'] };

/** Bugs at the end of a strategy's thread: its last actions or output are lost. */
export const threadMutants: readonly Mutant[] = [
  {
    name: 'last-turn-not-awaited',
    what: 'a run or backtest is over before the thread of a strategy has had its turn',
    edits: [
      {
        file: 'src/engine/strategy/strategyInstance.ts',
        find: "this.call({ hook: 'onStop' });\n    this.settle();",
        replace: "this.call({ hook: 'onStop' });",
      },
    ],
    caughtBy: lastTurn,
  },
  {
    name: 'answers-after-the-stop-not-awaited',
    what: 'a strategy that fails over an answer after the stop counts as running',
    edits: [
      {
        file: 'src/engine/kernel/kernel.ts',
        find: "if (event.how === 'in order') this.strategies.settle();",
        replace: '',
      },
    ],
    caughtBy: lastTurn,
  },
  {
    name: 'restarted-with-the-unseen-bar',
    what: 'a strategy whose thread another has ended sees the bar of that moment twice: in its warm-up, and as it is shown',
    edits: [
      {
        file: 'src/engine/strategy/strategyInstance.ts',
        find: 'historyOf(this.#context, this.setup, unseen)',
        replace: 'historyOf(this.#context, this.setup)',
      },
    ],
    caughtBy: { tests: ['test/app/isolation/sharedThreads.test.ts'] },
  },
  {
    name: 'prints-lost-with-the-thread',
    what: 'what a strategy prints waits for the main thread, and is lost when its thread ends before',
    edits: [
      { file: 'src/app/realm/compartment.ts', find: 'console: consoleOn(print),', replace: 'console,' },
    ],
    caughtBy: { tests: ['test/app/isolation/threadOutput.test.ts'] },
  },
];
