import type { Mutant } from './mutant.ts';

const outside = { tests: ['test/backtest/outside.test.ts'] };

/** Bugs in what a backtest plays, and in its results. */
export const backtestMutants: readonly Mutant[] = [
  {
    name: 'interval-as-parameter',
    what: '--interval becomes the value of a parameter of that name',
    edits: [
      {
        file: 'src/app/backtest/strategies.ts',
        find: 'if (isTree(value)) return value;',
        replace:
          'if (isTree(value)) return { interval: (arguments[0] as { interval?: string }).interval, ...value };',
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
        find: 'return context.now >= session.close && priced < session.open ? session : null;',
        replace: 'return context.now >= session.close && priced > session.close ? session : null;',
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
        file: 'src/backtest/replay/dayReplay.ts',
        find: 'if (end <= open) bars.pass(end)',
        replace: 'if (end > open) bars.pass(end)',
      },
    ],
    caughtBy: { tests: ['test/backtest/exchangeHalted.test.ts'] },
  },
  {
    name: 'order-outlives-its-week',
    what: 'an order on weekly bars alone waits over a week without any bar for a later open',
    edits: [
      {
        file: 'src/backtest/replay/dayReplay.ts',
        find: 'if (this.#close === 0 || !kernel.fastPath.hasWaiting()) return;',
        replace:
          "if (this.#close === 0 || !kernel.fastPath.hasWaiting() || tapes.every((tape) => tape.interval === '1w')) return;",
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
  {
    name: 'night-by-the-price-of-the-close',
    what: 'an order of a phase is decided by the last price of the one before',
    edits: [
      {
        file: 'src/backtest/tape.ts',
        find: 'this.isShown || end < this.#close ? end : end - 1',
        replace: 'end',
      },
    ],
    caughtBy: outside,
  },
  {
    name: 'ex-date-at-the-open-in-the-evening',
    what: 'who buys in the evening before an ex-date has the dividend in a backtest',
    edits: [
      {
        file: 'src/backtest/actions.ts',
        find: "(outside?.exDates ?? 'evening')",
        replace: "'open'",
      },
    ],
    caughtBy: outside,
  },
  {
    name: 'exit-of-the-night-not-watched',
    what: 'a stop that acts at night alone is not compared with the prices within the bars of a night',
    edits: [
      {
        file: 'src/domain/orders/triggers.ts',
        find: "(order.phases?.includes(phase) ?? phase === 'regular')",
        replace: "(order.phases?.includes('regular') ?? phase === 'regular')",
      },
    ],
    caughtBy: { tests: ['test/backtest/outsideEdges.test.ts'] },
  },
  {
    name: 'dividend-lost-beside-missing-money',
    what: 'any money that is missing at the venue keeps a dividend in tokens from being booked',
    edits: [
      {
        file: 'src/engine/account/shownActions.ts',
        find: 'lacked > 0n && !isOther',
        replace: 'lacked > 0n',
      },
    ],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
  {
    name: 'evening-of-two-windows',
    what: 'a timer after the last close of a part of a walk-forward comes in that part and in the next',
    edits: [
      {
        file: 'src/backtest/plan.ts',
        find: 'const end = to < close ? epochMs(Math.max(to, lastBar + 1)) : to;',
        replace: 'const end = epochMs(to + Infinity);',
      },
    ],
    caughtBy: { tests: ['test/lab/walkForward/seams.test.ts'] },
  },
  {
    name: 'morning-of-no-window',
    what: 'a timer between the begin of a span and its first bar does not come',
    edits: [
      {
        file: 'src/backtest/plan.ts',
        find: 'return first?.at ?? start;',
        replace: 'return first ? start : start;',
      },
    ],
    caughtBy: { tests: ['test/lab/walkForward/seams.test.ts'] },
  },
  {
    name: 'any-growth-a-dividend',
    what: 'doctor takes every growth of a stock for its dividend',
    edits: [
      {
        file: 'src/app/doctor/assumptions/dividends.ts',
        find: 'worth !== null && isWorth(worth, amountOf(one), rules)',
        replace: 'worth !== null && rules.toleranceBps > 0',
      },
    ],
    caughtBy: { tests: ['test/app/doctor/dividends.test.ts'] },
  },
  {
    name: 'premium-of-no-price',
    what: 'a backtest without prices of tokens refuses every buy under a limit on premiums',
    edits: [
      {
        file: 'src/backtest/setup.ts',
        find: 'if (tokenPrices) return { ...limits, premiumBps, outside };',
        replace: 'if (limits || tokenPrices) return { ...limits, premiumBps, outside };',
      },
    ],
    caughtBy: { tests: ['test/backtest/premium.test.ts'] },
  },
];
