import { expect, test } from 'vitest';
import { amountsIn } from './amountsIn.ts';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import {
  AAPL,
  anOrder,
  aReport,
  aWish,
  DEADLINE,
  id,
  marketSell,
  opened,
  SENT,
  settled,
  states,
} from '../orders.ts';
import { transition } from '../../../src/domain/orders/orderMachine.ts';

const closedBy = (pay: string, receive: string) =>
  aReport({ status: 'filled', settlement: settled(pay, receive) });
const of = (name: string, event: object): JournalEvent =>
  ({ kind: 'order', id: id(name), event }) as JournalEvent;
const life = (name: string, report: object): JournalEvent[] => [
  of(name, { kind: 'sent', at: SENT, deadline: DEADLINE }),
  of(name, { kind: 'accepted', txHash: `0x${name}` }),
  of(name, { kind: 'reported', report: { ...report, txHash: `0x${name}` } }),
];
const reopened = (name: string) => of(name, { kind: 'reopened', report: aReport({ txHash: `0x${name}` }) });

function booksWith(facts: readonly JournalEvent[]): AccountState {
  const books = new AccountState();
  for (const fact of facts) books.apply({ at: SENT, fact });
  return books;
}

const bought: JournalEvent[] = [
  opened,
  { kind: 'allocated', strategyId: 'alpha', amount: parseCash('2000') },
  { kind: 'intentCreated', intent: aWish('w1') },
  { kind: 'planned', order: anOrder() },
  ...life('w1.1', closedBy('1001.1', '10')),
];
const sellOrder = anOrder({
  id: id('w2.1'),
  intentId: 'w2',
  terms: marketSell('10'),
  reserve: parseShares('10'),
});
const sold: JournalEvent[] = [
  ...bought,
  { kind: 'planned', order: sellOrder },
  ...life('w2.1', closedBy('10', '1200')),
];

test('a reopened order leaves the account state as before its settlement, with the order live again', () => {
  const books = booksWith([...bought, reopened('w1.1')]);
  const before = booksWith(bought.slice(0, 4));
  expect(books.ledger.held('alpha', 'mUSD')).toBe(before.ledger.held('alpha', 'mUSD'));
  expect(books.ledger.balance('alpha', 'reserved', 'mUSD')).toBe(parseCash('1001.1'));
  expect(books.ledger.total(AAPL)).toBe(0n);
  expect([...books.live.keys()]).toEqual(['w1.1']);
  expect(books.filledByIntent.get('w1')).toBe(0n);
});

test('a reopened order keeps the time of its plan, whatever time the venue reports', () => {
  const report = aReport({ txHash: '0xw1.1', createdAt: epochMs(0) });
  const books = booksWith([...bought, of('w1.1', { kind: 'reopened', report })]);
  expect(books.order(id('w1.1')).state).toMatchObject({ kind: 'working', at: anOrder().plannedAt });
});

test('a reopened sell leaves no realised profit, and its shares are reserved again', () => {
  const books = booksWith([...sold, reopened('w2.1')]);
  expect(books.positions.of('alpha', AAPL)).toEqual({
    quantity: parseShares('10'),
    cost: parseCash('1001.1'),
    realised: 0n,
  });
  expect(books.ledger.balance('alpha', 'reserved', AAPL)).toBe(parseShares('10'));
});

test('a reopened order takes its turnover back, but not from a later day', () => {
  const books = booksWith(bought);
  expect(books.trades.turnover.of('alpha')).toBe(parseCash('1001.1'));
  books.apply({ at: SENT, fact: reopened('w1.1') });
  expect(books.trades.turnover.of('alpha')).toBe(0n);
  const later = booksWith(bought);
  const at = epochMs(SENT + 1);
  later.apply({ at, fact: { kind: 'session', change: 'opened', date: '2026-03-03', equity: [] } });
  later.apply({ at, fact: reopened('w1.1') });
  expect([later.trades.turnover.of('alpha'), later.trades.turnover.of()]).toEqual([0n, 0n]);
});

test('shares of a reopened buy that were sold since are owed until the buy settles again', () => {
  const missing = booksWith([...sold, reopened('w1.1')]);
  expect(missing.ledger.balance('', 'owed', AAPL)).toBe(-parseShares('10'));
  expect(missing.ledger.total(AAPL)).toBe(-parseShares('10'));
  missing.apply({
    at: SENT,
    fact: of('w1.1', { kind: 'reported', report: { ...closedBy('1001.1', '10'), txHash: '0xw1.1' } }),
  });
  expect(missing.ledger.balance('', 'owed', AAPL)).toBe(0n);
  expect(missing.ledger.total(AAPL)).toBe(0n);
});

test('an order that settles after its revert is booked like any fill, also from the journal', () => {
  const facts = [...bought.slice(0, 4), ...life('w1.1', aReport({ status: 'reverted', orderId: null }))];
  const settles = of('w1.1', {
    kind: 'reported',
    report: { ...closedBy('1001.1', '10'), txHash: '0xw1.1' },
  });
  const books = booksWith([...facts, settles]);
  const plain = booksWith(bought);
  expect(amountsIn(books.ledger)).toEqual(amountsIn(plain.ledger));
  expect(books.positions).toEqual(plain.positions);
  expect(books.filledByIntent.get('w1')).toBe(plain.filledByIntent.get('w1'));
});

test('only a closed or reverted order can be reopened, and only by its own transaction', () => {
  const become = (state: keyof typeof states, txHash?: string) =>
    transition(anOrder({ state: states[state] }), {
      kind: 'reopened',
      report: aReport(txHash === undefined ? {} : { txHash }),
    }).kind;
  expect([become('closed'), become('reverted')]).toEqual(['moved', 'moved']);
  for (const state of ['planned', 'sent', 'working', 'neverExisted', 'refused'] as const)
    expect(become(state)).toBe('illegal');
  expect(become('closed', '0xother')).toBe('illegal');
});
