import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { Bench, stock } from '../harness.ts';

const BUY = { side: 'Buy', type: 'Market', notional: '100' };
const SELL = { side: 'Sell', type: 'Market', quantity: '1' };
const LIMIT = { side: 'Buy', type: 'Limit', quantity: '1', price: '100', timeInForce: 'DAY' };
const without = (order: Record<string, unknown>, field: string) => ({ ...order, [field]: undefined });

const VALIDATION = 10_000;
const RULE = 10_002;

describe('POST /orders/send', () => {
  test.each<[name: string, order: Record<string, unknown>, code: number, errMsg: string]>([
    ['no notional', without(BUY, 'notional'), VALIDATION, 'notional is required for a market buy'],
    ['no quantity (market)', without(SELL, 'quantity'), VALIDATION, 'quantity is required for a market sell'],
    ['no quantity (limit)', without(LIMIT, 'quantity'), VALIDATION, 'quantity is required for a limit order'],
    ['no price', without(LIMIT, 'price'), VALIDATION, 'price is required for a limit order'],
    [
      'no time in force',
      without(LIMIT, 'timeInForce'),
      VALIDATION,
      'timeInForce is required for a limit order',
    ],
    ['no side', without(BUY, 'side'), VALIDATION, 'side is required'],
    ['no deadline', { ...BUY, deadline: undefined }, VALIDATION, 'deadline is required'],
    ['a side in lower case', { ...BUY, side: 'buy' }, VALIDATION, 'side must be Buy or Sell'],
    ['no address', { ...BUY, stockAddress: 'AAPL' }, VALIDATION, 'stockAddress must be an EVM address'],
    [
      'an address that is not a stock',
      { ...BUY, stockAddress: `0x${'1'.repeat(40)}` },
      VALIDATION,
      'stockAddress must be the contract of a listed stock token',
    ],
    ['nothing', { ...BUY, notional: '0' }, VALIDATION, 'notional must be greater than 0'],
    ['a deadline that has expired', { ...BUY, deadline: 1 }, RULE, 'deadline has expired'],
    ['GTC', { ...LIMIT, timeInForce: 'GTC' }, RULE, 'timeInForce only supports DAY'],
    ['less than 1 mUSD', { ...BUY, notional: '0.99' }, RULE, 'notional must be at least 1 mUSD'],
    ['less than 1 mUSD of stock', { ...SELL, quantity: '0.001' }, RULE, 'notional must be at least 1 mUSD'],
    ['a price off the tick', { ...LIMIT, price: '100.001' }, RULE, 'price must be a multiple of 0.01'],
    ['a low price off the tick', { ...LIMIT, price: '0.50001' }, RULE, 'price must be a multiple of 0.0001'],
    ['a stock that does not trade', { ...BUY, stockAddress: stock('TWTR') }, RULE, 'TWTR is not tradable'],
    [
      'a fraction by notional',
      { ...BUY, stockAddress: stock('BRK.B') },
      RULE,
      'BRK.B is not fractionable: it cannot be bought by notional',
    ],
    [
      'a fraction by quantity',
      { ...LIMIT, quantity: '1.5', stockAddress: stock('BRK.B') },
      RULE,
      'BRK.B is not fractionable: quantity must be whole',
    ],
    [
      'a deferred sell',
      { ...SELL, deferred: true },
      RULE,
      'deferred sell is not allowed for this address, or the address is restricted',
    ],
    [
      'a deferred buy',
      { ...BUY, deferred: true },
      VALIDATION,
      'deferred must not be true unless side is Sell',
    ],
  ])('refuses an order with %s', (...[, order, code, errMsg]) => {
    const venue = new Bench();
    const answer = venue.send(order);
    expect(answer).toMatchObject({ status: 400, body: { code, errMsg, data: null } });
    expect(venue.machine.truth(venue.now).orders).toEqual([]);
  });

  test.each([
    '1e3',
    '1e-7',
    '-1',
    '+1',
    ' 1',
    '1,000',
    '0x10',
    'NaN',
    '',
    '1.0000000000000000001',
    '9'.repeat(40),
    1e-19,
    1e40,
  ])('refuses the notional %j', (notional) => {
    const { status, body } = new Bench().send({ ...BUY, notional });
    expect({ status, code: body.code }).toEqual({ status: 400, code: VALIDATION });
    expect(body.errMsg).toMatch(/^notional must/);
  });

  test('refuses a body that is not a JSON object', () => {
    const venue = new Bench();
    for (const body of ['text', 5, null, []])
      expect(venue.ask({ method: 'POST', path: '/api/v1/orders/send', body }).body.code).toBe(VALIDATION);
  });

  test('refuses a key whose user has not enabled One Click', () => {
    const venue = new Bench();
    const { body } = venue.send(BUY, venue.key(3));
    expect(body).toMatchObject({ code: 10_003 });
    expect(body.errMsg).toContain('not enabled');
  });
});

test('a time in force of a market order is ignored', () => {
  expect(new Bench().send({ ...BUY, timeInForce: 'GTC' }).status).toBe(200);
});

test('a number in exponent form is read exactly', () => {
  const { body } = new Bench().send({ ...LIMIT, quantity: 1e-7 });
  expect(body).toMatchObject({ code: RULE, errMsg: 'notional must be at least 1 mUSD' });
});

test.each([0.5, 30_000_001, 1e300])('a gas limit of %j is refused', (gasLimit) => {
  const { body } = new Bench().send({ ...BUY, gasLimit });
  expect(body.code).toBe(VALIDATION);
  expect(body.errMsg).toBe('gasLimit must be a whole number, at most 30000000');
});

test('a stock address is accepted in any case', () => {
  const venue = new Bench();
  const inCapitals = `0x${stock('AAPL').slice(2).toUpperCase()}`;
  const txHash = venue.place({ ...BUY, stockAddress: inCapitals });
  venue.wait(30_000);
  expect(venue.order(txHash).status).toBe('Filled');
});

describe('the session of an order', () => {
  test.each([
    ['pre-market', '2026-06-15T13:29:59Z'],
    ['after-hours', '2026-06-15T20:00:00Z'],
    ['overnight', '2026-06-16T01:00:00Z'],
    ['closed', '2026-06-13T16:00:00Z'],
    ['closed', '2026-06-19T15:00:00Z'],
    ['after-hours', '2026-11-27T18:00:00Z'],
  ])('refuses a market order in %s at %s, and not a limit order', (session, at) => {
    const venue = new Bench({ start: epochMs(Date.parse(at)) });
    expect(venue.send(BUY).body).toMatchObject({
      code: RULE,
      errMsg: `market order is only supported during the regular trading session, current session: ${session}`,
    });
    expect(venue.send(LIMIT).body.code).toBe(200);
  });
});

describe('amounts of an order', () => {
  test('are accepted as JSON numbers, too', () => {
    const venue = new Bench();
    const txHash = venue.place({ ...LIMIT, quantity: 1.5, price: 100.25 });
    expect(venue.order(txHash)).toMatchObject({ quantity: '1.5', price: '100.25' });
  });
});
