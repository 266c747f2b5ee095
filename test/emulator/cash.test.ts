import { describe, expect, test } from 'vitest';
import { decodeCall } from '../../src/emulator/state/calls.ts';
import { cashToken } from '../../src/emulator/state/constants.ts';
import { Bench, stock } from './harness.ts';

const USDC = cashToken.address;
const DEPOSITS = '/cash/deposits';
const WITHDRAWALS = '/cash/withdrawals';
const deposit = (amount: string | number) => ({ tokenAddress: USDC, tokenAmount: amount });
const withdrawal = (amount: string | number) => ({ tokenAddress: USDC, creditAmount: amount });
const NONE = `0x${'0'.repeat(64)}`;

type Row = Record<string, unknown>;
type Page = { total: number; rows: Row[] };
const rows = (venue: Bench, path: string) => (venue.get(path) as Page).rows;
const money = (venue: Bench, account = 0) => {
  const { mUsd, mUsdQueued, cashToken: token } = venue.truthOf(account);
  return { mUsd, mUsdQueued, wallet: token.wallet, queued: token.queued };
};
const cashier = (venue: Bench, body: Record<string, unknown>) => venue.command({ kind: 'cashier', body });
const buffers = (venue: Bench) => {
  const config = venue.get('/config') as {
    cashierBuffer: { creditBuffer: string };
    cashierTokenConfig: { withdrawalBuffer: string; depositPaused: boolean }[];
  };
  const [token] = config.cashierTokenConfig;
  return { credit: config.cashierBuffer.creditBuffer, tokens: token?.withdrawalBuffer };
};

describe('a deposit', () => {
  test('of at most a fifth of the credit buffer is credited in its block, one for one', () => {
    const venue = new Bench();
    const txHash = venue.sent(`${DEPOSITS}/send`, deposit('1000.123456'));
    expect(money(venue)).toMatchObject({ mUsd: '100000', wallet: '50000' });
    venue.wait(3_000);
    expect(money(venue)).toEqual({
      mUsd: '101000.123456',
      mUsdQueued: '0',
      wallet: '48999.876544',
      queued: '0',
    });
    expect(buffers(venue)).toEqual({ credit: '998999.876544', tokens: '501000.123456' });
    expect(venue.transaction(txHash).receipt?.events).toMatchObject([
      { name: 'InstantDeposit', args: { amount: 1_000_123_456n, creditAmount: 1_000_123_456n * 10n ** 12n } },
    ]);
    venue.wait(3_000);
    const [row] = rows(venue, DEPOSITS);
    expect(row).toMatchObject({
      txHash,
      operationType: 'deposit',
      status: 'success',
      orderId: null,
      depositOperation: {
        isInstant: true,
        amount: 1000.123456,
        creditAmount: 1000.123456,
        feeAmount: 0,
        status: 'success',
        createTxHash: txHash,
        settleTxHash: txHash,
        tokenAddress: USDC,
      },
    });
  });

  test.each([
    ['larger than a fifth of the credit buffer', { creditBuffer: '4999.999999' }],
    ['without room in the withdrawal buffer', { withdrawalBuffer: '999000.01' }],
  ])('%s is queued, and credited later', (_name, body) => {
    const venue = new Bench();
    cashier(venue, body);
    const before = buffers(venue);
    venue.sent(`${DEPOSITS}/send`, deposit('1000'));
    venue.wait(10_000);
    expect(money(venue)).toEqual({ mUsd: '100000', mUsdQueued: '0', wallet: '49000', queued: '1000' });
    const [row] = rows(venue, DEPOSITS);
    const id = String(row?.['operationId']);
    expect(venue.get(`${DEPOSITS}/${id}`)).toMatchObject({
      mappingStatus: 'processing',
      operationStatus: 'processing',
      withdrawalOperation: null,
      depositOperation: { isInstant: false, status: 'processing', settleTxHash: null },
    });
    venue.wait(200_000);
    expect(money(venue)).toEqual({ mUsd: '101000', mUsdQueued: '0', wallet: '49000', queued: '0' });
    expect(venue.get(`${DEPOSITS}/${id.slice(2).toUpperCase()}`)).toMatchObject({
      operationStatus: 'success',
      depositOperation: { status: 'success', settleTxHash: expect.stringMatching(/^0x/) as string },
    });
    expect(buffers(venue)).toEqual(before);
  });

  test('of exactly a fifth is instant', () => {
    const venue = new Bench();
    cashier(venue, { creditBuffer: '5000', withdrawalBuffer: '999000' });
    venue.sent(`${DEPOSITS}/send`, deposit('1000'));
    venue.wait(3_000);
    expect(money(venue).mUsd).toBe('101000');
  });

  test('is not found before the indexer has it, while its link is listed at once', () => {
    const venue = new Bench({ indexerLagMs: 60_000 });
    const txHash = venue.sent(`${DEPOSITS}/send`, deposit(100));
    venue.wait(10_000);
    expect(rows(venue, DEPOSITS)).toMatchObject([
      { txHash, status: 'Pending', operationId: null, depositOperation: null },
    ]);
    const { operationId } = venue.machine.state.operations[0] ?? {};
    const ask = () => venue.ask({ method: 'GET', path: `/api/v1${DEPOSITS}/${operationId ?? ''}` }).body.code;
    expect(ask()).toBe(10_001);
    venue.wait(60_000);
    expect(ask()).toBe(200);
    const other = `/api/v1${DEPOSITS}/${operationId ?? ''}`;
    expect(venue.ask({ method: 'GET', path: other }, venue.key(1)).body.code).toBe(10_001);
    expect(venue.ask({ method: 'GET', path: `/api/v1${WITHDRAWALS}/${operationId ?? ''}` }).body.code).toBe(
      10_001,
    );
    expect(venue.ask({ method: 'GET', path: `/api/v1${DEPOSITS}/12` }).body.code).toBe(10_000);
  });

  test.each<[string, Record<string, unknown>, number, RegExp]>([
    ['below the minimum', deposit('89.999999'), 10_002, /^tokenAmount must be at least 90$/],
    ['with more decimals than the token has', deposit('100.0000001'), 10_000, /^tokenAmount must/],
    ['of another token', { tokenAddress: stock('AAPL'), tokenAmount: '100' }, 10_000, /cash token/],
    ['without an amount', { tokenAddress: USDC }, 10_000, /^tokenAmount is required$/],
    [
      'with a symbol in place of an address',
      { tokenAddress: 'USDC', tokenAmount: 100 },
      10_000,
      /^tokenAddress must be/,
    ],
  ])('%s is refused, also as calldata', (...[, body, code, errMsg]) => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    const sent = venue.post(`${DEPOSITS}/send`, body);
    expect(sent.code).toBe(code);
    expect(sent.errMsg).toMatch(errMsg);
    expect(venue.post(`${DEPOSITS}/calldata`, { userAddress, ...body }).errMsg).toBe(sent.errMsg);
  });

  test('is refused while deposits are paused, and one under way reverts', () => {
    const venue = new Bench();
    const txHash = venue.sent(`${DEPOSITS}/send`, deposit('100'));
    cashier(venue, { depositPaused: true });
    expect(venue.post(`${DEPOSITS}/send`, deposit('100'))).toMatchObject({
      code: 10_002,
      errMsg: 'deposits of USDC are paused',
    });
    venue.wait(3_000);
    expect(venue.revert(txHash)).toBe('deposits are paused');
  });

  test('without an allowance is refused by /send, and its calldata is given', () => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    venue.command({ kind: 'allowance', body: { userAddress, token: 'USDC', amount: '99' } });
    expect(venue.post(`${DEPOSITS}/send`, deposit('100'))).toMatchObject({ code: 10_003 });
    const { data } = venue.post(`${DEPOSITS}/calldata`, { userAddress, ...deposit('100') });
    const { method, callData } = data as { method: string; callData: `0x${string}` };
    expect(method).toBe('deposit');
    expect(decodeCall(callData)).toEqual({ kind: 'deposit', token: USDC, amount: 100_000_000n });
  });

  test.each([
    ['allowance', '40000', '30000', 'insufficient allowance'],
    ['tokens', '60000', '30000', 'insufficient wallet balance'],
  ])('whose %s another deposit has used up reverts, and moves nothing', (...[, allowed, amount, cause]) => {
    const venue = new Bench();
    const { userAddress } = venue.account();
    venue.command({ kind: 'allowance', body: { userAddress, token: 'USDC', amount: allowed } });
    const [first = '', second = ''] = [1, 2].map(() => venue.sent(`${DEPOSITS}/send`, deposit(amount)));
    venue.wait(5_000);
    expect([venue.revert(first), venue.revert(second)]).toEqual([null, cause]);
    expect(money(venue)).toMatchObject({ mUsd: '130000', wallet: '20000' });
    venue.wait(3_000);
    expect(rows(venue, DEPOSITS)).toMatchObject([
      { txHash: second, status: 'failed', operationId: null, depositOperation: null },
      { txHash: first, status: 'success' },
    ]);
  });

  test('is refused by /send without One Click', () => {
    const venue = new Bench();
    expect(venue.post(`${DEPOSITS}/send`, deposit('100'), venue.key(3)).code).toBe(10_003);
  });
});

describe('a withdrawal', () => {
  test('pays out at once what the buffer holds, less 21 bps', () => {
    const venue = new Bench();
    const txHash = venue.sent(`${WITHDRAWALS}/send`, withdrawal('1000'));
    venue.wait(6_000);
    expect(money(venue)).toEqual({ mUsd: '99000', mUsdQueued: '0', wallet: '50997.9', queued: '0' });
    expect(buffers(venue)).toEqual({ credit: '1000000', tokens: '499002.1' });
    expect(rows(venue, WITHDRAWALS)).toMatchObject([
      {
        txHash,
        operationType: 'withdraw',
        status: 'success',
        depositOperation: null,
        withdrawalOperation: { isInstant: true, amount: 997.9, creditAmount: 1000, feeAmount: 2.1 },
      },
    ]);
  });

  test('beyond the buffer is queued: the mUSD go first, the tokens come when it settles', () => {
    const venue = new Bench();
    cashier(venue, { withdrawalBuffer: '900' });
    venue.sent(`${WITHDRAWALS}/send`, withdrawal('1000'));
    venue.wait(10_000);
    expect(money(venue)).toEqual({ mUsd: '99000', mUsdQueued: '1000', wallet: '50000', queued: '0' });
    const [row] = rows(venue, WITHDRAWALS);
    expect(row).toMatchObject({ status: 'processing', withdrawalOperation: { isInstant: false } });
    venue.wait(200_000);
    expect(money(venue)).toEqual({ mUsd: '99000', mUsdQueued: '0', wallet: '50997.9', queued: '0' });
    expect(venue.get(`${WITHDRAWALS}/${String(row?.['operationId'])}`)).toMatchObject({
      operationStatus: 'success',
      depositOperation: null,
      withdrawalOperation: { status: 'success', amount: 997.9 },
    });
  });

  test('pays as a fee the fraction that the token cannot express', () => {
    const venue = new Bench();
    venue.sent(`${WITHDRAWALS}/send`, withdrawal('1.000000000000000001'));
    venue.wait(6_000);
    expect(money(venue)).toMatchObject({ mUsd: '99998.999999999999999999', wallet: '50000.9979' });
  });

  test.each([
    ['of more than the balance', withdrawal('100000.01'), 'insufficient mUsdBalance'],
    ['smaller than its fee', withdrawal('0.000001'), 'nothing is left after the fee'],
  ])('%s reverts', (_name, body, cause) => {
    const venue = new Bench();
    const txHash = venue.sent(`${WITHDRAWALS}/send`, body);
    venue.wait(3_000);
    expect(venue.revert(txHash)).toBe(cause);
    expect(money(venue)).toMatchObject({ mUsd: '100000', wallet: '50000' });
  });

  test('is refused for nothing, for another token, and while withdrawals are paused', () => {
    const venue = new Bench();
    const send = (body: unknown) => venue.post(`${WITHDRAWALS}/send`, body);
    expect(send(withdrawal('0')).errMsg).toBe('creditAmount must be greater than 0');
    expect(send({ ...withdrawal('1'), tokenAddress: stock('AAPL') }).errMsg).toContain('cash token');
    const txHash = venue.sent(`${WITHDRAWALS}/send`, withdrawal('1'));
    cashier(venue, { withdrawPaused: true });
    expect(send(withdrawal('1'))).toMatchObject({ code: 10_002, errMsg: 'withdrawals of USDC are paused' });
    venue.wait(3_000);
    expect(venue.revert(txHash)).toBe('withdrawals are paused');
  });
});

describe('the lists of deposits and withdrawals', () => {
  test('come in pages, newest first, by kind and key', () => {
    const venue = new Bench();
    const hashes = [1, 2, 3].map((n) => venue.sent(`${DEPOSITS}/send`, deposit(100 + n)));
    venue.sent(`${WITHDRAWALS}/send`, withdrawal('5'));
    const page = venue.get(DEPOSITS, { page: 2, limit: 2 }) as Page;
    expect(page.total).toBe(3);
    expect(page.rows).toMatchObject([{ txHash: hashes[0] }]);
    expect(rows(venue, WITHDRAWALS)).toHaveLength(1);
    expect(rows(venue, '/orders')).toEqual([]);
    expect(venue.get(DEPOSITS, {}, venue.key(1))).toEqual({ total: 0, rows: [] });
  });
});

describe('recording a transaction', () => {
  test.each(['/orders/tx', `${DEPOSITS}/tx`, `${WITHDRAWALS}/tx`])('%s twice gives the same link', (path) => {
    const venue = new Bench();
    const first = venue.post(path, { txHash: NONE });
    expect(first).toMatchObject({ code: 200, data: { txHash: NONE, status: 'Pending' } });
    venue.wait(5_000);
    expect(venue.post(path, { txHash: NONE }).data).toEqual(first.data);
    expect(venue.post(path, { txHash: NONE }, venue.key(1))).toMatchObject({
      code: 10_002,
      errMsg: 'txHash was recorded by another API key',
    });
    expect(venue.post(path, { txHash: '0x12' }).errMsg).toBe('txHash must be 32 bytes in hex');
  });

  test('gives the link of the send, and is refused in another list or under another key', () => {
    const venue = new Bench();
    const txHash = venue.sent(`${DEPOSITS}/send`, deposit('100'));
    expect(venue.post(`${DEPOSITS}/tx`, { txHash })).toMatchObject({
      code: 200,
      data: { txHash, operationType: 'deposit' },
    });
    expect(venue.post(`${WITHDRAWALS}/tx`, { txHash }).errMsg).toBe('txHash must be that of a withdraw');
    expect(venue.post(`${DEPOSITS}/tx`, { txHash }, venue.key(1)).errMsg).toContain('another API key');
    expect(rows(venue, DEPOSITS)).toHaveLength(1);
  });
});

describe('a cashier that fails to settle', () => {
  test.each([
    [
      'deposits',
      { tokenAmount: '1000' },
      'depositOperation',
      { cashToken: { wallet: '49000', queued: '1000' } },
    ],
    ['withdrawals', { creditAmount: '1000' }, 'withdrawalOperation', { mUsd: '99000', mUsdQueued: '1000' }],
  ])('gives back queued %s', (...[way, amount, field, queued]) => {
    const venue = new Bench();
    venue.command({ kind: 'cashier', body: { creditBuffer: '0', withdrawalBuffer: '0', failing: true } });
    const txHash = venue.sent(`/cash/${way}/send`, { tokenAddress: USDC, ...amount });
    venue.wait(10_000);
    expect(venue.truthOf(0)).toMatchObject(queued);
    venue.wait(240_000);
    expect(venue.truthOf(0)).toMatchObject({
      mUsd: '100000',
      mUsdQueued: '0',
      cashToken: { wallet: '50000', queued: '0' },
    });
    expect(venue.get(`/cash/${way}`)).toMatchObject({
      rows: [{ txHash, status: 'failed', [field]: { status: 'failed' } }],
    });
    const failed = venue.machine.state.transactions.at(-1);
    expect(failed?.receipt?.events).toMatchObject([{ name: expect.stringMatching(/Failed$/) as string }]);
  });
});
