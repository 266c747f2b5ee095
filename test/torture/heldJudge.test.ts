import { expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { SyntheticTerms } from '../../src/domain/orders/syntheticOrder.ts';
import { judgeHeld } from './heldJudge.ts';
import { JournalSide } from './journalSide.ts';
import { markOfTrue, type TrueOrder } from './sides.ts';
import type { Leg } from '../../src/domain/orders/order.ts';

const USER = '0xuser';
const at = (minute: number): string => `2026-06-15T14:0${minute}:00.000Z`;

const BRACKET = {
  kind: 'bracket',
  entry: { kind: 'buyShares', quantity: parseShares('10') },
  takeProfit: { price: parsePrice('110') },
  stopLoss: { price: parsePrice('95') },
  exitAfter: null,
} as unknown as SyntheticTerms;

/** An order of a leg at the venue. `from` and `to`: minutes; without `to` it is open. */
type Sent = Readonly<{ leg: Leg; shares: string; from: number; to?: number; of?: string }>;

const truthOf = ({ leg, shares, from, to }: Sent, index: number): TrueOrder => {
  const isBuy = leg === 'entry' || leg === 'slice';
  return {
    orderId: `0x${index}`,
    txHash: `0xa${index}`,
    userAddress: USER,
    apiKey: 'key',
    symbol: ticker('AAPL'),
    stockAddress: '0x3',
    side: isBuy ? 'Buy' : 'Sell',
    type: 'Limit',
    quantity: shares,
    notional: null,
    price: '100',
    status: to === undefined ? 'New' : 'Filled',
    filledQuantity: to === undefined ? '0' : shares,
    settlePay: to === undefined ? null : isBuy ? '1000' : shares,
    settleReceive: to === undefined ? null : isBuy ? shares : '1000',
    mintFee: '0',
    protocolFee: '0',
    deadline: `2026-06-15T15:00:${String(10 + index)}.000Z`,
    minedAt: at(from),
    reserve: '0',
    settledAt: to === undefined ? null : at(to),
    lie: null,
  };
};

/** What the judge says of one held order whose legs were sent so. */
function judged(terms: SyntheticTerms, legs: readonly Sent[], lied: readonly string[] = []): string[] {
  const journal = new JournalSide('');
  const read = (fact: object) => journal.held.orders.read({ at: epochMs(0), fact: fact as JournalEvent });
  read({ kind: 'syntheticPlaced', order: { id: 'solo-1', strategyId: 'solo', symbol: 'AAPL', terms } });
  const orders = legs.map((sent, index) => {
    const [id, truth] = [`solo-${index + 2}`, truthOf(sent, index)];
    read({ kind: 'intentCreated', intent: { id, parent: { id: 'solo-1', leg: sent.leg }, terms: {} } });
    read({ kind: 'planned', order: { id: `${id}.1`, intentId: id } });
    const mark = markOfTrue(truth);
    journal.sends.set(mark, [{ id: `${id}.1` as never, mark, at: epochMs(0) }]);
    return truth;
  });
  const truth = { now: at(9), orders, accounts: [], requests: {} };
  return judgeHeld({ journal, truth, userAddress: USER }, new Set(lied)).map(({ text }) => text);
}

const entry: Sent = { leg: 'entry', shares: '10', from: 1, to: 2 };

test('the held-order judge accepts a bracket that sells what it bought, one leg after the other', () => {
  expect(
    judged(BRACKET, [
      entry,
      { leg: 'take profit', shares: '4', from: 3, to: 4 },
      { leg: 'exit', shares: '6', from: 4, to: 5 },
    ]),
  ).toEqual([]);
});

test('the held-order judge accepts two take-profit legs at once and reports one leg sent twice', () => {
  const first: Sent = { leg: 'take profit', shares: '4', from: 3, to: 5 };
  expect(judged(BRACKET, [entry, first, { ...first, leg: 'second take profit' }])).toEqual([]);
  expect(judged(BRACKET, [entry, first, { ...first, from: 4, to: 6 }])).toHaveLength(1);
});

test('the held-order judge reports a take-profit and an exit at the venue at once', () => {
  const both: Sent[] = [
    { leg: 'take profit', shares: '4', from: 3, to: 5 },
    { leg: 'exit', shares: '6', from: 4, to: 6 },
  ];
  expect(judged(BRACKET, [entry, ...both])).toEqual([
    'solo-4.1 (exit) of solo-1 is at the venue beside solo-3.1 (take profit)',
  ]);
  expect(judged(BRACKET, [entry, ...both], ['AAPL'])).toEqual([]);
});

test('the held-order judge reports an exit that overlaps its entry, and accepts a take-profit that does', () => {
  const open: Sent = { leg: 'entry', shares: '10', from: 1, to: 5 };
  expect(judged(BRACKET, [open, { leg: 'take profit', shares: '4', from: 3 }])).toEqual([]);
  expect(judged(BRACKET, [open, { leg: 'exit', shares: '4', from: 3 }])).toHaveLength(1);
});

test('the held-order judge reports a bracket that may sell more than it bought', () => {
  expect(judged(BRACKET, [entry, { leg: 'exit', shares: '10.5', from: 3 }])).toEqual([
    'solo-1 sells 10.5, and may 10',
  ]);
});

test('the held-order judge reports a working order that exceeds its total, and two slices at once', () => {
  const work = { kind: 'work', side: 'buy', total: { quantity: parseShares('10') } } as SyntheticTerms;
  expect(
    judged(work, [
      { leg: 'slice', shares: '6', from: 1, to: 3 },
      { leg: 'slice', shares: '6', from: 2, to: 4 },
    ]),
  ).toEqual([
    'solo-3.1 (slice) of solo-1 is at the venue beside solo-2.1 (slice)',
    'solo-1 works 12, and may 10',
  ]);
});
