import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCall, encodeCall, type ContractCall } from '../../src/emulator/state/calls.ts';
import { contracts } from '../../src/emulator/state/constants.ts';
import { Bench, stock } from './harness.ts';

type Calldata = {
  toAddress: string;
  value: string;
  callData: `0x${string}`;
  method: string;
  chainId: number;
};

const AAPL = stock('AAPL');
const BUY = { side: 'Buy', type: 'Market', notional: '100' };
const SELL = { side: 'Sell', type: 'Limit', quantity: '1.5', price: '900.00', timeInForce: 'DAY' };

const calldata = (venue: Bench, order: Record<string, unknown>, key = venue.key()) => {
  const body = { stockAddress: AAPL, deadline: venue.deadline(), ...order };
  return venue.ask({ method: 'POST', path: '/api/v1/orders/calldata', body }, key);
};
const transactionOf = (venue: Bench, hash: string) =>
  venue.machine.state.transactions.find((each) => each.hash === hash);

describe('an encoded call', () => {
  test.each<[selector: string, call: ContractCall]>([
    ['0xc0c16b76', { kind: 'placeMarketOrder', stock: AAPL, amount: -(10n ** 18n), deadline: 4_294_967_295 }],
    ['0x20c1b4d6', { kind: 'placeLimitOrder', stock: AAPL, quantity: -1n, price: 1n, tif: 0, deadline: 1 }],
    ['0x3ae50b73', { kind: 'deposit', token: AAPL, amount: 1n }],
    ['0x8c8c3c9d', { kind: 'withdraw', token: AAPL, amountWad: 1n }],
    ['0x27fd8b2b', { kind: 'depositStock', token: AAPL, amount: 1n }],
    ['0x8c8bc974', { kind: 'withdrawStock', token: AAPL, amount: 1n }],
    [
      '0x4e4bc420',
      {
        kind: 'depositAndMarketBuy',
        depositToken: AAPL,
        depositAmount: 1n,
        stock: AAPL,
        usdAmount: 1n,
        deadline: 1,
      },
    ],
    [
      '0x0e5d1a7a',
      { kind: 'depositStockAndMarketSell', stock: AAPL, depositAmount: 1n, quantity: -1n, deadline: 1 },
    ],
    [
      '0x3ed60570',
      {
        kind: 'depositStockAndLimitSell',
        stock: AAPL,
        depositAmount: 1n,
        quantity: -1n,
        price: 1n,
        tif: 0,
        deadline: 1,
      },
    ],
  ])('has the selector of the deployed contracts, and is decoded again: %s', (selector, call) => {
    const data = encodeCall(call);
    expect(data.slice(0, 10)).toBe(selector);
    expect(decodeCall(data)).toEqual(call);
  });

  test.each([
    ['nothing', '0x'],
    ['an unknown function', `0x12345678${'0'.repeat(64)}`],
    ['too few arguments', encodeCall({ kind: 'deposit', token: AAPL, amount: 1n }).slice(0, -2)],
    ['too many arguments', `${encodeCall({ kind: 'deposit', token: AAPL, amount: 1n })}00`],
    ['a number too large for its type', `0x3ae50b73${'0'.repeat(64)}${'f'.repeat(64)}`],
  ])('is not decoded from %s', (_name, data) => {
    expect(decodeCall(data as `0x${string}`)).toBeNull();
  });

  test('is decoded unchanged for any amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 95n), max: 2n ** 95n - 1n }), (amount) => {
        const call = { kind: 'placeMarketOrder', stock: AAPL, amount, deadline: 1 } as const;
        expect(decodeCall(encodeCall(call))).toEqual(call);
      }),
    );
  });
});

describe('/orders/calldata', () => {
  test.each([
    ['a market buy', BUY, 'placeMarketOrder', { amount: 100n * 10n ** 18n }],
    ['a limit sell', SELL, 'placeLimitOrder', { quantity: -15n * 10n ** 17n, price: 900n * 10n ** 18n }],
  ])('of %s is the call that /send executes', (...[, order, method, args]) => {
    const venue = new Bench();
    const { data } = calldata(venue, order).body as { data: Calldata };
    expect(data).toMatchObject({ chainId: 143, toAddress: contracts.router, value: '0', method });
    expect(decodeCall(data.callData)).toMatchObject({ kind: method, stock: AAPL, ...args });
    expect(venue.machine.truth(venue.now).orders).toEqual([]);
    expect(transactionOf(venue, venue.place(order))?.data).toBe(data.callData);
  });

  test('needs no delegation, and refuses what /send refuses', () => {
    const venue = new Bench();
    expect(calldata(venue, BUY, venue.key(3)).body.code).toBe(200);
    expect(calldata(venue, BUY, venue.key(0, 'READ_ONLY')).body.code).toBe(401);
    for (const order of [
      { ...BUY, notional: '0' },
      { ...SELL, timeInForce: 'IOC' },
      { ...BUY, deadline: 1 },
    ])
      expect(calldata(venue, order).body).toMatchObject({
        code: venue.send(order).body.code,
        errMsg: venue.send(order).body.errMsg,
      });
  });

  test('of a cancel leaves the order unchanged', () => {
    const venue = new Bench({ indexerLagMs: 0 });
    const txHash = venue.place(SELL);
    venue.wait(3_000);
    const { orderId } = venue.order(txHash);
    const ask = () =>
      venue.ask({
        method: 'DELETE',
        path: `/api/v1/orders/${orderId}/calldata`,
        query: { deadline: venue.deadline() },
      }).body;
    expect(ask()).toMatchObject({ code: 200, data: { method: 'cancelLimitOrder' } });
    const { callData } = ask().data as Calldata;
    expect(decodeCall(callData)).toEqual({ kind: 'cancelLimitOrder', orderId, deadline: venue.deadline() });
    expect(venue.cancel(orderId).body.code).toBe(200);
    expect(ask()).toMatchObject({ code: 10_002, errMsg: 'order is already canceling' });
  });
});

describe('a transaction sent by One Click', () => {
  test('comes from the proxy wallet with the next nonce, and leaves a receipt with its events', () => {
    const venue = new Bench();
    const [first, second] = [venue.place(BUY), venue.place(SELL)].map((hash) => transactionOf(venue, hash));
    const { delegatee } = venue.account().delegation;
    expect(first).toMatchObject({
      from: delegatee,
      to: contracts.router,
      user: venue.account().userAddress,
      nonce: 0,
      receipt: null,
    });
    expect(second?.nonce).toBe(1);
    venue.wait(10_000);
    expect(first?.receipt).toMatchObject({ revert: null, events: [{ name: 'MarketOrderPlaced' }] });
    expect(first?.receipt?.gasUsed).toBe(first?.gas);
    const { settlement } = venue.machine.state.orders[0] ?? {};
    expect(transactionOf(venue, settlement?.txHash ?? '')).toMatchObject({
      user: 'venue',
      receipt: { events: [{ name: 'MarketOrderSettled', args: { mintFee: 10n ** 17n } }] },
    });
  });

  test('that runs out of gas has used all of it', () => {
    const venue = new Bench();
    const hash = venue.place({ ...BUY, gasLimit: 50_000 });
    venue.wait(3_000);
    expect(transactionOf(venue, hash)?.receipt).toEqual({
      revert: 'out of gas',
      gasUsed: 50_000,
      events: [],
    });
  });
});
