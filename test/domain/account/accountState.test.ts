import { beforeEach, describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { epochMs, type EpochMs } from '../../../src/core/brand.ts';
import { InvariantError } from '../../../src/core/errors.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import {
  AAPL,
  anOrder,
  aReport,
  aWish,
  DEADLINE,
  id,
  limitSell,
  MSFT,
  opened,
  SENT,
  settled,
  TX,
} from '../orders.ts';
import type { OrderEvent } from '../../../src/domain/orders/order.ts';

const $ = parseCash;

let books: AccountState;
const tell = (fact: JournalEvent, at: EpochMs = SENT) => books.apply({ at, fact });
const move = (event: OrderEvent, order = 'w1.1') => tell({ kind: 'order', id: id(order), event });
/** Free and reserved mUSD of alpha. */
const money = () => [
  books.ledger.balance('alpha', 'free', 'mUSD'),
  books.ledger.balance('alpha', 'reserved', 'mUSD'),
];
const sent: OrderEvent = { kind: 'sent', at: SENT, deadline: DEADLINE };
const lost: OrderEvent = { kind: 'lost', reason: 'reset' };
const absent: OrderEvent = { kind: 'absent', assumed: false };
const accepted: OrderEvent = { kind: 'accepted', txHash: TX };
const filled = (pay: string, receive: string): OrderEvent => ({
  kind: 'reported',
  report: aReport({ status: 'filled', settlement: settled(pay, receive) }),
});
const reported = (status: 'open' | 'expired' | 'reverted'): OrderEvent => ({
  kind: 'reported',
  report: aReport({ status }),
});

beforeEach(() => {
  books = new AccountState();
  tell(opened);
  tell({ kind: 'allocated', strategyId: 'alpha', amount: $('5000') });
});

describe('the opening of an account state', () => {
  test("books the venue's balances as unallocated and gives each strategy its allocation", () => {
    expect(books.ledger.balance(UNALLOCATED, 'free', 'mUSD')).toBe($('5000'));
    expect(books.ledger.balance(UNALLOCATED, 'free', MSFT)).toBe(parseShares('5'));
    expect(books.allocations.get('alpha')).toBe($('5000'));
    expect(books.ledger.total('mUSD')).toBe($('10000'));
  });

  test('is refused a second time', () => {
    expect(() => tell(opened)).toThrow('an account is opened only once');
  });

  test('refuses an allocation beyond the unallocated cash and records nothing', () => {
    expect(() => tell({ kind: 'allocated', strategyId: 'beta', amount: $('5000.1') })).toThrow(
      InvariantError,
    );
    expect(books.allocations.has('beta')).toBe(false);
  });

  test('lets an allocation be taken back', () => {
    tell({ kind: 'allocated', strategyId: 'alpha', amount: $('-2000', { signed: true }) });
    expect([books.allocations.get('alpha'), money()[0]]).toEqual([$('3000'), $('3000')]);
  });
});

describe('the reserve of an order', () => {
  beforeEach(() => tell({ kind: 'planned', order: anOrder() }));

  test('is set aside as soon as its order is planned', () => {
    expect(money()).toEqual([$('3998.9'), $('1001.1')]);
    expect(books.live.has(id('w1.1'))).toBe(true);
    expect(books.attempts.get('w1')).toBe(1);
  });

  test.each<[name: string, events: OrderEvent[]]>([
    ['sent', [sent]],
    ['unknown', [sent, lost]],
    ['acknowledged', [sent, accepted]],
    ['working', [sent, accepted, reported('open')]],
    ['to be cancelled', [sent, accepted, reported('open'), { kind: 'cancelWanted' }]],
  ])('stays set aside while the order is %s', (_name, events) => {
    for (const event of events) move(event);
    expect(money()).toEqual([$('3998.9'), $('1001.1')]);
  });

  test.each<[name: string, events: OrderEvent[], free: string]>([
    ['abandoned', [{ kind: 'abandoned', reason: 'x' }], '5000'],
    ['refused', [sent, { kind: 'refused', reason: 'x' }], '5000'],
    ['reverted', [sent, accepted, reported('reverted')], '5000'],
    ['never placed', [sent, lost, absent], '5000'],
    ['expired without a fill', [sent, accepted, reported('expired')], '5000'],
    ['filled in whole', [sent, accepted, filled('1001.1', '10')], '3998.9'],
    ['filled for less', [sent, accepted, filled('900', '10')], '4100'],
  ])('is released, less what the order paid, when the order is %s', (_name, events, free) => {
    for (const event of events) move(event);
    expect(money()).toEqual([$(free), 0n]);
    expect(books.live.size).toBe(0);
    expect(books.ledger.total('mUSD')).toBe($(free) + $('5000'));
  });

  test('is set aside only once and never beyond the free cash', () => {
    expect(() => tell({ kind: 'planned', order: anOrder({ id: id('w2.1'), reserve: $('3999') }) })).toThrow(
      'order w2.1 takes more mUSD than is free',
    );
    expect(books.orders.has(id('w2.1'))).toBe(false);
  });
});

describe('a settlement in the account state', () => {
  const sell = anOrder({
    id: id('w2.1'),
    intentId: 'w2',
    terms: limitSell('4', '110'),
    reserve: parseShares('4'),
  });

  test('moves exactly what was paid and received, fees included', () => {
    tell({ kind: 'planned', order: anOrder() });
    for (const event of [sent, accepted, filled('990.5', '9.9')]) move(event);
    expect(books.ledger.held('alpha', AAPL)).toBe(parseShares('9.9'));
    expect(books.ledger.held('alpha', 'mUSD')).toBe($('4009.5'));
    expect(books.filledByIntent.get('w1')).toBe(parseShares('9.9'));
    expect(books.positions.of('alpha', AAPL)).toMatchObject({
      quantity: parseShares('9.9'),
      cost: $('990.5'),
    });

    tell({ kind: 'planned', order: sell });
    expect(books.ledger.balance('alpha', 'reserved', AAPL)).toBe(parseShares('4'));
    move(sent, 'w2.1');
    move({ kind: 'accepted', txHash: '0xbb' }, 'w2.1');
    const report = aReport({ txHash: '0xbb', status: 'cancelled', settlement: settled('3', '329.967') });
    move({ kind: 'reported', report }, 'w2.1');
    expect(books.ledger.held('alpha', AAPL)).toBe(parseShares('6.9'));
    expect(books.ledger.balance('alpha', 'reserved', AAPL)).toBe(0n);
    expect(books.ledger.held('alpha', 'mUSD')).toBe($('4339.467'));
    expect(books.ledger.held(UNALLOCATED, 'mUSD')).toBe($('5000'));
    expect(books.filledByIntent.get('w2')).toBe(parseShares('3'));
  });

  test('adds up over the attempts of one order intent', () => {
    for (const [order, txHash] of [
      ['w1.1', '0x1'],
      ['w1.2', '0x2'],
    ] as const) {
      tell({ kind: 'planned', order: anOrder({ id: id(order) }) });
      move(sent, order);
      const report = aReport({ txHash, status: 'expired', settlement: settled('200', '2') });
      move({ kind: 'reported', report }, order);
    }
    expect(books.filledByIntent.get('w1')).toBe(parseShares('4'));
    expect(books.attempts.get('w1')).toBe(2);
  });
});

describe('an order assumed never placed that turns up', () => {
  const spend = (reserve: string) =>
    tell({ kind: 'planned', order: anOrder({ id: id('w9.1'), reserve: $(reserve) }) });
  beforeEach(() => {
    tell({ kind: 'planned', order: anOrder() });
    for (const event of [sent, lost, absent]) move(event);
  });

  test('is remembered as absent until then', () => {
    expect([...books.absent.keys()]).toEqual(['w1.1']);
    move(accepted);
    expect(books.absent.size).toBe(0);
    expect(books.byTx.get(TX)).toBe('w1.1');
  });

  test('is live again with its money reserved', () => {
    move(accepted);
    expect(money()).toEqual([$('3998.9'), $('1001.1')]);
    expect(books.live.has(id('w1.1'))).toBe(true);
    move(filled('1000', '10'));
    expect(money()).toEqual([$('4000'), 0n]);
  });

  test('uses unallocated cash for what its strategy has spent meanwhile', () => {
    spend('4500');
    move(accepted);
    expect(money()).toEqual([0n, $('5501.1')]);
    expect(books.ledger.balance(UNALLOCATED, 'free', 'mUSD')).toBe($('4498.9'));
  });

  test('uses unallocated cash only for what it paid if it has already settled', () => {
    spend('4500');
    move(filled('600', '6'));
    expect(money()).toEqual([0n, $('4500')]);
    expect(books.ledger.balance(UNALLOCATED, 'free', 'mUSD')).toBe($('4900'));
    expect(books.ledger.held('alpha', AAPL)).toBe(parseShares('6'));
  });

  test('takes no money when it turns up as reverted', () => {
    spend('5000');
    move(reported('reverted'));
    expect(money()).toEqual([0n, $('5000')]);
    expect(books.ledger.balance(UNALLOCATED, 'free', 'mUSD')).toBe($('5000'));
  });

  test('is booked as owed by the account when no free cash is left to cover it', () => {
    spend('5000');
    tell({ kind: 'allocated', strategyId: 'beta', amount: $('5000') });
    const before = books.ledger.total('mUSD');
    move(filled('600', '6'));
    expect(books.positions.of('alpha', AAPL).quantity).toBe(parseShares('6'));
    expect(books.ledger.balance(UNALLOCATED, 'owed', 'mUSD')).toBe(-$('600'));
    expect(books.ledger.held('beta', 'mUSD')).toBe($('5000'));
    expect(books.ledger.total('mUSD')).toBe(before - $('600'));
  });

  test('returns the cash that covered it when it expires without a fill', () => {
    spend('4500');
    tell({ kind: 'allocated', strategyId: 'beta', amount: $('4900') });
    move(reported('open'));
    expect(books.ledger.balance(UNALLOCATED, 'owed', 'mUSD')).toBeLessThan(0n);
    move(reported('expired'));
    expect(books.ledger.balance(UNALLOCATED, 'owed', 'mUSD')).toBe(0n);
    expect(books.ledger.balance(UNALLOCATED, 'free', 'mUSD')).toBe($('100'));
    expect(money()).toEqual([$('500'), $('4500')]);
  });
});

describe('the records of the account state', () => {
  test('keep order intents in order until they end, and count all of them', () => {
    for (const name of ['w1', 'w2', 'w3']) tell({ kind: 'intentCreated', intent: aWish(name) });
    const later = epochMs(SENT + 60_000);
    tell({ kind: 'intentDeferred', id: 'w1', notBefore: later, why: 'closed' });
    tell({ kind: 'intentEnded', id: 'w2', how: 'done', why: '' });
    tell({ kind: 'intentDeferred', id: 'w2', notBefore: later, why: 'it has ended' });
    expect([...books.intents.keys()]).toEqual(['w1', 'w3']);
    expect(books.intents.get('w1')).toEqual({ ...aWish('w1'), notBefore: later });
    expect(books.intentCount).toBe(3);
  });

  test('count the sends of the last minute, without one that is exactly a minute old', () => {
    for (const [index, at] of [0, 1, 30_000].entries()) {
      tell({ kind: 'planned', order: anOrder({ id: id(`w1.${index}`), reserve: 1n }) });
      tell({ kind: 'order', id: id(`w1.${index}`), event: sent }, epochMs(SENT + at));
    }
    const since = (now: number) => books.sends.lastMinute(epochMs(SENT + now));
    expect([since(30_000), since(60_000), since(60_001), since(90_000)]).toEqual([3, 2, 1, 0]);
    const of = (strategyId: string) => books.sends.lastMinute(epochMs(SENT + 30_000), strategyId);
    expect([of('alpha'), of('beta')]).toEqual([3, 0]);
  });

  test('count the sends of the last minute after the clock was set back, without those before', () => {
    const back = -3_600_000;
    for (const [index, at] of [0, 1, back, back + 1].entries()) {
      if (at === back) expect(books.sends.lastMinute(epochMs(SENT + back))).toBe(0);
      tell({ kind: 'planned', order: anOrder({ id: id(`w1.${index}`), reserve: 1n }) });
      tell({ kind: 'order', id: id(`w1.${index}`), event: sent }, epochMs(SENT + at));
    }
    const since = (now: number) => books.sends.lastMinute(epochMs(SENT + now));
    expect([since(back + 30_000), since(back + 60_000), since(-30_000)]).toEqual([2, 1, 0]);
  });

  test('know the transaction hashes of cancels, so that their rows are not attributed to orders', () => {
    tell({ kind: 'planned', order: anOrder() });
    for (const event of [sent, accepted, reported('open')]) move(event);
    for (const event of [
      { kind: 'cancelWanted' },
      { kind: 'cancelSent', deadline: DEADLINE },
      { kind: 'cancelAccepted', txHash: '0xdd' },
    ] as const)
      move(event);
    expect([...books.cancelHashes]).toEqual(['0xdd']);
  });

  test('have no start of the day for a strategy that returns within it, and an empty one for a new strategy', () => {
    tell({ kind: 'session', change: 'opened', date: '2026-03-02', equity: [['', $('5200')]] });
    const later = epochMs(SENT + 1);
    tell({ kind: 'allocated', strategyId: 'alpha', amount: $('500') }, later);
    tell({ kind: 'allocated', strategyId: 'beta', amount: $('300') }, later);
    expect(books.dayStart).toEqual(
      new Map([
        ['', $('6000')],
        ['beta', $('300')],
      ]),
    );
  });

  test("take the equity at a session's open as the start of the day, and count closed sessions", () => {
    tell({ kind: 'session', change: 'opened', date: '2026-03-02', equity: [['', $('10000')]] });
    tell({ kind: 'session', change: 'closed', date: '2026-03-02', equity: [['', $('9000')]] });
    expect(books.dayStart?.get('')).toBe($('10000'));
    expect([books.sessionDate, books.sessionsClosed]).toEqual(['2026-03-02', 1]);
  });

  test("add an accepted balance to its strategy's equity at the start of the day, an unallocated one to none", () => {
    const equity = [['', $('100')] as const, ['alpha', $('100')] as const];
    tell({ kind: 'session', change: 'opened', date: '2026-03-02', equity });
    const adopted = {
      kind: 'balanceAccepted',
      reason: 'sent by hand',
      side: 'venue',
      asset: 'mUSD',
    } as const;
    tell({ ...adopted, strategyId: '', amount: $('70'), value: $('70') });
    expect(books.dayStart).toEqual(new Map(equity));
    tell({ ...adopted, strategyId: 'alpha', amount: $('5'), value: $('5') });
    expect(books.dayStart).toEqual(new Map(equity.map(([strategyId]) => [strategyId, $('105')])));
    expect(books.accepted).toBe($('75'));
  });

  test('keep a strategy stopped until it starts again', () => {
    tell({ kind: 'strategyStopped', strategyId: 'alpha', error: 'boom' });
    expect(books.stopped.get('alpha')).toBe('boom');
    tell({ kind: 'strategyStarted', strategyId: 'alpha' });
    expect(books.stopped.has('alpha')).toBe(false);
  });

  test('refuse a journal event that its order cannot take, and an event of an unknown order', () => {
    tell({ kind: 'planned', order: anOrder() });
    expect(() => move(accepted)).toThrow('the journal has an event that order w1.1 cannot take');
    expect(() => move(sent, 'w7.1')).toThrow('the account state has no order w7.1');
  });
});
