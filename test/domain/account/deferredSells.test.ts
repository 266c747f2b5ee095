import { beforeEach, describe, expect, test } from 'vitest';
import { cash, parseCash, parseShares, shares, type Shares } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import { compareAccount, expectedDebt } from '../../../src/domain/account/comparison.ts';
import {
  deferredUnderWay,
  repaymentOf,
  uncommittedShares,
} from '../../../src/domain/account/deferredSells.ts';
import { DEBT, OUTSIDE, WALLET } from '../../../src/domain/account/ledger.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import type { TransferEvent } from '../../../src/domain/transfers/transfer.ts';
import { anOperation, opId, termsOf } from '../operations.ts';
import {
  AAPL,
  anOrder,
  aReport,
  DEADLINE,
  deferredSell,
  id,
  MSFT,
  opened,
  SENT,
  settled,
  TX,
} from '../orders.ts';
import type { OrderEvent } from '../../../src/domain/orders/order.ts';

const $ = parseCash;

let books: AccountState;
const note = (...facts: readonly JournalEvent[]) => {
  for (const fact of facts) books.apply({ at: SENT, fact });
};
const left = (except?: string) => uncommittedShares(books, AAPL, except);
const plan = (name: string, quantity: string) =>
  note({
    kind: 'planned',
    order: anOrder({ id: id(`${name}.1`), intentId: name, terms: deferredSell(quantity), reserve: 0n }),
  });
const move = (name: string, ...events: readonly OrderEvent[]) =>
  note(...events.map((event) => ({ kind: 'order', id: id(`${name}.1`), event }) as const));
const sent: OrderEvent = { kind: 'sent', at: SENT, deadline: DEADLINE };
const filled: OrderEvent = {
  kind: 'reported',
  report: aReport({ status: 'filled', settlement: settled('3', '299.7') }),
};
const sell = () => {
  plan('w1', '3');
  move('w1', sent, { kind: 'accepted', txHash: TX }, filled);
};
const repay = (amount: string) =>
  note({ kind: 'transferPlanned', transfer: anOperation({ terms: termsOf('repay', parseShares(amount)) }) });
const follow = (...events: readonly TransferEvent[]) =>
  note(...events.map((event) => ({ kind: 'transfer', id: opId(1), event }) as const));

// 10 AAPL in the wallet, of which 2 are owed; alpha has 5000 mUSD.
beforeEach(() => {
  books = new AccountState();
  note(
    opened,
    { kind: 'allocated', strategyId: 'alpha', amount: $('5000') },
    { kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('10')]] },
    { kind: 'debtsOpened', debts: [[AAPL, parseShares('2')]] },
    {
      kind: 'session',
      date: '2026-06-15',
      change: 'opened',
      equity: [
        ['alpha', $('5000')],
        ['', $('5000')],
      ],
    },
  );
});

describe('wallet stock that is free for a deferred sell', () => {
  test('excludes shares owed and shares of open deferred sells', () => {
    expect(left()).toBe($('8'));
    plan('w1', '3');
    expect(left()).toBe($('5'));
    expect(left('w1.1')).toBe($('8'));
    expect(uncommittedShares(books, MSFT)).toBe(0n);
  });

  test('is the same before, during and after a repayment', () => {
    const seen: (Shares | null)[] = [];
    repay('2');
    seen.push(left());
    follow({ kind: 'sent', at: SENT });
    expect(repaymentOf(books, AAPL)?.id).toBe('op-1');
    follow({ kind: 'accepted', txHash: TX }, { kind: 'shown' });
    seen.push(left());
    expect(seen).toEqual([$('8'), $('8')]);
    expect([books.ledger.at(WALLET, AAPL), books.ledger.at(DEBT, AAPL)]).toEqual([$('8'), 0n]);
    expect(repaymentOf(books, AAPL)).toBeUndefined();
  });

  test('is unknown until wallet and debts were read', () => {
    books = new AccountState();
    note(opened, { kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('10')]] });
    expect(left()).toBeNull();
  });
});

describe('a filled deferred sell', () => {
  test("is owed in shares, and its proceeds add to the strategy's capital, not to its profit", () => {
    sell();
    expect(books.ledger.at(DEBT, AAPL)).toBe(-$('5'));
    expect(books.ledger.total(AAPL)).toBe(0n);
    expect(books.ledger.held('alpha', 'mUSD')).toBe($('5299.7'));
    expect(books.positions.all('alpha').size).toBe(0);
    expect(books.dayStart).toEqual(
      new Map([
        ['alpha', $('5299.7')],
        ['', $('5299.7')],
      ]),
    );
    expect(books.trades.deferredProceeds).toBe($('299.7'));
    expect(left()).toBe($('5'));
    expect([...books.undelivered]).toEqual(['w1.1']);
  });

  test('is reversed completely when the chain undoes it', () => {
    sell();
    move('w1', { kind: 'reopened', report: aReport() });
    expect(books.ledger.at(DEBT, AAPL)).toBe(-$('2'));
    expect(books.ledger.at(OUTSIDE, AAPL)).toBe(-$('8'));
    expect(books.ledger.held('alpha', 'mUSD')).toBe($('5000'));
    expect(books.dayStart).toEqual(
      new Map([
        ['alpha', $('5000')],
        ['', $('5000')],
      ]),
    );
    expect(books.trades.deferredProceeds).toBe(0n);
    expect(left()).toBe($('5'));
    move('w1', filled);
    expect(books.ledger.at(DEBT, AAPL)).toBe(-$('5'));
  });

  test('owes only the shares it has filled, and is refused beyond the shares of its order', () => {
    plan('w1', '3');
    const partly = aReport({ status: 'cancelled', settlement: settled('1', '99.9') });
    move('w1', sent, { kind: 'accepted', txHash: TX }, { kind: 'reported', report: partly });
    expect([books.ledger.at(DEBT, AAPL), left()]).toEqual([-$('3'), $('7')]);
    plan('w2', '1');
    const report = aReport({ txHash: '0xbb', status: 'filled', settlement: settled('1.1', '109') });
    expect(() =>
      move('w2', sent, { kind: 'accepted', txHash: '0xbb' }, { kind: 'reported', report }),
    ).toThrow(/cannot take/);
  });
});

describe('the account comparison with deferred sells', () => {
  const compare = (owed: string, mUsd = '10000') =>
    compareAccount(books, {
      cash: cash($(mUsd)),
      holdings: new Map([
        [MSFT, { exchange: parseShares('5'), wallet: shares(0n) }],
        [AAPL, { exchange: shares(0n), wallet: parseShares('10') }],
      ]),
      debts: new Map([[AAPL, parseShares(owed)]]),
    });

  test('expects the shares owed, and explains more by an open deferred sell', () => {
    expect(compare('2')).toEqual([]);
    plan('w1', '3');
    move('w1', sent);
    expect(expectedDebt(books, AAPL)).toEqual({ expected: $('2'), least: $('2'), most: $('5') });
    expect(compare('5', '10299.7')).toMatchObject([
      { asset: 'mUSD', explainable: true },
      { side: 'debt', asset: AAPL, explainable: true, surplus: 0n },
    ]);
    expect(compare('6')).toMatchObject([{ side: 'debt', explainable: false, surplus: $('1') }]);
    expect(deferredUnderWay(books, AAPL)).toBe($('3'));
  });
});
