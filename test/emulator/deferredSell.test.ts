import { describe, expect, test } from 'vitest';
import { decodeCall } from '../../src/emulator/state/calls.ts';
import { epochMs } from '../../src/core/brand.ts';
import { Bench, CLOSE, stock } from './harness.ts';

/** The second account may sell deferred; the fourth is restricted. */
const PARTNER = 1;
const NVDA = stock('NVDA');
const AAPL = stock('AAPL');
const market = (quantity: string) => ({
  side: 'Sell',
  type: 'Market',
  deferred: true,
  stockAddress: NVDA,
  quantity,
});
const limit = (quantity: string, price: string) => ({
  side: 'Sell',
  type: 'Limit',
  timeInForce: 'DAY',
  deferred: true,
  stockAddress: NVDA,
  quantity,
  price,
});
const REFUSED = 'deferred sell is not allowed for this address, or the address is restricted';
const debts = (venue: Bench, query = {}) => venue.get('/deferred-sell/debts', query, venue.key(PARTNER));
const repay = (venue: Bench, quantity: string, stockAddress: string = NVDA) =>
  venue.sent('/deferred-sell/repay/send', { stockAddress, quantity }, venue.key(PARTNER));

describe('a deferred sell', () => {
  test('locks nothing, pays, and leaves a debt of the executed shares', () => {
    const venue = new Bench();
    const txHash = venue.place(market('5'), venue.key(PARTNER));
    venue.wait(3_000);
    expect(venue.stock('NVDA', PARTNER)).toMatchObject({ exchange: '0', locked: '0', debt: '0' });
    venue.wait(12_000);
    expect(venue.order(txHash)).toMatchObject({ status: 'Filled', filledQuantity: '5', settlePay: '5' });
    expect(venue.stock('NVDA', PARTNER)).toEqual({
      symbol: 'NVDA',
      exchange: '0',
      locked: '0',
      wallet: '0',
      debt: '5',
    });
    const { free } = venue.cash(PARTNER);
    expect(Number(free)).toBeCloseTo(100_000 + Number(venue.order(txHash).settleReceive), 8);
    expect(debts(venue)).toEqual([{ stockAddress: NVDA, stockSymbol: 'NVDA', debtQuantity: '5' }]);
    expect(debts(venue, { stockAddress: NVDA.toLowerCase() })).toHaveLength(1);
    expect(debts(venue, { stockAddress: AAPL })).toEqual([]);
    const { settlement } = venue.machine.state.orders[0] ?? {};
    const { receipt } = venue.transaction(settlement?.txHash ?? '');
    expect(receipt?.events).toMatchObject([
      { name: 'MarketOrderSettled' },
      { name: 'DeferredSellDebtIncreased', args: { stockToken: NVDA, amount: 5n * 10n ** 18n } },
    ]);
  });

  test('is placed by its own functions, and shown, listed and cancelled as any order', () => {
    const venue = new Bench({ indexerLagMs: 0 });
    const key = venue.key(PARTNER);
    const txHash = venue.place(limit('5', '9000.00'), key);
    expect(decodeCall(venue.transaction(txHash).data)).toMatchObject({
      kind: 'placeDeferredLimitSell',
      quantity: 5n * 10n ** 18n,
      tif: 0,
    });
    venue.wait(3_000);
    const { orderId } = venue.order(txHash);
    expect(venue.get(`/orders/${orderId}`, {}, key)).toMatchObject({
      openOrder: { deferred: true, side: 'Sell', pay: '0', placeQuantity: '5' },
    });
    const path = `/api/v1/orders/${orderId}/send`;
    const query = { deadline: venue.deadline() };
    expect(venue.ask({ method: 'DELETE', path, query }, key).body.code).toBe(200);
    venue.wait(10_000);
    expect(venue.order(txHash).status).toBe('Canceled');
    expect(debts(venue)).toEqual([]);
    expect(venue.get('/orders', {}, key)).toMatchObject({ rows: [{ historyOrder: { deferred: true } }] });
    const plain = venue.place({ side: 'Sell', type: 'Market', quantity: '1' }, key);
    venue.wait(10_000);
    const { historyOrder } = venue.get(`/orders/tx/${plain}`, {}, key) as { historyOrder: object };
    expect(historyOrder).not.toHaveProperty('deferred');
  });

  test('is refused for an address that is not whitelisted, or restricted', () => {
    const venue = new Bench();
    const { userAddress } = venue.account(PARTNER);
    const body = { ...market('1'), deadline: venue.deadline() };
    for (const account of [0, 2, 3]) {
      const calldata = venue.post('/orders/calldata', body, venue.key(account));
      expect(calldata).toMatchObject({ code: 10_002, errMsg: REFUSED });
    }
    const txHash = venue.place(market('1'), venue.key(PARTNER));
    venue.command({ kind: 'deferred-sell', body: { userAddress, restricted: true } });
    expect(venue.send(market('1'), venue.key(PARTNER)).body.errMsg).toBe(REFUSED);
    venue.wait(3_000);
    expect(venue.revert(txHash)).toBe('deferred sell is not allowed');
    venue.command({ kind: 'deferred-sell', body: { userAddress, restricted: false, whitelisted: false } });
    expect(venue.send(market('1'), venue.key(PARTNER)).body.errMsg).toBe(REFUSED);
  });

  test('at the market is refused outside the session', () => {
    const venue = new Bench({ start: epochMs(CLOSE + 1_000) });
    const { errMsg } = venue.send(market('1'), venue.key(PARTNER)).body;
    expect(errMsg).toContain('only supported during the regular trading session');
  });
});

describe('a repayment', () => {
  /** A debt of 5 AAPL, of which the wallet has 20. */
  function indebted(): Bench {
    const venue = new Bench();
    venue.place({ ...market('5'), stockAddress: AAPL }, venue.key(PARTNER));
    venue.wait(15_000);
    return venue;
  }

  test('burns stock of the wallet and the same debt, and leaves the exchange balance unchanged', () => {
    const venue = indebted();
    const txHash = repay(venue, '2', AAPL);
    venue.wait(3_000);
    expect(venue.revert(txHash)).toBeNull();
    expect(venue.stock('AAPL', PARTNER)).toMatchObject({ wallet: '18', exchange: '100', debt: '3' });
    expect(venue.transaction(txHash).receipt?.events).toMatchObject([{ name: 'DeferredSellDebtRepaid' }]);
    expect(venue.machine.state.mappings.at(-1)).toMatchObject({ txHash, type: 'deferred_repay' });
    repay(venue, '3', AAPL);
    venue.wait(3_000);
    expect(debts(venue)).toEqual([]);
  });

  test.each([
    ['of more than the debt', '5.1', AAPL, 'amount exceeds the debt'],
    ['of a stock without debt', '1', NVDA, 'amount exceeds the debt'],
  ])('%s reverts', (...[, quantity, stockAddress, cause]) => {
    const venue = indebted();
    const txHash = repay(venue, quantity, stockAddress);
    venue.wait(3_000);
    expect(venue.revert(txHash)).toBe(cause);
  });

  test('needs the stock in the wallet and an allowance for the router', () => {
    const venue = indebted();
    const { userAddress } = venue.account(PARTNER);
    venue.command({ kind: 'allowance', body: { userAddress, token: 'AAPL', amount: '1' } });
    const unapproved = repay(venue, '5', AAPL);
    venue.wait(3_000);
    venue.command({ kind: 'allowance', body: { userAddress, token: 'AAPL', amount: '1000' } });
    const { key } = { key: venue.key(PARTNER) };
    venue.sent('/stock/deposits/send', { tokenAddress: AAPL, tokenAmount: '18' }, key);
    venue.wait(3_000);
    const short = repay(venue, '5', AAPL);
    venue.wait(3_000);
    expect([venue.revert(unapproved), venue.revert(short)]).toEqual([
      'insufficient allowance',
      'insufficient wallet balance',
    ]);
  });

  test('without stock, quantity or address is refused', () => {
    const venue = new Bench();
    const send = (body: unknown) => venue.post('/deferred-sell/repay/send', body, venue.key(PARTNER)).errMsg;
    expect(send({ stockAddress: AAPL, quantity: '0' })).toBe('quantity must be greater than 0');
    expect(send({ stockAddress: `0x${'1'.repeat(40)}`, quantity: '1' })).toContain('listed stock token');
    expect(send({ quantity: '1' })).toBe('stockAddress is required');
    const { userAddress } = venue.account(PARTNER);
    const calldata = venue.post('/deferred-sell/repay/calldata', {
      userAddress,
      stockAddress: AAPL,
      quantity: 1,
    });
    expect(calldata).toMatchObject({ code: 200, data: { method: 'repayDeferredStockDebt' } });
  });
});
