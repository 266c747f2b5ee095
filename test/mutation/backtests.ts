import type { Mutant } from './mutant.ts';

/** Bugs in what a backtest plays, and in what it tells of it. */
export const backtestMutants: readonly Mutant[] = [
  {
    name: 'interval-as-parameter',
    what: '--interval becomes the value of a parameter of that name',
    edits: [
      {
        file: 'src/app/backtest/strategies.ts',
        find: "if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;",
        replace:
          "if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { interval: (arguments[0] as { interval?: string }).interval, ...value };",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/backtest/backtestStore.test.ts'] },
  },
  {
    name: 'halted-order-waits-on',
    what: 'an order for a symbol without a price all session fills on a later day',
    edits: [
      {
        file: 'src/engine/state/market.ts',
        find: 'return context.now >= meant.close && priced < meant.open ? meant : null;',
        replace: 'return context.now >= meant.close && priced > meant.close ? meant : null;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/halted.test.ts', 'test/backtest/exchangeHalted.test.ts'] },
  },
  {
    name: 'order-outlives-a-stop',
    what: 'an order for a session that closed while no run was on goes out in a later one',
    edits: [
      {
        file: 'src/engine/intents/intents.ts',
        find: 'return this.#context.now >= close',
        replace: 'return this.#context.now < close - close',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/missedSession.test.ts'] },
  },
  {
    name: 'halted-order-of-unplayed-session',
    what: 'a backtest lets an order outlive a session that has no bar of any symbol',
    edits: [
      {
        file: 'src/backtest/replay/barReplay.ts',
        find: 'if (end <= open) this.#act',
        replace: 'if (end > open) this.#act',
      },
    ],
    caughtBy: { tests: ['test/backtest/exchangeHalted.test.ts'] },
  },
  {
    name: 'order-outlives-its-week',
    what: 'an order on weekly bars alone waits over a week without any bar for a later open',
    edits: [
      {
        file: 'src/backtest/replay/barReplay.ts',
        find: 'if (this.#close === 0 || !this.#fastPath.hasWaiting) return;',
        replace:
          "if (this.#close === 0 || !this.#fastPath.hasWaiting || this.#input.tapes.every((tape) => tape.interval === '1w')) return;",
      },
    ],
    caughtBy: { tests: ['test/backtest/runBacktestWeekly.test.ts'] },
  },
  {
    name: 'delisted-without-a-word',
    what: 'a symbol whose bars end early is not named',
    edits: [
      {
        file: 'src/backtest/delisting.ts',
        find: 'latest.close >= end.close) return [];',
        replace: 'latest.close <= end.close) return [];',
      },
    ],
    caughtBy: { tests: ['test/backtest/delisting.test.ts'] },
  },
  {
    name: 'write-off-without-loss',
    what: 'shares that are written off cost their strategy nothing',
    edits: [
      {
        file: 'src/domain/account/actionBook.ts',
        find: "positions.settle({ strategyId, symbol, side: 'sell', pay: quantity, receive: 0n });",
        replace:
          "positions.settle({ strategyId, symbol, side: 'sell', pay: quantity, receive: positions.of(strategyId, symbol).cost });",
      },
    ],
    caughtBy: { tests: ['test/backtest/delisting.test.ts'] },
  },
  {
    name: 'saved-without-decision-time',
    what: 'a saved run loses when its orders were decided',
    edits: [
      {
        file: 'src/app/backtest/record.ts',
        find: 'fills: [...result.fills],',
        replace: 'fills: result.fills.map(({ decidedAt: _decidedAt, ...fill }) => fill),',
      },
    ],
    caughtBy: { tests: ['test/app/backtest/record.test.ts'] },
  },
];
