import type { Mutant } from './mutant.ts';

const exits = { tests: ['test/engine/account/exitDividends.test.ts'] };

/** Bugs that make the figures for a tax adviser wrong. */
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
  {
    name: 'growth-booked-twice',
    what: 'shares that come after a dividend in tokens are booked as the same dividend again',
    edits: [{ file: 'src/domain/account/actionBook.ts', find: '    this.unpaid.delete(id);\n', replace: '' }],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
  {
    name: 'fill-booked-as-dividend',
    what: 'shares of a buy that rests are booked as the dividend that is due',
    edits: [
      {
        file: 'src/engine/account/shownActions.ts',
        find: "(terms.side === 'buy' || state",
        replace: '(state',
      },
    ],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
  {
    name: 'any-growth-is-the-dividend',
    what: 'a part of a dividend in tokens is booked as all of it',
    edits: [
      {
        file: 'src/domain/corporateAction.ts',
        find: 'return off * BPS <= due * BigInt(toleranceBps);',
        replace: 'return worth <= due || off * BPS <= due * BigInt(toleranceBps);',
      },
    ],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
  {
    name: 'any-growth-is-the-tokens',
    what: 'shares are booked as a dividend because the multiplier of their token has risen, by whatever',
    edits: [
      {
        file: 'src/engine/account/multiplierHistory.ts',
        find: 'return magnitude(growth - expected) <= expected / PART + STEP;',
        replace: 'return growth >= 0n && expected > 0n;',
      },
    ],
    caughtBy: { tests: ['test/engine/account/multiplierHistory.test.ts'] },
  },
  {
    name: 'multiplier-from-after-the-payment',
    what: 'growth counts from a multiplier that was read when it had grown already',
    edits: [
      {
        file: 'src/engine/account/multiplierHistory.ts',
        find: '(this.#known.get(symbol)?.before ?? now)',
        replace: '(this.#known.get(symbol)?.before ?? stepOf(0))',
      },
    ],
    caughtBy: { tests: ['test/engine/account/multiplierHistory.test.ts'] },
  },
  {
    name: 'wallet-grows-unseen',
    what: 'a dividend in tokens is booked although the wallet has not grown',
    edits: [
      {
        file: 'src/engine/account/dividends.ts',
        find: "const PLACES: readonly Side[] = ['venue', 'wallet', 'debt'];",
        replace: "const PLACES: readonly Side[] = ['venue'];",
      },
    ],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
  {
    name: 'withholding-forgotten',
    what: 'a dividend is due without what is withheld of it',
    edits: [
      {
        file: 'src/domain/corporateAction.ts',
        find: 'withheldBps === 0 ? perShare',
        replace: 'withheldBps >= 0 ? perShare',
      },
    ],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
  {
    name: 'dividend-lot-for-nothing',
    what: 'shares that came for a dividend have no basis',
    edits: [
      {
        file: 'src/domain/lots/lotBook.ts',
        find: "source: 'dividend', basis: change.amount",
        replace: "source: 'dividend', basis: null",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/money/money.test.ts'] },
  },
  {
    name: 'exit-lowered-twice',
    what: 'a stop is lowered by a dividend again with each list that names it',
    edits: [
      {
        file: 'src/engine/account/exitDividends.ts',
        find: ' || dividends?.ids.includes(id)) continue',
        replace: ') continue',
      },
    ],
    caughtBy: exits,
  },
  {
    name: 'exit-lowered-on-the-ex-date',
    what: 'a stop that is given after the open of an ex-date is lowered by its dividend',
    edits: [
      {
        file: 'src/engine/account/exitDividends.ts',
        find: 'if (order.at >= begins || trigger',
        replace: 'if (trigger',
      },
    ],
    caughtBy: exits,
  },
  {
    name: 'bracket-trail-from-before-the-dividend',
    what: 'the trailing stop of a bracket rises to where it was before the dividend',
    edits: [
      {
        file: 'src/engine/synthetic/bracket.ts',
        find: 'const paid = asPrice(average - (dividends?.amount ?? 0n));',
        replace: 'const paid = dividends ? average : asPrice(average);',
      },
    ],
    caughtBy: exits,
  },
  {
    name: 'entitled-by-what-is-held-now',
    what: 'shares that were bought on an ex-date or after it have a part in its dividend',
    edits: [
      {
        file: 'src/engine/account/dividends.ts',
        find: 'if (moved.size === 0) return ledger;',
        replace: 'if (moved.size >= 0) return ledger;',
      },
    ],
    caughtBy: { tests: ['test/engine/account/dividends.test.ts'] },
  },
];
