import { describe, expect, test } from 'vitest';
import { cash, parseCash, parsePrice } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { breachOf } from '../../src/domain/limitBreach.ts';
import type { Exposure, Limits } from '../../src/domain/limits.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { AAPL, deferredSell, marketBuy, marketSell, SENT } from './orders.ts';

const breach = (limits: Limits, at: Partial<Exposure>, terms = marketBuy('100')) =>
  breachOf({ terms, notional: parseCash('100') }, limits, {
    now: epochMs(SENT),
    quote: { symbol: AAPL, price: parsePrice('100'), at: SENT },
    position: cash(0n),
    gross: cash(0n),
    ordersLastMinute: 0,
    dayProfit: cash(0n),
    ...at,
  });
const tech = { symbols: ['AAPL', 'MSFT'], positionNotional: parseCash('500') };
const group = (position: string) => ({ groups: new Map([['tech', parseCash(position)]]) });

describe('a limit per stock', () => {
  test('bounds buys and sells of its stock and names the room that is left', () => {
    const limits = { symbols: { AAPL: { orderNotional: parseCash('99') } } };
    const expected = {
      limit: 'orderNotional',
      message: 'order of 100 is over the limit of 99 (symbols.AAPL.orderNotional)',
      room: parseCash('99'),
    };
    expect(breach(limits, {})).toEqual(expected);
    expect(breach(limits, {}, marketSell('1'))).toEqual(expected);
    expect(breach({ symbols: { AAPL: { orderNotional: parseCash('100') } } }, {})).toBeNull();
    expect(breach({ symbols: { MSFT: { orderNotional: parseCash('1') } } }, {})).toBeNull();
  });

  test('bounds the position in its stock, but no sell', () => {
    const limits = { symbols: { AAPL: { positionNotional: parseCash('500') } } };
    expect(breach(limits, { position: parseCash('400') })).toBeNull();
    expect(breach(limits, { position: parseCash('430') })).toEqual({
      limit: 'positionNotional',
      message: 'position in AAPL of 530 is over the limit of 500 (symbols.AAPL.positionNotional)',
      room: parseCash('70'),
    });
    expect(breach(limits, { position: parseCash('430') }, marketSell('1'))).toBeNull();
  });
});

describe('a limit on a group of stocks', () => {
  test('bounds the positions of its stocks together, but no sell', () => {
    expect(breach({ groups: { tech } }, group('400'))).toBeNull();
    expect(breach({ groups: { tech } }, group('401'))).toEqual({
      limit: 'groups',
      message: 'positions of the group tech of 501 is over the limit of 500 (groups.tech.positionNotional)',
      room: parseCash('99'),
    });
    expect(breach({ groups: { tech } }, group('401'), marketSell('1'))).toBeNull();
  });
});

test('the turnover limit of a day bounds buys and no sell', () => {
  const limits = { turnoverPerDay: parseCash('1000') };
  expect(breach(limits, { turnover: parseCash('900') })).toBeNull();
  expect(breach(limits, { turnover: parseCash('901') })).toEqual({
    limit: 'turnoverPerDay',
    message: "today's turnover of 1001 is over the limit of 1000 (turnoverPerDay)",
    room: parseCash('99'),
  });
  expect(breach(limits, { turnover: parseCash('901') }, marketSell('1'))).toBeNull();
});

test('the limit on debt bounds deferred sells and no other order', () => {
  const limits = { debt: parseCash('1000') };
  const owing = (value: string, unpriced: string | null = null) => ({
    debt: { value: parseCash(value), unpriced: unpriced === null ? null : ticker(unpriced) },
  });
  expect(breach(limits, owing('900'), deferredSell('1'))).toBeNull();
  expect(breach(limits, owing('901'), deferredSell('1'))).toEqual({
    limit: 'debt',
    message: 'debt of deferred sells of 1001 is over the limit of 1000 (debt)',
    room: parseCash('99'),
  });
  expect(breach(limits, owing('0', 'MSFT'), deferredSell('1'))?.message).toBe(
    'no price of MSFT is known, which is owed: it cannot be counted (debt)',
  );
  expect(breach(limits, owing('5000'), marketSell('1'))).toBeNull();
  expect(breach(limits, owing('5000'))).toBeNull();
});
