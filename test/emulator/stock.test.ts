import { describe, expect, test } from 'vitest';
import { decodeCall } from '../../src/emulator/state/calls.ts';
import { cashToken } from '../../src/emulator/state/constants.ts';
import { Bench, stock } from './harness.ts';

const DEPOSITS = '/stock/deposits';
const WITHDRAWALS = '/stock/withdrawals';
const AAPL = stock('AAPL');
const move = (tokenAmount: string, tokenAddress: string = AAPL) => ({ tokenAddress, tokenAmount });
type Page = { total: number; rows: Record<string, unknown>[] };
const mined = (venue: Bench, txHash: string) => {
  venue.wait(3_000);
  return venue.revert(txHash);
};

describe('a move of stock', () => {
  test.each([
    ['from the wallet on to the exchange', DEPOSITS, 'stock_deposit', { wallet: '15.5', exchange: '104.5' }],
    ['from the exchange to the wallet', WITHDRAWALS, 'stock_withdraw', { wallet: '24.5', exchange: '95.5' }],
  ])('goes %s in one block', (...[, path, operationType, after]) => {
    const venue = new Bench();
    const txHash = venue.sent(`${path}/send`, move('4.5'));
    expect(mined(venue, txHash)).toBeNull();
    expect(venue.stock('AAPL')).toMatchObject({ ...after, locked: '0', debt: '0' });
    venue.wait(3_000);
    const { rows } = venue.get(path) as Page;
    expect(rows).toMatchObject([
      { txHash, operationType, status: 'success', stockOperation: { amount: '4.5', stockSymbol: 'AAPL' } },
    ]);
    expect(venue.get(`${path}/${String(rows[0]?.['operationId'])}`)).toMatchObject({
      mappingStatus: 'success',
      operationStatus: 'success',
      mapping: { txHash },
      stockOperation: { createTxHash: txHash, tokenAddress: AAPL, status: 'success' },
    });
    const [event] = venue.transaction(txHash).receipt?.events ?? [];
    expect(Object.keys(event?.args ?? {})).toEqual(['user', 'stockToken', 'amount']);
  });

  test.each([
    ['more than the wallet has', DEPOSITS, '20.1', 'insufficient wallet balance'],
    ['more than the exchange has', WITHDRAWALS, '100.1', 'insufficient exchangeBalance'],
  ])('of %s reverts', (...[, path, amount, cause]) => {
    const venue = new Bench();
    const before = venue.stock('AAPL');
    expect(mined(venue, venue.sent(`${path}/send`, move(amount)))).toBe(cause);
    expect(venue.stock('AAPL')).toEqual(before);
  });

  test('without an allowance is refused, and one under way reverts', () => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    venue.command({ kind: 'allowance', body: { userAddress, token: 'AAPL', amount: '4' } });
    expect(mined(venue, venue.sent(`${DEPOSITS}/send`, move('4.5')))).toBe('insufficient allowance');
    expect(mined(venue, venue.sent(`${DEPOSITS}/send`, move('4')))).toBeNull();
    expect(mined(venue, venue.sent(`${DEPOSITS}/send`, move('0.1')))).toBe('insufficient allowance');
  });

  test('cannot withdraw locked shares', () => {
    const venue = new Bench();
    venue.place({ side: 'Sell', type: 'Limit', quantity: '99', price: '9000.00', timeInForce: 'DAY' });
    venue.wait(3_000);
    expect(mined(venue, venue.sent(`${WITHDRAWALS}/send`, move('2')))).toBe('insufficient exchangeBalance');
  });

  test('cannot withdraw stock of a restricted user', () => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    venue.command({ kind: 'deferred-sell', body: { userAddress, restricted: true } });
    expect(mined(venue, venue.sent(`${WITHDRAWALS}/send`, move('1')))).toBe('address is restricted');
    expect(mined(venue, venue.sent(`${DEPOSITS}/send`, move('1')))).toBeNull();
  });

  test.each([
    ['cash', move('1', cashToken.address), /^tokenAddress must be the contract of a listed stock token$/],
    ['nothing', move('0'), /^tokenAmount must be greater than 0$/],
    ['no amount', { tokenAddress: AAPL }, /^tokenAmount is required$/],
  ])('of %s is refused, also as calldata', (...[, body, errMsg]) => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    for (const path of [DEPOSITS, WITHDRAWALS]) {
      expect(venue.post(`${path}/send`, body)).toMatchObject({ code: 10_000 });
      expect(venue.post(`${path}/send`, body).errMsg).toMatch(errMsg);
      expect(venue.post(`${path}/calldata`, { userAddress, ...body }).errMsg).toMatch(errMsg);
    }
  });

  test('names the router method in its calldata, and is recorded only in its own list', () => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    const methods = [DEPOSITS, WITHDRAWALS].map((path) => {
      const { data } = venue.post(`${path}/calldata`, { userAddress, ...move('1') });
      return decodeCall((data as { callData: `0x${string}` }).callData);
    });
    const call = { token: AAPL, amount: 10n ** 18n };
    expect(methods).toEqual([
      { kind: 'depositStock', ...call },
      { kind: 'withdrawStock', ...call },
    ]);
    const txHash = venue.sent(`${DEPOSITS}/send`, move('1'));
    expect(venue.post(`${DEPOSITS}/tx`, { txHash }).code).toBe(200);
    expect(venue.post(`${WITHDRAWALS}/tx`, { txHash }).code).toBe(10_000);
  });
});

describe('an order with a deposit', () => {
  const SEND = '/orders/with-deposit/send';
  const base = (venue: Bench) => ({ stockAddress: AAPL, deadline: venue.deadline() });
  const usdc = (tokenAmount: string) => ({ tokenAddress: cashToken.address, tokenAmount });
  const MARKET_BUY = { side: 'Buy', type: 'Market', notional: '100500' };
  const MARKET_SELL = { side: 'Sell', type: 'Market', quantity: '110' };
  const limit = (side: 'Buy' | 'Sell', quantity: string, price: string) => ({
    side,
    type: 'Limit',
    quantity,
    price,
    timeInForce: 'DAY',
  });
  const RESTING_BUY = limit('Buy', '1005', '100.00');
  const RESTING_SELL = limit('Sell', '110', '9000.00');

  test.each([
    ['a market buy', MARKET_BUY, usdc('1000'), 'depositAndMarketBuy', 'Filled'],
    ['a limit buy', RESTING_BUY, usdc('1000'), 'depositAndLimitBuy', 'New'],
    ['a market sell', MARKET_SELL, { tokenAmount: '10' }, 'depositStockAndMarketSell', 'Filled'],
    ['a limit sell', RESTING_SELL, { tokenAmount: '10' }, 'depositStockAndLimitSell', 'New'],
  ])('uses its deposit: %s', (...[, order, deposit, method, status]) => {
    const venue = new Bench();
    const body = { ...base(venue), ...order, ...deposit };
    const { data } = venue.post('/orders/with-deposit/calldata', body);
    expect(data).toMatchObject({ method });
    const txHash = venue.sent(SEND, body);
    expect(venue.transaction(txHash).data).toBe((data as { callData: string }).callData);
    venue.wait(15_000);
    expect(venue.order(txHash).status).toBe(status);
    const detail = venue.get(`/orders/tx/${txHash}`) as { mapping: { operationId: string } };
    expect(detail.mapping).toMatchObject({ operationType: 'trade', orderId: venue.order(txHash).orderId });
    const path = 'tokenAddress' in deposit ? '/cash/deposits' : DEPOSITS;
    expect(venue.get(`${path}/${detail.mapping.operationId}`)).toMatchObject({ operationStatus: 'success' });
    expect((venue.get(path) as Page).rows).toEqual([]);
    expect(venue.stock('AAPL').wallet).toBe('tokenAddress' in deposit ? '20' : '10');
    expect(venue.truthOf(0).cashToken.wallet).toBe('tokenAddress' in deposit ? '49000' : '50000');
  });

  test('refuses more decimals than the token has', () => {
    const venue = new Bench();
    const body = { ...base(venue), ...MARKET_BUY, ...usdc('100.0000001') };
    for (const path of [SEND, '/orders/with-deposit/calldata'])
      expect(venue.post(path, body)).toMatchObject({
        code: 10_000,
        errMsg: 'tokenAmount must have at most 6 decimal places',
      });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    [
      'of more than the credit allows at once',
      MARKET_BUY,
      { creditBuffer: '4999' },
      'deposit would not be instant',
    ],
    ['while deposits are paused', MARKET_BUY, { depositPaused: true }, 'deposits are paused'],
    ['that does not suffice', { ...MARKET_BUY, notional: '101000' }, {}, 'insufficient mUsdBalance'],
    ['without allowance', MARKET_BUY, { allowance: 'USDC' }, 'insufficient allowance'],
  ])('as a buy %s reverts, and moves nothing', (...[, order, change, cause]) => {
    const venue = new Bench();
    const txHash = venue.sent(SEND, { ...base(venue), ...order, ...usdc('1000') });
    const { allowance, ...cashier } = change;
    const { userAddress } = venue.account();
    if (allowance) venue.command({ kind: 'allowance', body: { userAddress, token: 'USDC', amount: '0' } });
    else venue.command({ kind: 'cashier', body: cashier });
    expect(mined(venue, txHash)).toBe(cause);
    expect(venue.order(txHash).status).toBe('Failed');
    expect(venue.truthOf(0)).toMatchObject({ mUsd: '100000', cashToken: { wallet: '50000', queued: '0' } });
  });

  test.each([
    ['stock in the wallet', { ...MARKET_SELL, tokenAmount: '20.5' }, 'insufficient wallet balance'],
    ['stock in all', { ...MARKET_SELL, tokenAmount: '9' }, 'insufficient exchangeBalance'],
    ['allowance', { ...MARKET_SELL, tokenAmount: '10' }, 'insufficient allowance'],
  ])('as a sell without enough %s reverts', (...[what, order, cause]) => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    if (what === 'allowance')
      venue.command({ kind: 'allowance', body: { userAddress, token: 'AAPL', amount: '9' } });
    expect(mined(venue, venue.sent(SEND, { ...base(venue), ...order }))).toBe(cause);
    expect(venue.stock('AAPL')).toMatchObject({ wallet: '20', exchange: '100', locked: '0' });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no token for a buy', { ...MARKET_BUY, tokenAmount: '1000' }, 'tokenAddress is required for a buy'],
    ['no amount', { ...MARKET_BUY, tokenAddress: cashToken.address }, 'tokenAmount is required'],
    ['too little', { ...MARKET_BUY, ...usdc('89') }, 'tokenAmount must be at least 90'],
    ['nothing for a sell', { ...MARKET_SELL, tokenAmount: '0' }, 'tokenAmount must be greater than 0'],
    [
      'another token for a sell',
      { ...MARKET_SELL, ...usdc('5') },
      'tokenAddress must be the stock itself for a sell',
    ],
    [
      'a deferred sell',
      { ...MARKET_SELL, tokenAmount: '5', deferred: true },
      'deferred must not be true with a deposit',
    ],
    ['GTC', { ...RESTING_BUY, ...usdc('100'), timeInForce: 'GTC' }, 'timeInForce only supports DAY'],
    ['a deadline that has expired', { ...MARKET_BUY, ...usdc('100'), deadline: 1 }, 'deadline has expired'],
  ])('is refused: %s', (...[, body, errMsg]) => {
    const venue = new Bench();
    expect(venue.post(SEND, { ...base(venue), ...body })).toMatchObject({ errMsg, data: null });
    expect(venue.machine.state.transactions).toEqual([]);
  });
});
