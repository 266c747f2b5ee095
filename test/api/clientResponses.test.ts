import { expect, test } from 'vitest';
import { ALLOWED_GROUPS } from '../../src/api/allowList.ts';
import { NoAnswerError, OutcomeUnknownError } from '../../src/core/errors.ts';
import { isUnreadable } from '../../src/core/nesting.ts';
import { clientOver, reply } from './fakeTransport.ts';

const hash = `0x${'ab'.repeat(32)}`;
const router = `0x${'2'.repeat(40)}`;
const stock = `0x${'1'.repeat(40)}` as const;
const path = { operationId: 'op-1' };
const answering = (data: unknown) => clientOver(() => reply(data), { allow: ALLOWED_GROUPS }).client;

const link = {
  txHash: hash,
  operationType: 'deposit',
  status: 'Init',
  orderId: null,
  operationId: null,
  createTime: 1_781_530_000,
};
const operation = {
  operationId: 'op-1',
  userAddress: stock,
  tokenAddress: stock,
  status: 'success',
  isInstant: true,
  createTxHash: hash,
  settleTxHash: null,
};
const deposit = { ...operation, amount: '90', creditAmount: '90', feeAmount: '0' };
const detail = {
  mappingStatus: 'success',
  operationStatus: 'success',
  mapping: link,
  depositOperation: deposit,
  withdrawalOperation: null,
};

test('calldata is parsed completely or refused', async () => {
  const good = {
    chainId: 143,
    productType: 'ProductA',
    toAddress: router,
    value: '0',
    callData: '0x8c8c3c9d00',
    method: 'withdraw',
  };
  const body = { userAddress: stock, tokenAddress: stock, creditAmount: '1' };

  expect(await answering({ ...good, extra: 1 }).cashWithdrawalCalldata({ body })).toEqual(good);
  for (const field of ['chainId', 'toAddress', 'value', 'callData', 'method'])
    await expect(answering({ ...good, [field]: undefined }).cashWithdrawalCalldata({ body })).rejects.toThrow(
      NoAnswerError,
    );
  await expect(answering({ ...good, callData: '0x8' }).cashWithdrawalCalldata({ body })).rejects.toThrow(
    /callData: not bytes/,
  );
});

test('the amounts of a deposit may be numbers with exact digits', async () => {
  const numbers = { ...deposit, amount: 90, creditAmount: 0.1 + 0.2, feeAmount: 1e-7 };
  const read = await answering({ ...detail, depositOperation: numbers }).cashDeposit({ path });

  expect(read).toEqual({
    ...detail,
    depositOperation: { ...deposit, amount: '90', creditAmount: '0.3', feeAmount: '0.0000001' },
  });
});

test.each<[string, unknown, object]>([
  ['a detail', detail, detail],
  ['a link alone', link, { mapping: link }],
  [
    'a link with its operation beside it',
    { ...link, depositOperation: deposit },
    { mapping: link, depositOperation: deposit },
  ],
  ['an operation alone', deposit, { depositOperation: deposit }],
  [
    'a detail with an unknown status',
    { ...detail, operationStatus: 'resting' },
    { operationStatus: 'resting' },
  ],
])('a row of deposits may be %s', async (_name, row, read) => {
  const { rows } = await answering({ total: 1, rows: [row] }).cashDeposits();
  expect(rows).toEqual([expect.objectContaining(read)]);
});

test('an unreadable row of deposits is set aside, and the others are read', async () => {
  const { total, rows } = await answering({ total: 2, rows: [7, detail] }).cashDeposits();
  expect(total).toBe(2);
  expect(rows.map((row) => isUnreadable(row))).toEqual([true, false]);
});

test('withdrawals and stock operations are read under their own names', async () => {
  const stockOperation = {
    operationId: 'op-1',
    userAddress: stock,
    tokenAddress: stock,
    stockSymbol: 'AAPL',
    status: 'processing',
    amount: '2.5',
    createTxHash: hash,
  };
  expect(await answering(deposit).cashWithdrawal({ path })).toEqual({ withdrawalOperation: deposit });
  expect(await answering({ ...detail, stockOperation }).stockDeposit({ path })).toMatchObject({
    stockOperation,
  });
  const { rows } = await answering({ total: 1, rows: [stockOperation] }).stockWithdrawals();
  expect(rows).toEqual([{ stockOperation }]);
});

test('corporate actions and debts are read as lists of rows', async () => {
  const split = {
    symbol: 'AAPL',
    type: 'forward_split',
    exDate: '2026-08-31',
    recordDate: null,
    payableDate: null,
    oldRate: 1,
    newRate: 4,
    cashPerShare: null,
  };
  expect(await answering([split]).corporateActions()).toEqual([{ ...split, oldRate: '1', newRate: '4' }]);
  expect(await answering([]).corporateActions()).toEqual([]);
  const debt = { stockAddress: stock, stockSymbol: 'AAPL', debtQuantity: '2.5' };
  expect(await answering([debt]).debts()).toEqual([debt]);
});

test('recording a link succeeds even when the response does not contain the link', async () => {
  const body = { txHash: hash };
  expect(await answering(link).orderRecordTx({ body })).toEqual(link);
  for (const odd of [null, true, 'ok', {}])
    expect(await answering(odd).stockDepositRecordTx({ body })).toBeNull();
});

test('recording a link is retried when no response comes, and a withdrawal is not', async () => {
  const lost = clientOver(() => new OutcomeUnknownError('reset'), { allow: ALLOWED_GROUPS });
  const recording = expect(lost.client.cashDepositRecordTx({ body: { txHash: hash } })).rejects.toThrow(
    NoAnswerError,
  );
  await lost.clock.advanceBy(60_000);
  await recording;
  expect(lost.sent.map(({ fresh }) => fresh)).toEqual([false, false, false]);

  const body = { tokenAddress: stock, creditAmount: '1' };
  const sending = expect(lost.client.cashWithdrawalSend({ body })).rejects.toThrow(OutcomeUnknownError);
  await lost.clock.advanceBy(60_000);
  await sending;
  expect(lost.sent.slice(3).map(({ fresh }) => fresh)).toEqual([true]);
});
