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

/** A limit buy of 10 AAPL at 100, as the venue reports it. */
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

describe('attribution of a venue row', () => {
  test('gives a row with a known transaction hash to that order, whatever its terms, time and end', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX });
    expect(whose({ terms: { ...told, symbol: MSFT }, createdAt: epochMs(0) })).toEqual({
      kind: 'known',
      id: 'w1.1',
    });
    move('w1.1', { kind: 'absent', assumed: false });
    expect(whose()).toEqual({ kind: 'known', id: 'w1.1' });
  });

  test('finds an order with a known transaction by that hash alone, even before the response', () => {
    plan('w1.1');
    move('w1.1', { ...sent, txHash: TX });
    expect(whose()).toEqual({ kind: 'known', id: 'w1.1' });
    expect(whose({ txHash: '0xbb' })).toEqual({ kind: 'external' });
    move('w1.1', lost);
    expect(whose({ txHash: '0xbb' })).toEqual({ kind: 'external' });
  });

  test('finds an order of unknown outcome by terms and time', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose()).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test('finds an order assumed never placed by terms and time', () => {
    plan('w1.1');
    move('w1.1', sent, lost, { kind: 'absent', assumed: true });
    expect(whose()).toEqual({ kind: 'found', id: 'w1.1' });
    expect(whose({ terms: { ...told, symbol: MSFT } })).toEqual({ kind: 'external' });
  });

  test('waits while the response of a matching order is pending', () => {
    plan('w1.1');
    move('w1.1', sent);
    expect(whose()).toEqual({ kind: 'wait' });
  });

  test('waits on a row without terms while any order is unknown', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ terms: null, status: 'pending' })).toEqual({ kind: 'wait' });
  });

  test('waits on a row with missing terms that otherwise matches an unknown order', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ terms: { ...told, price: null } })).toEqual({ kind: 'wait' });
    expect(whose({ terms: { ...told, price: null, symbol: MSFT } })).toEqual({ kind: 'external' });
  });

  test('waits on a row without a creation time that otherwise matches an unknown order', () => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ createdAt: epochMs(0) })).toEqual({ kind: 'wait' });
    expect(whose({ createdAt: epochMs(0), terms: { ...told, symbol: MSFT } })).toEqual({ kind: 'external' });
  });

  test('is ambiguous when two unknown orders match', () => {
    for (const name of ['w1.1', 'w2.1']) {
      plan(name);
      move(name, sent, lost);
    }
    expect(whose()).toEqual({ kind: 'ambiguous', ids: ['w1.1', 'w2.1'] });
  });

  test('prefers the unknown order over an unproven refusal of the same strategy, which takes the next row', () => {
    for (const name of ['w1.1', 'w2.1']) plan(name);
    move('w1.1', sent, { kind: 'refused', reason: 'unauthorized', unproven: true });
    move('w2.1', sent);
    expect(whose()).toEqual({ kind: 'wait' });
    move('w2.1', lost);
    expect(whose()).toEqual({ kind: 'found', id: 'w2.1' });
    move('w2.1', { kind: 'accepted', txHash: TX });
    expect(whose({ txHash: `0x${'9'.repeat(64)}` })).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test('is ambiguous when the two matching orders belong to different strategies', () => {
    books.apply({ at: SENT, fact: { kind: 'allocated', strategyId: 'beta', amount: parseCash('2000') } });
    plan('w1.1');
    plan('w2.1', { strategyId: 'beta' });
    move('w1.1', sent, { kind: 'refused', reason: 'unauthorized', unproven: true });
    move('w2.1', sent, lost);
    expect(whose()).toEqual({ kind: 'ambiguous', ids: ['w2.1', 'w1.1'] });
  });

  test('chooses among two unknown orders the one with the same terms', () => {
    plan('w1.1');
    plan('w2.1', { terms: limitBuy('10', '101') });
    for (const name of ['w1.1', 'w2.1']) move(name, sent, lost);
    expect(whose({ terms: { ...told, price: parsePrice('101') } })).toEqual({ kind: 'found', id: 'w2.1' });
  });

  test.each<[name: string, createdAt: number, kind: string]>([
    ['25 s before it was sent', SENT - 25_000, 'found'],
    ['more than 25 s before it was sent', SENT - 25_001, 'external'],
    ['a minute past its deadline', DEADLINE * 1000 + 60_000, 'found'],
    ['more than a minute past its deadline', DEADLINE * 1000 + 60_001, 'external'],
  ])('judges a row by its time: created %s', (_name, createdAt, kind) => {
    plan('w1.1');
    move('w1.1', sent, lost);
    expect(whose({ createdAt: epochMs(createdAt) }).kind).toBe(kind);
    expect(whose({ createdAt: epochMs(createdAt), terms: null }).kind).toBe(kind === 'found' ? 'wait' : kind);
  });

  test.each<[name: string, events: OrderEvent[]]>([
    ['planned', []],
    ['abandoned', [{ kind: 'abandoned', reason: 'restart' }]],
    [
      'proved absent under another hash',
      [sent, { kind: 'accepted', txHash: '0xbb' }, { kind: 'absent', assumed: false }],
    ],
  ])('is external when the only matching order is %s', (_name, events) => {
    plan('w1.1');
    move('w1.1', ...events);
    expect(whose()).toEqual({ kind: 'external' });
    expect(whose({ terms: null })).toEqual({ kind: 'external' });
  });

  test('finds an order that the venue has refused and carried out, if no other fits', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'refused', reason: 'session' });
    expect(whose()).toEqual({ kind: 'found', id: 'w1.1' });
    plan('w2.1');
    move('w2.1', sent, lost);
    expect(whose()).toEqual({ kind: 'found', id: 'w2.1' });
  });

  test('waits on a row that matches an accepted order the venue has not shown yet', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: '0xbb' });
    expect(whose()).toEqual({ kind: 'wait' });
    expect(whose({ terms: null })).toEqual({ kind: 'wait' });
    expect(whose({ terms: { ...told, symbol: MSFT } })).toEqual({ kind: 'external' });
    expect(whose({ createdAt: epochMs(0) })).toEqual({ kind: 'external' });
    move('w1.1', { kind: 'reported', report: aReport({ txHash: '0xbb' }) });
    expect(whose({ orderId: '0xcc' })).toEqual({ kind: 'external' });
  });

  test("treats a row with the venue id of a known order as that order's, and matches it with no other", () => {
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

  test('finds a venue id, with or without 0x, without iterating over all orders', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX }, { kind: 'reported', report: aReport() });
    move('w1.1', { kind: 'reported', report: aReport({ status: 'cancelled' }) });
    const looks = vi.spyOn(books.orders, 'values');
    expect(whose({ txHash: '0xbb' })).toEqual({ kind: 'wait' });
    expect(whose({ txHash: '0xbb', orderId: '01' })).toEqual({ kind: 'wait' });
    expect(whose({ txHash: '0xbb', orderId: '0x02' })).toEqual({ kind: 'external' });
    expect(looks).not.toHaveBeenCalled();
  });

  test('is external when there are no orders', () => {
    expect(whose()).toEqual({ kind: 'external' });
  });

  test('does not give a row to an order that was sent later', () => {
    plan('w1.1');
    move('w1.1', { ...sent, at: epochMs(SENT + 60_000), deadline: epochSeconds(DEADLINE + 60) }, lost);
    expect(whose()).toEqual({ kind: 'external' });
  });
});

describe('sameTerms(ours, theirs)', () => {
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
    ['a missing price', limitBuy('10', '100'), { ...told, price: null }, false],
    ['a missing quantity', limitBuy('10', '100'), { ...told, quantity: null }, false],
    ['an additional notional', limitBuy('10', '100'), { ...told, notional: parseCash('1000') }, true],
    ['the same market buy', marketBuy('100'), buyOf('100'), true],
    ['another notional', marketBuy('100'), buyOf('100.01'), false],
    ['a missing notional', marketBuy('100'), { ...buyOf('100'), notional: null }, false],
    ['the same market sell', marketSell('3'), sellOf('3'), true],
    ['other shares', marketSell('3'), sellOf('3.1'), false],
  ])('compares %s: %s', (...[, ours, theirs, same]) => {
    expect(sameTerms(ours, theirs)).toBe(same);
  });
});

describe('hashMismatchOf(row)', () => {
  const other = aReport({ terms: { ...told, symbol: MSFT } });

  test('names the order whose response gave the hash of a row with other terms', () => {
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
  ])("names no order when the venue's row leaves out %s", (_name, terms, untold) => {
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

  test('names the order whose response gave a transaction from before its send', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX });
    const from = (createdAt: number) => aReport({ terms: null, createdAt: epochMs(createdAt) });
    expect(hashMismatchOf(from(SENT - 25_000), books)).toBeUndefined();
    expect(hashMismatchOf(from(SENT - 25_001), books)?.id).toBe('w1.1');
    // The venue reports no creation time.
    expect(hashMismatchOf(from(0), books)).toBeUndefined();
  });

  test('names no order that the venue has already shown', () => {
    plan('w1.1');
    move('w1.1', sent, { kind: 'accepted', txHash: TX }, { kind: 'reported', report: aReport() });
    expect(hashMismatchOf(other, books)).toBeUndefined();
  });
});

describe('an order whose transaction the wallet signed', () => {
  const other = aReport({ terms: { ...told, symbol: MSFT } });
  const request = { chainId: 143, to: '0x01', nonce: 7, raw: '0x02', txHash: TX } as const;

  beforeEach(() => {
    plan('w1.1');
    books.apply({
      at: SENT,
      fact: { kind: 'order', id: id('w1.1'), event: { ...sent, txHash: TX }, request },
    });
  });

  test("is never suspected of a response with another order's hash", () => {
    move('w1.1', { kind: 'accepted', txHash: TX });
    expect(hashMismatchOf(other, books)).toBeUndefined();
    const elsewhere = aReport({ terms: told, txHash: '0xbb' });
    expect(isShownUnderOtherHash(books.order(id('w1.1')), elsewhere, books)).toBe(false);
  });

  test.each<[string, readonly OrderEvent[]]>([
    ['before its response', []],
    ['with its response lost', [lost]],
    ['once it is accepted', [{ kind: 'accepted', txHash: TX }]],
    ['while it is open', [{ kind: 'reported', report: aReport({ status: 'open', rawStatus: 'Open' }) }]],
  ])('is contradicted by a row of another order under its hash, %s', (_when, events) => {
    move('w1.1', ...events);
    expect(deniedBy(other, books)?.id).toBe('w1.1');
    expect(deniedBy(aReport({ terms: null, createdAt: epochMs(SENT - 25_001) }), books)?.id).toBe('w1.1');
    expect(deniedBy(aReport({ terms: told }), books)).toBeUndefined();
    expect(deniedBy(aReport({ terms: null, createdAt: epochMs(0) }), books)).toBeUndefined();
  });

  test('is not contradicted by a row when the venue chose the transaction, or once the order has ended', () => {
    plan('w2.1');
    move('w2.1', sent, { kind: 'accepted', txHash: '0xcc' });
    expect(deniedBy({ ...other, txHash: '0xcc' }, books)).toBeUndefined();
    move('w1.1', lost, { kind: 'absent', assumed: false });
    expect(deniedBy(other, books)).toBeUndefined();
  });
});

describe('a deferred sell in attribution', () => {
  const row: ReportedTerms = {
    symbol: AAPL,
    side: 'sell',
    type: 'market',
    quantity: parseShares('3'),
    notional: null,
    price: null,
  };
  const deferred: ReportedTerms = { ...row, deferred: true };

  test('of unknown outcome is found only by a row marked as deferred', () => {
    plan('w1.1', { terms: deferredSell('3'), reserve: 0n });
    move('w1.1', sent, lost);
    expect(whose({ terms: row })).toEqual({ kind: 'wait' });
    expect(whose({ terms: deferred })).toEqual({ kind: 'found', id: 'w1.1' });
  });

  test('that is external does not match a plain sell of the same terms', () => {
    expect(sameTerms(marketSell('3'), deferred)).toBe(false);
    expect(sameTerms(marketSell('3'), row)).toBe(true);
  });
});
