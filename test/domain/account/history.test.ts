import fc from 'fast-check';
import { chmodSync, cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import type { AccountChange } from '../../../src/domain/account/accountChange.ts';
import { ACCOUNT_KINDS, AccountHistory } from '../../../src/domain/account/history.ts';
import { OWED, UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { readJournal } from '../../../src/store/readJournal.ts';
import { planOf } from '../../simulation/plan.ts';
import { Simulation } from '../../simulation/simulation.ts';
import { AccountJournal } from '../accountJournal.ts';
import { AAPL, MSFT } from '../orders.ts';
import { someDay } from './someDay.ts';
import { runs } from '../../runs.ts';

/** Checks after each entry that the changes add up to the ledger, and that covers only move between owners. */
function historyOf(entries: Iterable<JournalEntry>): readonly AccountChange[] {
  const history = new AccountHistory();
  const sums = new Map<string, bigint>();
  const all: AccountChange[] = [];
  const add = (strategyId: string, asset: string, amount: bigint) =>
    sums.set(`${strategyId} ${asset}`, (sums.get(`${strategyId} ${asset}`) ?? 0n) + amount);
  for (const entry of entries) {
    const changes = history.apply(entry);
    for (const { strategyId, cash, symbol, shares } of changes) {
      add(strategyId, 'mUSD', cash);
      if (symbol !== null) add(strategyId, symbol, shares);
    }
    const covers = changes.filter(({ kind }) => kind === 'covered');
    expect(covers.reduce((sum, { cash }) => sum + cash, 0n)).toBe(0n);
    expect(covers.reduce((sum, { shares }) => sum + shares, 0n)).toBe(0n);
    all.push(...changes);
    const { ledger } = history.account;
    for (const asset of ledger.assets)
      for (const id of ledger.strategyIds) {
        const owned = ledger.held(id, asset) + (id === UNALLOCATED ? ledger.at(OWED, asset) : 0n);
        if ((sums.get(`${id} ${asset}`) ?? 0n) !== owned)
          expect([entry.fact.kind, id, asset, sums.get(`${id} ${asset}`)]).toEqual([
            entry.fact.kind,
            id,
            asset,
            owned,
          ]);
      }
  }
  return all;
}

/** Change as text, for tests: kind, owner, cash, shares. */
const brief = ({ kind, strategyId, cash, symbol, shares }: AccountChange) =>
  [kind, strategyId || '-', formatDecimal(cash), `${formatDecimal(shares)} ${symbol ?? ''}`.trim()].join(' ');

describe('the account history adds up to the ledger', () => {
  test('for any random day', () => {
    fc.assert(
      fc.property(someDay, (entries) => void historyOf(entries)),
      { numRuns: runs(60) },
    );
  });

  test.each(['journal-0.3.0', 'journal-0.3.0-resumed'])('for %s, read by its account kinds alone', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-history-'));
    cpSync(fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)), folder, { recursive: true });
    chmodSync(join(folder, 'state'), 0o700);
    const reader = readJournal(join(folder, 'state', 'journal.sqlite'));
    const all = historyOf(reader.lines());
    const few = historyOf(reader.ofKinds(ACCOUNT_KINDS));
    reader.close();
    expect(few).toEqual(all);
    expect(all.some(({ kind }) => kind === 'traded')).toBe(true);
  });

  test('for a simulated day with faults', async () => {
    const simulation = new Simulation(planOf(1, { short: true }), {});
    await simulation.run();
    const changes = historyOf(simulation.disk.entries());
    expect(changes.some(({ kind }) => kind === 'traded')).toBe(true);
  }, 60_000);
});

test('the account history shows a trade with fees, tag and both amounts, and a failed withdrawal as returned', () => {
  const journal = new AccountJournal().open('1000', [[AAPL, '2', '90']]).allocate('600');
  journal.trade({ side: 'buy', quantity: '3', price: '100', fee: '0.3', tag: 'dip' });
  journal.transfer('cashWithdrawal', { amount: '50' });
  journal.transfer('cashWithdrawal', { amount: '20', end: 'refused' });
  const changes = historyOf(journal.entries);
  expect(changes.map(brief)).toEqual([
    'opened - 1000 0',
    'opened - 0 2 AAPL',
    'allocated - -600 0',
    'allocated alpha 600 0',
    'traded alpha -300.3 3 AAPL',
    'flow - -50 0',
    'flow - -20 0',
    'flowReturned - 20 0',
  ]);
  expect(changes[1]).toMatchObject({ price: parsePrice('90') });
  expect(changes[4]).toMatchObject({
    orderId: 'w1.1',
    intentId: 'w1',
    tag: 'dip',
    side: 'buy',
    quantity: parseShares('3'),
    notional: parseCash('300'),
    mintFee: parseCash('0.3'),
    deferred: false,
  });
});

test('the account history reverses an undone settlement and lists the cover of others separately', () => {
  const journal = new AccountJournal().open('1000').allocate('600');
  const buy = { side: 'buy', quantity: '3', price: '100' } as const;
  const id = journal.trade(buy);
  journal.trade({ side: 'sell', quantity: '3', price: '110' });
  journal.reopen(id).settleAgain(id, buy);
  expect(historyOf(journal.entries).map(brief).slice(3)).toEqual([
    'traded alpha -300 3 AAPL',
    'traded alpha 330 -3 AAPL',
    'reversed alpha 300 -3 AAPL',
    'covered - 0 -3 AAPL',
    'covered alpha 0 3 AAPL',
    'traded alpha -300 3 AAPL',
    'covered - 0 3 AAPL',
    'covered alpha 0 -3 AAPL',
  ]);
});

test('the account history shows cash for a deferred sell, and no venue movement for a repayment', () => {
  const journal = new AccountJournal().open('1000').allocate('600');
  journal.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('5')]] });
  journal.trade({ side: 'sell', quantity: '2', price: '100', fee: '0.02', deferred: true });
  journal.transfer('repay', { amount: '2', value: '200' });
  const changes = historyOf(journal.entries).slice(3);
  expect(changes.map(brief)).toEqual(['traded alpha 199.98 0 AAPL', 'debtRepaid - 0 0 AAPL']);
  expect(changes).toMatchObject([
    { deferred: true, quantity: parseShares('2') },
    { quantity: parseShares('2') },
  ]);
});

test('the account history lists dividends, splits, stock moved in, accepted balances and write-offs', () => {
  const journal = new AccountJournal().open('1000', [[AAPL, '1', '90']]).allocate('600');
  journal.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('5')]] });
  journal.trade({ side: 'buy', quantity: '3', price: '100' });
  const dividend = journal.entitle('0.5', '2026-02-02');
  journal.trade({ side: 'sell', quantity: '1', price: '100' });
  journal.pay(dividend).split(1n, 4n);
  journal.transfer('stockDeposit', { amount: '2', value: '50' });
  journal.add({
    kind: 'balanceAccepted',
    side: 'venue',
    asset: MSFT,
    strategyId: 'alpha',
    amount: parseShares('1'),
    value: parseCash('300'),
    reason: 'gift',
  });
  const writtenOff = {
    strategyId: 'alpha',
    symbol: MSFT,
    quantity: parseShares('1'),
    value: parseCash('0.1'),
  };
  journal.add({ kind: 'writtenOff', ...writtenOff, why: 'delisted' });
  const changes = historyOf(journal.entries).slice(5);
  expect(changes.map(brief)).toEqual([
    'entitled alpha 0 0 AAPL',
    'entitled - 0 0 AAPL',
    'traded alpha 100 -1 AAPL',
    'paid - 3 0',
    'paid alpha 1.5 0',
    'split - 0 3 AAPL',
    'split alpha 0 6 AAPL',
    'flow - 0 2 AAPL',
    'flow alpha 0 1 MSFT',
    'writtenOff alpha 0 -1 MSFT',
  ]);
  // 0.5 for 3 shares of alpha, and for one at the venue and five in the wallet that are unallocated
  expect(changes[0]).toMatchObject({ quantity: parseShares('3'), amount: parseCash('1.5') });
  expect(changes[4]).toMatchObject({ quantity: parseShares('3'), amount: parseCash('1.5') });
  expect(changes[1]).toMatchObject({ quantity: parseShares('6'), amount: parseCash('3') });
  expect(changes[7]).toMatchObject({ source: 'stockDeposit', value: parseCash('50') });
});
