import type { Mutant } from './mutant.ts';

/** Bugs that make what a tax adviser is given wrong. */
export const moneyMutants: readonly Mutant[] = [
  {
    name: 'basis-without-fees',
    what: 'the basis of a lot lacks the fees of its buy',
    edits: [
      {
        file: 'src/domain/lots/lotBook.ts',
        find: 'const basis = cash(-change.cash);',
        replace: 'const basis = change.notional;',
      },
    ],
    caughtBy: { tests: ['test/domain/lots/lotBook.test.ts'] },
  },
  {
    name: 'split-loses-shares',
    what: 'each lot is rounded down by itself at a split, and the last shares have none',
    edits: [
      {
        file: 'src/domain/lots/lotBook.ts',
        find: '(seen * after) / before - given',
        replace: '(lot.shares * after) / before',
      },
    ],
    caughtBy: { tests: ['test/domain/lots/lotBook.test.ts'] },
  },
  {
    name: 'undone-buy-stays-a-lot',
    what: 'a buy that the chain undid is a lot all the same, and twice one when it settles again',
    edits: [
      {
        file: 'src/domain/lots/lotChanges.ts',
        find: "if (change.kind === 'reversed') return change.orderId;",
        replace: "if (change.kind === 'reversed') return null;",
      },
    ],
    caughtBy: { tests: ['test/domain/lots/lotBook.test.ts'] },
  },
  {
    name: 'failed-withdrawal-is-a-deposit',
    what: 'money of a withdrawal that failed comes back as another deposit',
    edits: [
      {
        file: 'src/domain/account/history.ts',
        find: "kind: isBack ? 'flowReturned' : 'flow'",
        replace: "kind: isBack ? 'flow' : 'flow'",
      },
    ],
    caughtBy: { tests: ['test/domain/account/history.test.ts'] },
  },
];
