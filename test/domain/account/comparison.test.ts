import { beforeEach, describe, expect, test } from 'vitest';
import { cash, parseCash, parseShares, shares } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import { compareAccount } from '../../../src/domain/account/comparison.ts';
import type { Ticker } from '../../../src/domain/instrument.ts';
import type { OrderTerms } from '../../../src/domain/venue.ts';
import {
  AAPL,
  anOrder,
  aReport,
  DEADLINE,
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

const $ = parseCash;
const sent: OrderEvent = { kind: 'sent', at: SENT, deadline: DEADLINE };
const accepted: OrderEvent = { kind: 'accepted', txHash: TX };
const working: OrderEvent = { kind: 'reported', report: aReport({ locked: null }) };
const lockedAt = (text: string): OrderEvent => ({ kind: 'reported', report: aReport({ locked: $(text) }) });

let books: AccountState;
const begin = (terms: OrderTerms, reserve: string, events: OrderEvent[]) => {
  const order = anOrder({ terms, reserve: $(reserve), strategyId: '' });
  books.apply({ at: SENT, fact: { kind: 'planned', order } });
  for (const event of events) books.apply({ at: SENT, fact: { kind: 'order', id: id('w1.1'), event } });
};
/** Balances at the venue: mUSD, then shares of MSFT, then of AAPL. */
const compare = (musd: string, msft = '5', aapl?: string) => {
  const holding = (text: string) => ({ exchange: parseShares(text), wallet: shares(0n) });
  const rows: [Ticker, string | undefined][] = [
    [MSFT, msft],
    [AAPL, aapl],
  ];
  const holdings = rows.flatMap(([symbol, text]) =>
    text === undefined ? [] : [[symbol, holding(text)] as const],
  );
  return compareAccount(books, { cash: cash($(musd)), holdings: new Map(holdings) });
};

// The account has 10000 mUSD and 5 MSFT at the start.
beforeEach(() => {
  books = new AccountState();
  books.apply({ at: SENT, fact: opened });
});

describe('an account compared without orders', () => {
  test('shows no mismatch when ledger and venue agree', () => {
    expect(compare('10000')).toEqual([]);
    expect(compare('10000', '5', '0')).toEqual([]);
  });

  test('shows a mismatch for one unit, for a missing holding and for an unexpected one', () => {
    expect(compare('10000.000000000000000001')).toEqual([
      {
        side: 'venue',
        asset: 'mUSD',
        expected: $('10000'),
        actual: $('10000.000000000000000001'),
        explainable: false,
        shortfall: 0n,
        surplus: 1n,
      },
    ]);
    expect(compareAccount(books, { cash: $('10000'), holdings: new Map() })).toEqual([
      {
        side: 'venue',
        asset: MSFT,
        expected: $('5'),
        actual: 0n,
        explainable: false,
        shortfall: $('5'),
        surplus: 0n,
      },
    ]);
    expect(compare('10000', '5', '1')).toEqual([
      {
        side: 'venue',
        asset: AAPL,
        expected: 0n,
        actual: $('1'),
        explainable: false,
        shortfall: 0n,
        surplus: $('1'),
      },
    ]);
  });
});

describe('the lock of an order in the account comparison', () => {
  test("is expected to be missing from the venue's cash", () => {
    begin(limitBuy('10', '100'), '1001.1', [sent, accepted, lockedAt('1000')]);
    expect(compare('9000')).toEqual([]);
  });

  test('counts as the whole reserve when the venue reports no lock', () => {
    begin(limitBuy('10', '100'), '1001.1', [sent, accepted, working]);
    expect(compare('8998.9')).toEqual([]);
  });

  test('of a sell is expected to be missing from the stock', () => {
    begin(limitSell('2', '100', MSFT), '2', [sent, accepted, working]);
    expect(compare('10000', '3')).toEqual([]);
  });

  test('is nothing for an order that was not sent', () => {
    begin(limitBuy('10', '100'), '1001.1', []);
    expect(compare('10000')).toEqual([]);
    expect(compare('8998.9')).toMatchObject([{ explainable: false }]);
  });
});

type Row = [name: string, musd: string, msft: string, aapl: string, explainable: boolean];

/** `explainable`: the order could have moved it without our knowledge. */
const judge = ([, musd, msft, aapl, explainable]: Row) => {
  const mismatches = compare(musd, msft, aapl);
  expect(mismatches.length).toBeGreaterThan(0);
  expect(mismatches.every((mismatch) => mismatch.explainable)).toBe(explainable);
};

describe.each<[name: string, events: OrderEvent[]]>([
  ['sent', [sent]],
  ['unknown', [sent, { kind: 'lost', reason: 'reset' }]],
  ['acknowledged', [sent, accepted]],
])('a buy that is %s, in the account comparison', (_name, events) => {
  beforeEach(() => begin(limitBuy('10', '100'), '1001.1', events));

  test('causes no mismatch while it is not yet mined', () => {
    expect(compare('10000')).toEqual([]);
  });

  test.each<Row>([
    ['its whole reserve may be gone', '8998.9', '5', '0', true],
    ['part of its reserve may be gone', '9500', '5', '0', true],
    ['more than its reserve may not be gone', '8998.8', '5', '0', false],
    ['cash may not be added', '10000.1', '5', '0', false],
    ['its shares may be added', '8998.9', '5', '10', true],
    ['more than its shares may not be added', '8998.9', '5', '10.1', false],
    ['shares of another stock may not be added', '10000', '6', '0', false],
  ])('explains exactly the amounts that it could have moved: %s', (...row) => judge(row));
});

describe('a working buy in the account comparison', () => {
  beforeEach(() => begin(limitBuy('10', '100'), '1001.1', [sent, accepted, working]));

  test.each<Row>([
    ['may have released its lock', '10000', '5', '0', true],
    ['may have filled for less', '9200', '5', '10', true],
    ['takes no more than its lock', '8998.8', '5', '0', false],
    ['releases no more than its lock', '10000.1', '5', '0', false],
  ])('%s', (...row) => judge(row));
});

describe('a sell in the account comparison', () => {
  test.each<Row>([
    ['proceeds at its limit are explained', '10500', '0', '0', true],
    ['proceeds at twice its limit are explained', '11000', '0', '0', true],
    ['more proceeds are not explained', '11000.1', '0', '0', false],
    ['missing mUSD is not explained', '9999', '5', '0', false],
    ['added stock is not explained', '10000', '5.1', '0', false],
  ])('with a limit price: %s', (...row) => {
    begin(limitSell('5', '100', MSFT), '5', [sent]);
    judge(row);
  });

  test('at the market explains any amount of cash', () => {
    begin(marketSell('5', MSFT), '5', [sent]);
    judge(['', '999999', '0', '0', true]);
  });
});

test('a market buy explains any number of shares of its own stock and of no other', () => {
  begin(marketBuy('100'), '100.11', [sent]);
  judge(['', '9899.89', '5', '12345', true]);
  judge(['', '10000', '6', '0', false]);
});

test('the shortfall of a mismatch is the part that no order under way explains', () => {
  begin(limitBuy('10', '100'), '1001.1', [sent]);
  expect(compare('8998.8')).toMatchObject([{ shortfall: $('0.1') }]);
  expect(compare('8998.9')).toMatchObject([{ shortfall: 0n }]);
});
