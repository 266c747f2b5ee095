import { describe, expect, test } from 'vitest';
import * as endpoints from '../../src/api/endpoints/index.ts';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { isUnreadable } from '../../src/core/nesting.ts';
import { Bench, START } from './harness.ts';

const venue = new Bench({ indexerLagMs: 0 });
const txHash = venue.place({ side: 'Buy', type: 'Market', notional: '10' });
venue.place({ side: 'Sell', type: 'Limit', quantity: '1', price: '900.00', timeInForce: 'DAY' });
venue.wait(15_000);
const { userAddress } = venue.account();
const { orderId } = venue.order(txHash);

/** Rows that the client would set aside, wherever they are in a response. */
const unreadable = (data: unknown): unknown[] => {
  if (isUnreadable(data)) return [data];
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(unreadable) : [];
};

describe('the venue client reads every response of the emulator', () => {
  test.each<
    [name: string, endpoint: Endpoint, path: Record<string, string>, query?: Record<string, string | number>]
  >([
    ['config', endpoints.config, {}],
    ['symbols', endpoints.symbols, {}],
    ['prices', endpoints.prices, { symbol: 'AAPL' }],
    ['history', endpoints.history, { symbol: 'AAPL' }, { endTime: START / 1000, interval: '5m' }],
    ['underlying', endpoints.underlying, { symbol: 'SPY' }],
    ['user', endpoints.user, { userId: userAddress }],
    ['balance', endpoints.balance, { userId: userAddress }],
    ['positions', endpoints.positions, { userId: userAddress }],
    ['orders', endpoints.orders, {}],
    ['order', endpoints.order, { orderId }],
    ['order by hash', endpoints.orderByTx, { txHash }],
    ['One Click status', endpoints.oneClickStatus, {}],
  ])('%s', (...[, endpoint, path, query]) => {
    const filled = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
    const { body } = venue.ask({ method: 'GET', path: filled, ...(query ? { query } : {}) });
    expect(body.errMsg).toBe('');
    const parsed = endpoint.response.parse(body.data);
    expect(unreadable(parsed)).toEqual([]);
  });
});

describe('the users endpoint', () => {
  test('shows balances without locks, with the allowance of the requested spender', () => {
    const read = (spender: string) =>
      venue.get(`/users/${userAddress.toUpperCase().replace('0X', '0x')}/balance`, {
        spenderAddress: spender,
      });
    const row = (balance: unknown, symbol: string) =>
      (balance as { tokenBalances: { stockSymbol: string | null; symbol: string }[] }).tokenBalances.find(
        (token) => token.stockSymbol === symbol || token.symbol === symbol,
      );
    const nobody = read(`0x${'0'.repeat(40)}`);
    expect(nobody).toMatchObject({ mUsdBalance: '99989.989', address: userAddress });
    expect(row(nobody, 'USDC')).toMatchObject({
      walletBalance: '50000',
      walletAllowance: '0',
      exchangeBalance: '0',
      isStock: false,
      decimals: 6,
    });
    const [approved] = venue.account().allowances;
    expect(row(read(approved?.spender ?? ''), 'USDC')).toMatchObject({ walletAllowance: '1000000000' });
    const { exchange } = venue.stock('AAPL');
    expect(row(nobody, 'AAPL')).toMatchObject({ walletBalance: '20', exchangeBalance: exchange });
  });

  test('refuses an unknown user', () => {
    expect(venue.ask({ method: 'GET', path: `/api/v1/users/0x${'1'.repeat(40)}` }).body.code).toBe(10_001);
  });
});

describe('the price history', () => {
  const bars = (query: Record<string, string | number>) =>
    venue.ask({ method: 'GET', path: '/api/v1/prices/AAPL/history', query });

  test('ends with the forming bar, and never shows the future', () => {
    const { data } = bars({ endTime: 4_000_000_000, interval: '1m', limit: 2 }).body;
    expect(data).toMatchObject([{ timestamp: START / 1000 - 60 }, { timestamp: START / 1000 }]);
    const [, forming] = data as { close: number }[];
    expect(forming?.close).toBe(venue.price());
  });

  test.each([
    [{ interval: '1m' }, 'endTime is required'],
    [{ endTime: 1, interval: '2m' }, 'interval must be one of 1m, 3m, 5m, 15m, 1h, 1d, 1w'],
    [{ endTime: 'now', interval: '1m' }, 'endTime must be a whole number'],
  ])('refuses %j', (query, errMsg) => {
    expect(bars(query).body).toMatchObject({ code: 10_000, errMsg });
  });
});
