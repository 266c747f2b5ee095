import { maxUint256, toHex, type Hex } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeCall, type RouterCall } from '../../src/emulator/state/calls.ts';
import { cashToken, contracts } from '../../src/emulator/state/constants.ts';
import { stock } from './harness.ts';
import { closeAll, Trader } from './trader.ts';

afterEach(closeAll);

const AAPL = stock('AAPL');
const WAD = 10n ** 18n;
const deadline = 4_294_967_295;
const USDC = cashToken.address;

const deposit = (amount: bigint): RouterCall => ({
  kind: 'deposit',
  token: USDC,
  amount: amount * 10n ** 6n,
});
const limit = (terms: object): RouterCall => ({
  kind: 'placeLimitOrder',
  stock: AAPL,
  quantity: WAD,
  price: WAD,
  tif: 0,
  deadline,
  ...terms,
});
const market = (amount: bigint, until = deadline): RouterCall => ({
  kind: 'placeMarketOrder',
  stock: AAPL,
  amount,
  deadline: until,
});
const allow = (trader: Trader, token: string, amount: string) =>
  trader.control('/allowance', { userAddress: trader.address, token, amount });

/** Results of a router call: simulated now, estimated, and mined in a block. */
async function outcomes(trader: Trader, call: RouterCall, gas = 400_000n) {
  const to = contracts.router;
  const trial = { from: trader.address, to, data: encodeCall(call) };
  const [now, estimate] = [
    await trader.node('eth_call', trial, 'latest'),
    await trader.node('eth_estimateGas', trial),
  ];
  const nonce = await trader.reader.getTransactionCount({ address: trader.address });
  const hash = await trader.send(await trader.signed({ data: encodeCall(call), gas, nonce }));
  await trader.wait(6_000);
  const receipt = await trader.reader.getTransactionReceipt({ hash: hash as Hex });
  const atBlock = await trader.node('eth_call', trial, toHex(receipt.blockNumber));
  return { now, estimate, receipt, atBlock };
}

const orderOf = async (trader: Trader, call: RouterCall): Promise<Hex> => {
  const nonce = await trader.reader.getTransactionCount({ address: trader.address });
  await trader.send(await trader.signed({ data: encodeCall(call), gas: 400_000n, nonce }));
  await trader.wait(3_000);
  return ((await trader.truth()).orders.at(-1)?.orderId ?? '0x') as Hex;
};
const cancel = (orderId: Hex): RouterCall => ({ kind: 'cancelLimitOrder', orderId, deadline });

type Case = [cause: string, prepare: (trader: Trader) => Promise<RouterCall>];

describe('a call that reverts', () => {
  test.each<Case>([
    ['deadline has passed', () => Promise.resolve(market(WAD, 1))],
    ['insufficient allowance', (trader) => allow(trader, 'USDC', '99').then(() => deposit(100n))],
    ['insufficient wallet balance', () => Promise.resolve(deposit(50_001n))],
    ['insufficient mUsdBalance', () => Promise.resolve(market(100_000n * WAD))],
    ['insufficient exchangeBalance', () => Promise.resolve(market(-101n * WAD))],
    ['only DAY orders are supported', () => Promise.resolve(limit({ tif: 1 }))],
    ['amount is zero', () => Promise.resolve(market(0n))],
    ['price is zero', () => Promise.resolve(limit({ price: 0n }))],
    ['unknown stock', () => Promise.resolve(limit({ stock: USDC }))],
    ['no such order', () => Promise.resolve(cancel(`0x${'1'.repeat(64)}`))],
    ['not a limit order', async (trader) => cancel(await orderOf(trader, market(WAD * 10n)))],
    [
      'order is not open',
      async (trader) => {
        const orderId = await orderOf(trader, limit({}));
        await outcomes(trader, cancel(orderId));
        return cancel(orderId);
      },
    ],
    [
      'not your order',
      async (trader) => {
        const body = { stockAddress: AAPL, side: 'Buy', type: 'Limit', price: '1.00', timeInForce: 'DAY' };
        const key = trader.emulator.info.accounts[0]?.keys[0];
        const order = { ...body, quantity: '1', deadline: await trader.deadline() };
        await trader.ask({ method: 'POST', path: '/api/v1/orders/send', body: order }, key);
        await trader.wait(3_000);
        return cancel(((await trader.truth()).orders[0]?.orderId ?? '0x') as Hex);
      },
    ],
    [
      'deposits are paused',
      (trader) => trader.control('/cashier', { depositPaused: true }).then(() => deposit(100n)),
    ],
    [
      'withdrawals are paused',
      (trader) =>
        trader
          .control('/cashier', { withdrawPaused: true })
          .then(() => ({ kind: 'withdraw', token: USDC, amountWad: WAD })),
    ],
    ['address is restricted', () => Promise.resolve({ kind: 'withdrawStock', token: AAPL, amount: WAD })],
  ])('gives the cause before and after it is mined: %s', async (cause, prepare) => {
    const trader = await Trader.start();
    const call = await prepare(trader);
    const { now, estimate, receipt, atBlock } = await outcomes(trader, call);
    const error = { code: 3, message: `execution reverted: ${cause}` };
    expect([now.error, estimate.error, atBlock.error]).toMatchObject([error, error, error]);
    expect(receipt).toMatchObject({ status: 'reverted', logs: [] });
    expect(receipt.gasUsed).toBeLessThan(400_000n);
    expect(receipt.gasUsed).toBeGreaterThan(21_000n);
  });

  test('for lack of gas has used all of it', async () => {
    const trader = await Trader.start();
    const { now, estimate, receipt, atBlock } = await outcomes(trader, market(WAD * 10n), 100_000n);
    expect(now.result).toMatch(/^0x[0-9a-f]{64}$/);
    expect(BigInt(estimate.result as Hex)).toBe(180_000n);
    expect(receipt).toMatchObject({ status: 'reverted', gasUsed: 100_000n });
    expect(atBlock.error?.message).toBe('out of gas');
    expect((await trader.truth()).accounts[3]?.mUsd).toBe('100000');
  });

  test('is a call with unknown calldata, another contract, or attached money', async () => {
    const trader = await Trader.start();
    const from = trader.address;
    for (const trial of [
      { from, to: contracts.router, data: '0x12345678' },
      { from, to: contracts.cashier, data: encodeCall(deposit(100n)) },
      { from, to: contracts.router, data: encodeCall(deposit(100n)), value: '0x1' },
    ])
      expect((await trader.node('eth_call', trial)).error?.message).toBe(
        'execution reverted: unknown function',
      );
    const settle = {
      from,
      to: contracts.stock,
      data: encodeCall({ kind: 'settleOrder', orderId: `0x${'1'.repeat(64)}` }),
    };
    expect((await trader.node('eth_call', settle)).error?.message).toContain(
      'only the operator may call this',
    );
  });
});

test('eth_call and eth_estimateGas change nothing', async () => {
  const trader = await Trader.start();
  const before = await trader.truth();
  const trial = { from: trader.address, to: contracts.router, data: encodeCall(deposit(100n)) };
  expect((await trader.node('eth_call', trial)).result).toMatch(/^0x[0-9a-f]{64}$/);
  expect((await trader.node('eth_estimateGas', trial)).result).toBe(toHex(160_000));
  await trader.wait(10_000);
  expect({ ...(await trader.truth()), now: before.now }).toEqual(before);
});

test('an unlimited allowance stays at its maximum', async () => {
  const trader = await Trader.start();
  const abi = [
    {
      type: 'function',
      name: 'approve',
      stateMutability: 'nonpayable',
      outputs: [],
      inputs: [
        { name: 'spender', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
    },
  ] as const;
  const args = [contracts.router, maxUint256] as const;
  await trader.wallet.writeContract({ address: USDC, abi, functionName: 'approve', args });
  await trader.wait(3_000);
  const data = `0xdd62ed3e${[trader.address, contracts.router].map((each) => each.slice(2).padStart(64, '0')).join('')}`;
  expect((await trader.node('eth_call', { to: USDC, data })).result).toBe(toHex(maxUint256));
});
