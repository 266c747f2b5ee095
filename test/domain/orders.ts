import { parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { Order, OrderId, OrderState } from '../../src/domain/orders/order.ts';
import type { OrderReport, OrderTerms, Settlement } from '../../src/domain/venue.ts';
import type { OrderIntent } from '../../src/domain/orders/orderIntent.ts';

export const AAPL = ticker('AAPL');
export const MSFT = ticker('MSFT');
export const STOCK = '0x1111111111111111111111111111111111111111';
/** When orders of the tests are sent, and the second until which they are valid. */
export const SENT = epochMs(1_700_000_000_000);
export const DEADLINE = epochSeconds(1_700_000_090);
export const TX = '0xaa';
export const VENUE_ID = '0x01';

export const id = (text: string) => text as OrderId;

export const limitBuy = (quantity: string, price: string, symbol = AAPL): OrderTerms => ({
  symbol,
  stock: STOCK,
  type: 'limit',
  side: 'buy',
  quantity: parseShares(quantity),
  price: parsePrice(price),
});
export const limitSell = (quantity: string, price: string, symbol = AAPL): OrderTerms => ({
  symbol,
  stock: STOCK,
  type: 'limit',
  side: 'sell',
  quantity: parseShares(quantity),
  price: parsePrice(price),
});
export const marketBuy = (notional: string, symbol = AAPL): OrderTerms => ({
  symbol,
  stock: STOCK,
  type: 'market',
  side: 'buy',
  notional: parseCash(notional),
});
export const marketSell = (quantity: string, symbol = AAPL): OrderTerms => ({
  symbol,
  stock: STOCK,
  type: 'market',
  side: 'sell',
  quantity: parseShares(quantity),
});
export const deferredSell = (quantity: string, symbol = AAPL): OrderTerms => ({
  ...marketSell(quantity, symbol),
  funding: { kind: 'deferred' },
});

/** A limit buy of 10 AAPL at 100, which may take 1001.1. */
export const anOrder = (changes: Partial<Order> = {}): Order => ({
  id: id('w1.1'),
  intentId: 'w1',
  strategyId: 'alpha',
  reason: 'test',
  plannedAt: SENT,
  terms: limitBuy('10', '100'),
  reserve: parseCash('1001.1'),
  state: { kind: 'planned' },
  cancel: { kind: 'none' },
  ...changes,
});

export const settled = (pay: string, receive: string): Settlement => ({
  price: parsePrice('100'),
  pay: parseCash(pay),
  receive: parseCash(receive),
  mintFee: parseCash('0'),
  protocolFee: parseCash('0'),
  txHash: '0xcc',
});

export const aReport = (changes: Partial<OrderReport> = {}): OrderReport => ({
  txHash: TX,
  orderId: VENUE_ID,
  status: 'open',
  rawStatus: 'New',
  createdAt: SENT,
  terms: null,
  locked: null,
  settlement: null,
  ...changes,
});

/** 10000 mUSD and 5 MSFT at the venue. */
export const opened: JournalEvent = {
  kind: 'opened',
  cash: parseCash('10000'),
  equity: parseCash('10000'),
  holdings: [[MSFT, parseShares('5')]],
};

export const aWish = (name: string): OrderIntent => ({
  id: name,
  strategyId: 'alpha',
  symbol: AAPL,
  terms: { kind: 'buy', notional: parseCash('100') },
  reason: 'test',
  at: SENT,
  notBefore: SENT,
  outside: 'wait',
  after: [],
});

/** An order in each state, as the machine would produce it. `own`: a transaction of the wallet's own, whose hash is known. */
export const states = {
  planned: { kind: 'planned' },
  sent: { kind: 'sent', at: SENT, deadline: DEADLINE },
  unknown: { kind: 'unknown', at: SENT, deadline: DEADLINE, reason: 'reset' },
  ownSent: { kind: 'sent', at: SENT, deadline: DEADLINE, txHash: TX },
  ownUnknown: { kind: 'unknown', at: SENT, deadline: DEADLINE, txHash: TX, reason: 'reset' },
  acknowledged: { kind: 'acknowledged', at: SENT, deadline: DEADLINE, txHash: TX },
  working: {
    kind: 'working',
    at: SENT,
    txHash: TX,
    venueId: VENUE_ID,
    locked: parseCash('1001.1'),
    status: 'open',
    rawStatus: 'New',
  },
  closed: {
    kind: 'closed',
    how: 'filled',
    txHash: TX,
    venueId: VENUE_ID,
    settlement: settled('1001.1', '10'),
  },
  refused: { kind: 'refused', reason: 'session', sent: { at: SENT, deadline: DEADLINE } },
  reverted: { kind: 'reverted', txHash: TX },
  neverExisted: { kind: 'neverExisted', assumed: false, at: SENT, deadline: DEADLINE },
  vanished: { kind: 'neverExisted', assumed: false, at: SENT, deadline: DEADLINE, txHash: TX },
  abandoned: { kind: 'abandoned', reason: 'restart' },
} as const satisfies Record<string, OrderState>;
export type StateName = keyof typeof states;
