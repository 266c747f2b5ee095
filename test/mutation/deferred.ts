import type { Mutant } from './mutant.ts';

const played = { tests: ['test/engine/treasury/deferredSells.test.ts'] };
const booked = { tests: ['test/domain/account/deferredSells.test.ts'] };

/** Bugs in deferred sells: more is owed than the wallet has, or their proceeds and debts are booked wrong. */
export const deferredMutants: readonly Mutant[] = [
  {
    name: 'deferred-sell-is-short',
    what: 'a deferred sell leaves although the wallet has less than it sells',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: 'if (left >= quantity) return null;',
        replace: 'if (left >= 0n) return null;',
      },
    ],
    caughtBy: played,
  },
  {
    name: 'debt-unbounded',
    what: 'deferred sells owe more than limits.debt',
    edits: [
      {
        file: 'src/domain/limitBreach.ts',
        find: 'tooLarge(order, limits) ?? tooMuchDebt(order, limits, at)',
        replace: 'tooLarge(order, limits)',
      },
    ],
    caughtBy: played,
  },
  {
    name: 'open-deferred-sells-owe-nothing',
    what: 'a second deferred sell counts on the stock that an open one is to owe',
    edits: [
      {
        file: 'src/domain/account/deferredSells.ts',
        find: 'repaid - owedWith(state, symbol, except)',
        replace: 'repaid + ledger.at(DEBT, symbol)',
      },
    ],
    caughtBy: booked,
  },
  {
    name: 'deferred-proceeds-are-profit',
    what: 'stock of the wallet that was turned into cash counts as a profit of the day',
    edits: [
      {
        file: 'src/domain/account/accountState.ts',
        find: '    if (!change) this.#shiftEquity(strategyId, cash(receive));\n',
        replace: '',
      },
    ],
    caughtBy: booked,
  },
  {
    name: 'deferred-sell-beside-repayment',
    what: 'a deferred sell leaves while a repayment is under way, which then shows in no debt',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: '    if (repayment) return this',
        replace: '    if (repayment && !repayment) return this',
      },
    ],
    caughtBy: played,
  },
  {
    name: 'owed-stock-deposited',
    what: 'stock that is to repay a debt is deposited for a sell',
    edits: [
      {
        file: 'src/engine/treasury/policy.ts',
        find: '  if ((freshness.uncommittedOf(symbol) ?? missing) < missing) return null;\n',
        replace: '',
      },
    ],
    caughtBy: played,
  },
  {
    name: 'deferred-sell-gone-though-owed',
    what: 'a deferred sell is closed as never placed although the debt shows it',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: "return this.#hasDebts && explained('mUSD') && explained(keyOf({ side: 'debt', asset: symbol }));",
        replace: 'return this.#hasDebts;',
      },
    ],
    caughtBy: played,
  },
  {
    name: 'plain-row-is-a-deferred-sell',
    what: 'a plain sell of another hand is taken for a deferred sell whose answer was lost',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: '  if (isDeferred(ours) !== (theirs.deferred ?? false)) return false;\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/reportMatching.test.ts'] },
  },
  {
    name: 'reducing-lets-debts-grow',
    what: 'a deferred sell leaves while trading only reduces',
    edits: [
      {
        file: 'src/engine/intents/sizing.ts',
        find: "sized.terms.side === 'buy' || isDeferred(sized.terms)",
        replace: "sized.terms.side === 'buy'",
      },
      {
        file: 'src/engine/risk/restrictions.ts',
        find: "terms.side === 'sell' && !isDeferred(terms)",
        replace: "terms.side === 'sell'",
      },
    ],
    caughtBy: played,
  },
];
