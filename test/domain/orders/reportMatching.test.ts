import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../../src/core/brand.ts';
import {
  matchReport,
  couldBe,
  deniedBy,
  isShownUnderOtherHash,
  hashMismatchOf,
  sameTerms,
} from '../../../src/domain/orders/reportMatching.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { OrderReport, OrderTerms, ReportedTerms } from '../../../src/domain/venue.ts';
import {
  AAPL,
  anOrder,
  aReport,
  DEADLINE,
  deferredSell,
  id,
  limitBuy,
  limitSell,
  marketBuy,
  marketSell,
  MSFT,
  opened,
  SENT,
  TX,
} from '../orders.ts';
import type { OrderEvent } from '../../../src/domain/orders/order.ts';

/** A limit buy of 10 AAPL at 100, as the venue tells it. */
const told: ReportedTerms = {
  symbol: AAPL,
  side: 'buy',
  type: 'limit',
  notional: null,
  quantity: parseShares('10'),
  price: parsePrice('100'),
};
const sent: OrderEvent = { kind: 'sent', at: SENT, deadline: DEADLINE };
const lost: OrderEvent = { kind: 'lost', reason: 'reset' };

let books: AccountState;
const plan = (name: string, changes: Parameters<typeof anOrder>[0] = {}) =>
  books.apply({ at: SENT, fact: { kind: 'planned', order: anOrder({ id: id(name), ...changes }) } });
const move = (name: string, ...events: OrderEvent[]) => {
  for (const event of events) books.apply({ at: SENT, fact: { kind: 'order', id: id(name), event } });
};
const whose = (changes: Partial<OrderReport> = {}) =>
  matchReport(aReport({ terms: told, ...changes }), books);

beforeEach(() => {
  books = new AccountState();
  books.apply({ at: SENT, fact: opened });
  books.apply({ at: SENT, fact: { kind: 'allocated', strategyId: 'alpha', amount: parseCash('8000') } });
});

describe('attribute', () => {
  test('a row with a hash of ours is that order’s, whatever else it says and however it has ended', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX });
    expect(whose({ terms: { ...told, symbol: MSFT }, createdAt: epochMs(0) })).toEqual({
      kind: 'known',
      id: 'w1.1',
    });
    move('w1.1', { kind: 'absent', assumed: false });
    expect(whose()).toEqual({ kind: 'known', id: 'w1.1' });
  });

  test('an order whose own transaction is known is found by it alone, even before its answer', () => {
    plan('w1.1');
    move('w1.1', { ...sent, txHash: TX });
    expect(whose()).toEqual({ kind: 'known', id: 'w1.1' });
    expect(whose({ txHash: '0xbb' })).toEqual({ kind: 'external' });
    move('w1.1', lost);
    expect(whose({ txHash: '0xbb' })).toEqual({ kind: 'external' });
  });

  test('a row with the terms and time of an order without an answer is that order, found', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose()).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test('one that was closed as never placed is found too', () => {
    plan('w1.1');
    move('w1.1', sent, lost, { kind: 'absent', assumed: true });
    expect(whose()).toEqual({ kind: 'found', id: 'w1.1' });
    expect(whose({ terms: { ...told, symbol: MSFT } })).toEqual({ kind: 'external' });
  });

  test('an order whose answer is still on its way waits for it', () => {
    plan('w1.1');
    move('w1.1', sent);
    expect(whose()).toEqual({ kind: 'wait' });
  });

  test('a row without terms could be any order without an answer: it waits', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ terms: null, status: 'pending' })).toEqual({ kind: 'wait' });
  });

  test('so does a row of which not all terms are told', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ terms: { ...told, price: null } })).toEqual({ kind: 'wait' });
    expect(whose({ terms: { ...told, price: null, symbol: MSFT } })).toEqual({ kind: 'external' });
  });

  test('so does a row of which nobody tells when it was made', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ createdAt: epochMs(0) })).toEqual({ kind: 'wait' });
    expect(whose({ createdAt: epochMs(0), terms: { ...told, symbol: MSFT } })).toEqual({ kind: 'external' });
  });

  test('a row that two orders could be is nobody’s to decide', () => {
    for (const name of ['w1.1', 'w2.1']) {
      plan(name);
      move(name, sent, lost);
    }
    expect(whose()).toEqual({ kind: 'ambiguous', ids: ['w1.1', 'w2.1'] });
  });

  test('unless they are one owner’s on the same terms, and one of them has ended: the other takes it, and that one the next', () => {
    for (const name of ['w1.1', 'w2.1']) plan(name);
    move('w1.1', sent, { kind: 'refused', reason: 'unauthorized', unproven: true });
    move('w2.1', sent);
    expect(whose()).toEqual({ kind: 'wait' });
    move('w2.1', lost);
    expect(whose()).toEqual({ kind: 'found', id: 'w2.1' });
    move('w2.1', { kind: 'accepted', txHash: TX });
    expect(whose({ txHash: `0x${'9'.repeat(64)}` })).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test('where one of them is another owner’s, it is still nobody’s to decide', () => {
    books.apply({ at: SENT, fact: { kind: 'allocated', strategyId: 'beta', amount: parseCash('2000') } });
    plan('w1.1');
    plan('w2.1', { strategyId: 'beta' });
    move('w1.1', sent, { kind: 'refused', reason: 'unauthorized', unproven: true });
    move('w2.1', sent, lost);
    expect(whose()).toEqual({ kind: 'ambiguous', ids: ['w2.1', 'w1.1'] });
  });

  test('of two orders without an answer the one with the same terms is meant', () => {
    plan('w1.1');
    plan('w2.1', { terms: limitBuy('10', '101') });
    for (const name of ['w1.1', 'w2.1']) move(name, sent, lost);
    expect(whose({ terms: { ...told, price: parsePrice('101') } })).toEqual({ kind: 'found', id: 'w2.1' });
  });

  test.each<[name: string, createdAt: number, kind: string]>([
    ['25 s before it was sent, by a clock that is apart', SENT - 25_000, 'found'],
    ['longer before', SENT - 25_001, 'external'],
    ['a minute past its deadline', DEADLINE * 1000 + 60_000, 'found'],
    ['longer past it', DEADLINE * 1000 + 60_001, 'external'],
  ])('a row made %s', (_name, createdAt, kind) => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ createdAt: epochMs(createdAt) }).kind).toBe(kind);
    expect(whose({ createdAt: epochMs(createdAt), terms: null }).kind).toBe(kind === 'found' ? 'wait' : kind);
  });

  test.each<[name: string, events: OrderEvent[]]>([
    ['planned', []],
    ['refused', [sent, { kind: 'refused', reason: 'session' }]],
    ['abandoned', [{ kind: 'abandoned', reason: 'restart' }]],
    [
      'gone with another hash',
      [sent, { kind: 'accepted', txHash: '0xbb' }, { kind: 'absent', assumed: false }],
    ],
  ])('a row like an order that is %s is foreign', (_name, events) => {
    plan('w1.1');
    move('w1.1', ...events);
    expect(whose()).toEqual({ kind: 'external' });
    expect(whose({ terms: null })).toEqual({ kind: 'external' });
  });

  test('a row like an order that the venue has yet to show under another hash may be its own', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: '0xbb' });
    expect(whose()).toEqual({ kind: 'wait' });
    expect(whose({ terms: null })).toEqual({ kind: 'wait' });
    expect(whose({ terms: { ...told, symbol: MSFT } })).toEqual({ kind: 'external' });
    expect(whose({ createdAt: epochMs(0) })).toEqual({ kind: 'external' });
    move('w1.1', { kind: 'reported', report: aReport({ txHash: '0xbb' }) });
    expect(whose({ orderId: '0xcc' })).toEqual({ kind: 'external' });
  });

  test('a row with the id of an order that is known is about it, as its cancel is, and no other order like it', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX }, { kind: 'reported', report: aReport() });
    const cancel = { txHash: '0xbb', status: 'cancelled' } as const;
    expect(whose(cancel)).toEqual({ kind: 'wait' });
    plan('w2.1');
    move('w2.1', sent, lost);
    expect(whose(cancel)).toEqual({ kind: 'wait' });
    expect(couldBe(books.order(id('w2.1')), aReport({ terms: told, ...cancel }), books)).toBe(false);
    expect(whose({ ...cancel, orderId: '0xcc' })).toEqual({ kind: 'found', id: 'w2.1' });
  });

  test('it is found among all orders that ever were without a look at each, with what marks it as hex or not', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX }, { kind: 'reported', report: aReport() });
    move('w1.1', { kind: 'reported', report: aReport({ status: 'cancelled' }) });
    const looks = vi.spyOn(books.orders, 'values');
    expect(whose({ txHash: '0xbb' })).toEqual({ kind: 'wait' });
    expect(whose({ txHash: '0xbb', orderId: '01' })).toEqual({ kind: 'wait' });
    expect(whose({ txHash: '0xbb', orderId: '0x02' })).toEqual({ kind: 'external' });
    expect(looks).not.toHaveBeenCalled();
  });

  test('with no order at all every row is foreign', () => {
    expect(whose()).toEqual({ kind: 'external' });
  });

  test('an order sent later is not taken for an earlier row', () => {
    plan('w1.1');
    move('w1.1', { ...sent, at: epochMs(SENT + 60_000), deadline: epochSeconds(DEADLINE + 60) }, lost);
    expect(whose()).toEqual({ kind: 'external' });
  });
});

describe('sameTerms', () => {
  const none = { quantity: null, notional: null, price: null };
  const buyOf = (text: string): ReportedTerms => ({
    ...none,
    symbol: AAPL,
    side: 'buy',
    type: 'market',
    notional: parseCash(text),
  });
  const sellOf = (text: string): ReportedTerms => ({
    ...none,
    symbol: AAPL,
    side: 'sell',
    type: 'market',
    quantity: parseShares(text),
  });

  test.each<[name: string, ours: OrderTerms, theirs: ReportedTerms, same: boolean]>([
    ['the same limit order', limitBuy('10', '100'), told, true],
    ['another price', limitBuy('10', '100.01'), told, false],
    ['another quantity', limitBuy('10.000000000000000001', '100'), told, false],
    ['another symbol', limitBuy('10', '100', MSFT), told, false],
    ['another side', limitSell('10', '100'), told, false],
    ['another type', marketBuy('1000'), told, false],
    ['a price that is not told', limitBuy('10', '100'), { ...told, price: null }, false],
    ['a quantity that is not told', limitBuy('10', '100'), { ...told, quantity: null }, false],
    ['a notional beside it', limitBuy('10', '100'), { ...told, notional: parseCash('1000') }, true],
    ['the same market buy', marketBuy('100'), buyOf('100'), true],
    ['another notional', marketBuy('100'), buyOf('100.01'), false],
    ['a notional that is not told', marketBuy('100'), { ...buyOf('100'), notional: null }, false],
    ['the same market sell', marketSell('3'), sellOf('3'), true],
    ['other shares', marketSell('3'), sellOf('3.1'), false],
  ])('%s: %s', (...[, ours, theirs, same]) => {
    expect(sameTerms(ours, theirs)).toBe(same);
  });
});

describe('mistakenFor', () => {
  const other = aReport({ terms: { ...told, symbol: MSFT } });

  test('is the order whose answer named the transaction of a row on other terms', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX });
    expect(hashMismatchOf(aReport({ terms: told }), books)).toBeUndefined();
    expect(hashMismatchOf(aReport({ terms: null }), books)).toBeUndefined();
    expect(hashMismatchOf(other, books)?.id).toBe('w1.1');
    move('w1.1', { kind: 'mistaken', reason: 'of another order' });
    expect(hashMismatchOf(other, books)).toBeUndefined();
    expect(whose()).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test.each<[string, OrderTerms, Partial<ReportedTerms>]>([
    ['the quantity', limitBuy('10', '100'), { quantity: null }],
    ['the price', limitBuy('10', '100'), { price: null }],
    ['the notional', marketBuy('1000'), { type: 'market', quantity: null, price: null }],
    ['the shares of a sell', marketSell('3'), { type: 'market', side: 'sell', quantity: null, price: null }],
  ])('is none of which the venue does not tell %s: that contradicts nothing', (_name, terms, untold) => {
    books.apply({
      at: SENT,
      fact: {
        kind: 'balanceAccepted',
        reason: 'given',
        side: 'venue',
        asset: AAPL,
        strategyId: 'alpha',
        amount: parseShares('5'),
        value: parseCash('0'),
      },
    });
    plan('w1.1', { terms, reserve: terms.side === 'sell' ? parseShares('3') : parseCash('1002') });
    move('w1.1', sent, { kind: 'accepted', txHash: TX });
    expect(hashMismatchOf(aReport({ terms: { ...told, ...untold } }), books)).toBeUndefined();
  });

  test('is the order whose answer named a transaction from before it was sent', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX });
    const from = (createdAt: number) => aReport({ terms: null, createdAt: epochMs(createdAt) });
    expect(hashMismatchOf(from(SENT - 25_000), books)).toBeUndefined();
    expect(hashMismatchOf(from(SENT - 25_001), books)?.id).toBe('w1.1');
    // Of when it was made, the venue has told nothing.
    expect(hashMismatchOf(from(0), books)).toBeUndefined();
  });

  test('is none that the venue has shown', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX }, { kind: 'reported', report: aReport() });
    expect(hashMismatchOf(other, books)).toBeUndefined();
  });
});

describe('an order whose transaction the wallet signed itself', () => {
  const other = aReport({ terms: { ...told, symbol: MSFT } });
  const request = { chainId: 143, to: '0x01', nonce: 7, raw: '0x02', txHash: TX } as const;

  beforeEach(() => {
    plan('w1.1');
    books.apply({
      at: SENT,
      fact: { kind: 'order', id: id('w1.1'), event: { ...sent, txHash: TX }, request },
    });
  });

  test('is never taken for one that was answered with the transaction of another', () => {
    move('w1.1', { kind: 'accepted', txHash: TX });
    expect(hashMismatchOf(other, books)).toBeUndefined();
    const elsewhere = aReport({ terms: told, txHash: '0xbb' });
    expect(isShownUnderOtherHash(books.order(id('w1.1')), elsewhere, books)).toBe(false);
  });

  test.each<[string, readonly OrderEvent[]]>([
    ['before its answer', []],
    ['with its answer lost', [lost]],
    ['once it is accepted', [{ kind: 'accepted', txHash: TX }]],
    ['while it rests', [{ kind: 'reported', report: aReport({ status: 'open', rawStatus: 'Open' }) }]],
  ])('is denied by a row of another order under it, %s', (_when, events) => {
    move('w1.1', ...events);
    expect(deniedBy(other, books)?.id).toBe('w1.1');
    expect(deniedBy(aReport({ terms: null, createdAt: epochMs(SENT - 25_001) }), books)?.id).toBe('w1.1');
    expect(deniedBy(aReport({ terms: told }), books)).toBeUndefined();
    expect(deniedBy(aReport({ terms: null, createdAt: epochMs(0) }), books)).toBeUndefined();
  });

  test('is not denied when the venue chose the transaction, nor after its end', () => {
    plan('w2.1');
    move('w2.1', sent, { kind: 'accepted', txHash: '0xcc' });
    expect(deniedBy({ ...other, txHash: '0xcc' }, books)).toBeUndefined();
    move('w1.1', lost, { kind: 'absent', assumed: false });
    expect(deniedBy(other, books)).toBeUndefined();
  });
});

describe('a deferred sell', () => {
  const row: ReportedTerms = {
    symbol: AAPL,
    side: 'sell',
    type: 'market',
    quantity: parseShares('3'),
    notional: null,
    price: null,
  };
  const deferred: ReportedTerms = { ...row, deferred: true };

  test('whose answer was lost is found by a row that is marked so, and by no other', () => {
    plan('w1.1', { terms: deferredSell('3'), reserve: 0n });
    move('w1.1', sent, lost);
    expect(whose({ terms: row })).toEqual({ kind: 'wait' });
    expect(whose({ terms: deferred })).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test('of another hand is no plain sell of ours', () => {
    expect(sameTerms(marketSell('3'), deferred)).toBe(false);
    expect(sameTerms(marketSell('3'), row)).toBe(true);
  });
});
