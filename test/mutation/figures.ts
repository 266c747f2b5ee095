import type { Mutant } from './mutant.ts';

/** Bugs that make the figures of a run wrong without a sign of it. */
export const figureMutants: readonly Mutant[] = [
  {
    name: 'turnover-by-session',
    what: 'the turnover of a fund is the lesser of bought and sold of a session, and 0 for most',
    edits: [
      {
        file: 'src/statistics/exposure.ts',
        find: 'const name = date.slice(0, 4);',
        replace: 'const name = date;',
      },
    ],
    caughtBy: { tests: ['test/statistics/traps.test.ts'] },
  },
  {
    name: 'decision-at-the-order',
    what: 'the price at a decision is the one of when its order was planned, after a night',
    edits: [
      {
        file: 'src/backtest/decisions.ts',
        find: "if (fact.kind !== 'wished') return;\n    const { id, symbol, at } = fact.wish;",
        replace:
          "if (fact.kind !== 'planned') return;\n    const { wish: id, terms, plannedAt: at } = fact.order;\n    const { symbol } = terms;",
      },
    ],
    caughtBy: { tests: ['test/backtest/measuring.test.ts', 'test/backtest/weekly.test.ts'] },
  },
  {
    name: 'decision-before-a-split',
    what: 'a price at a decision from before a split is held against fills of after it',
    edits: [
      {
        file: 'src/backtest/trades.ts',
        find: '    this.#decisions.split(symbol, per);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/backtest/actions.test.ts'] },
  },
  {
    name: 'payment-silences-split',
    what: 'any corporate action of a day hides that a split of it is missing',
    edits: [
      {
        file: 'src/market/inspectBars.ts',
        find: 'if (sizeOf(left) <= JUMP) return [];',
        replace: 'if (known.length > 0) return [];',
      },
    ],
    caughtBy: { tests: ['test/market/inspectBars.test.ts'] },
  },
];
