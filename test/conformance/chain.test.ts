import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, cashIn, cashOut, limitBuy, marketBuy, marketSell, repayment } from './bodies.ts';
import { stockMove, withDeposit, type Body, type Name } from './bodies.ts';
import { failure, lastAnswer, startStage, type Stage, type StageClient } from './stage.ts';

let stage: Stage;
let client: StageClient;
beforeAll(async () => {
  stage = await startStage();
  client = stage.client(1);
});
afterAll(() => stage.close());

const LISTS: Readonly<Partial<Record<Name, Name>>> = {
  cashDepositSend: 'cashDeposits',
  cashWithdrawalSend: 'cashWithdrawals',
  stockDepositSend: 'stockDeposits',
  stockWithdrawalSend: 'stockWithdrawals',
};

type Link = Readonly<{ txHash: string; status: string }>;
const linkOf = async (name: Name, txHash: string, by = client) => {
  await ask(by, LISTS[name] ?? 'orders', { query: { limit: 100 } });
  const { rows } = lastAnswer(by).data as { rows: Link[] };
  return rows.find((row) => row.txHash === txHash);
};

/** Sends a request that the venue accepts, and returns its outcome on chain. */
async function sendAndWait(name: Name, body: Body, by = client): Promise<string | undefined> {
  const { txHash } = (await ask(by, name, { body })) as { txHash: string };
  expect((await linkOf(name, txHash, by))?.status).toBe('Pending');
  await stage.settled();
  return (await linkOf(name, txHash, by))?.status;
}

describe('an order or transfer beyond the balance', () => {
  test.for<[string, Name, () => Body]>([
    ['a buy above mUsdBalance', 'orderSend', () => ({ ...marketBuy(stage), notional: '1000000' })],
    ['a limit buy above it', 'orderSend', () => ({ ...limitBuy(stage), quantity: '100000' })],
    ['a sell above exchangeBalance', 'orderSend', () => ({ ...marketSell(stage), quantity: '100.5' })],
    ['too little gas', 'orderSend', () => ({ ...marketBuy(stage), gasLimit: 30_000 })],
    [
      'a deposit above the wallet, then a buy',
      'orderWithDepositSend',
      () => ({ ...withDeposit(stage), tokenAmount: '60000' }),
    ],
    [
      'a deposit of stock above the wallet, then a sell',
      'orderWithDepositSend',
      () => ({ ...marketSell(stage), tokenAmount: '500' }),
    ],
    ['a deposit above the wallet', 'cashDepositSend', () => ({ ...cashIn(stage), tokenAmount: '60000' })],
    [
      'a withdrawal above mUsdBalance',
      'cashWithdrawalSend',
      () => ({ ...cashOut(stage), creditAmount: '200000' }),
    ],
    ['stock in above the wallet', 'stockDepositSend', () => ({ ...stockMove(stage), tokenAmount: '21' })],
    [
      'stock out above exchangeBalance',
      'stockWithdrawalSend',
      () => ({ ...stockMove(stage), tokenAmount: '101' }),
    ],
  ])('is sent, and reverts on chain: %s', async ([, name, body]) => {
    const ended = await sendAndWait(name, body());
    expect(ended?.toLowerCase()).toBe('failed');
  });

  test('that repays a debt that is not owed changes nothing', async () => {
    const wallet = async () => {
      const rows = await client.positions({ path: { userId: stage.account(1).userAddress } });
      return rows.map((row) => ('walletBalance' in row ? [row.symbol, row.walletBalance] : []));
    };
    const before = await wallet();
    await ask(client, 'repaySend', { body: { ...repayment(stage), quantity: '5' } });
    await stage.settled();
    expect(await wallet()).toEqual(before);
  });
});

describe('a wallet with too small an allowance', () => {
  const { allow, back } = {
    allow: (token: string, amount: string) =>
      stage.control('allowance', { userAddress: stage.account(1).userAddress, token, amount }),
    back: (token: string) =>
      stage.control('allowance', { userAddress: stage.account(1).userAddress, token, amount: '1000000' }),
  };

  test('gets its deposit as calldata, and cannot send it', async () => {
    await allow('USDC', '5');
    const body = { ...cashIn(stage), userAddress: stage.account(1).userAddress };
    await ask(client, 'cashDepositCalldata', { body });
    expect(lastAnswer(client)).toMatchObject({ code: 200, data: { method: 'deposit' } });
    const error = await failure(ask(client, 'cashDepositSend', { body: cashIn(stage) }));
    // Nothing documented says that a send failing this way had no effect, so the client claims nothing.
    expect([error.name, error.effect]).toEqual(['OutcomeUnknownError', 'unknown']);
    expect(error.message).toContain(
      'POST /api/v1/cash/deposits/send: the wallet has approved 5 USDC for the router',
    );
    const balance = await client.balance({
      path: { userId: stage.account(1).userAddress },
      query: { spenderAddress: stage.info.contracts.router as `0x${string}` },
    });
    const cash = balance.tokenBalances.find((row) => 'isStock' in row && !row.isStock);
    expect(cash).toMatchObject({ symbol: 'USDC', walletAllowance: '5' });
    await back('USDC');
  });

  test('has its orders with a deposit reverted', async () => {
    await allow('USDC', '5');
    await allow('AAPL', '0');
    expect(await sendAndWait('orderWithDepositSend', withDeposit(stage))).toBe('Failed');
    expect(await sendAndWait('orderWithDepositSend', { ...marketSell(stage), tokenAmount: '1' })).toBe(
      'Failed',
    );
    await back('USDC');
    await back('AAPL');
    expect(await sendAndWait('orderWithDepositSend', { ...marketSell(stage), tokenAmount: '1' })).toBe(
      'Filled',
    );
  });
});

test('a buy with a deposit that is not instant reverts, and the same deposit without a buy is queued', async () => {
  await stage.control('cashier', { creditBuffer: '400' });
  expect(await sendAndWait('orderWithDepositSend', withDeposit(stage))).toBe('Failed');
  expect(await sendAndWait('cashDepositSend', cashIn(stage))).toBe('processing');
  await stage.wait(200_000);
  await client.cashDeposits();
  expect(lastAnswer(client).data).toMatchObject({
    rows: [{ status: 'success', depositOperation: { isInstant: false, amount: 90 } }, expect.anything()],
  });
  await stage.control('cashier', { creditBuffer: '1000000' });
  expect(await sendAndWait('orderWithDepositSend', withDeposit(stage))).toBe('Filled');
});

test('a deferred sell needs no stock, becomes a debt, and a restricted partner cannot withdraw stock', async () => {
  const path = { userId: stage.account(1).userAddress };
  const held = async () =>
    (await client.positions({ path })).map((row) => ('exchangeBalance' in row ? row.exchangeBalance : null));
  const before = await held();
  expect(await sendAndWait('orderSend', { ...marketSell(stage), quantity: '500', deferred: true })).toBe(
    'Filled',
  );
  expect(await held()).toEqual(before);
  expect(await client.debts()).toMatchObject([{ stockSymbol: 'AAPL', debtQuantity: '500' }]);
  await ask(client, 'repaySend', { body: { ...repayment(stage), quantity: '2.5' } });
  await stage.settled();
  expect(await client.debts()).toMatchObject([{ debtQuantity: '497.5' }]);
  await stage.control('deferred-sell', { userAddress: path.userId, restricted: true });
  expect(await sendAndWait('stockWithdrawalSend', stockMove(stage))).toBe('failed');
});
