import { parseEther, parseGwei, parseTransaction, type TransactionSerializedEIP1559 } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseCash, parsePrice } from '../../src/core/amount.ts';
import { DAY_MS, epochMs, epochSeconds } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { memoryTransactionLog, type TransactionLog } from '../../src/domain/transfers/transactionLog.ts';
import type { SendGate, SendOutcome } from '../../src/domain/venue.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain } from '../../src/wallet/chain.ts';
import { dayStart, type GasLimits } from '../../src/wallet/gas.ts';
import { cancelCall, encodeRouterCall } from '../../src/wallet/routerAbi.ts';
import { Sender, type SendRequest } from '../../src/wallet/sender.ts';
import { FakeNode } from './fakeNode.ts';

/** 11:00 in New York. */
const START = epochMs(Date.parse('2026-06-15T15:00:00Z'));
const limits: GasLimits = {
  maxFeePerGas: parseGwei('500'),
  gasMax: 2_000_000n,
  marginPercent: 25,
  perTransaction: parseEther('0.3'),
  perDay: parseEther('1'),
  percentOfOrder: 1,
  nativePrice: parsePrice('20'),
};

let clock: VirtualClock;
let node: FakeNode;
let log: TransactionLog;

beforeEach(() => {
  clock = new VirtualClock({ start: START });
  node = new FakeNode(clock);
  log = memoryTransactionLog();
});

const gateOf = (worth?: string): SendGate => ({
  open: (prepared) => ({
    deadline: prepared ?? epochSeconds(Math.floor(clock.now() / 1000) + 90),
    ...(worth === undefined ? {} : { worth: parseCash(worth) }),
  }),
  commit: () => undefined,
});

async function send(rest: Partial<SendRequest> = {}, changed: Partial<GasLimits> = {}): Promise<SendOutcome> {
  const chain = createChain(node);
  const wallet = walletOf(`0x${'11'.repeat(32)}`);
  const sender = new Sender({ wallet, rpc: node, chain, clock, gas: { ...limits, ...changed }, log });
  const sending = sender.send({
    gate: gateOf(),
    callFor: (deadline) =>
      Promise.resolve({
        chainId: 143,
        to: `0x${'ab'.repeat(20)}`,
        data: encodeRouterCall(cancelCall(`0x${'33'.repeat(32)}`, { deadline })),
      }),
    ...rest,
  });
  await clock.advanceBy(1_000);
  return sending;
}

const refusal = (key: string) => ({
  kind: 'stopped',
  code: 'GAS',
  alarm: true,
  reason: expect.stringContaining(key) as string,
});
const feeOf = (index: number) => {
  const { maxFeePerGas = 0n } = parseTransaction(node.offered[index] as TransactionSerializedEIP1559);
  return maxFeePerGas;
};

test('a transaction above gas.perTransaction is refused unsigned, naming its cost and the limit', async () => {
  Object.assign(node, { tip: parseGwei('400'), estimate: 1_500_000n });
  const outcome = await send();
  expect(outcome).toEqual(
    refusal('1875000 units 0.84375, and gas.perTransaction allows 0.3. Nothing was signed'),
  );
  expect([node.offered, log.entries()]).toEqual([[], []]);
});

test('the fee of a transaction has room for a rising base fee within gas.perTransaction', async () => {
  node.estimate = 2_000_000n / 2n;
  expect(await send({}, { perTransaction: parseEther('0.1') })).toMatchObject({ kind: 'accepted' });
  expect(feeOf(0)).toBe(parseGwei('80'));
});

describe('the daily gas limit', () => {
  beforeEach(() => {
    node.estimate = 1_000_000n; // 1.25 million at 102 gwei: 0.1275 each
  });

  test('stops buys at three quarters, and sells and cancels at the whole', async () => {
    for (let sent = 0; sent < 6; sent++) {
      expect((await send()).kind, String(sent)).toBe('accepted');
      node.mine();
    }
    expect(await send()).toMatchObject(refusal('gas.perDay allows 1, of which a quarter is kept'));
    expect((await send({ reduces: true })).kind).toBe('accepted');
    node.mine();
    expect(await send({ reduces: true })).toMatchObject({ kind: 'accepted' });
    node.mine();
    expect(await send({ reduces: true })).toMatchObject(refusal('gas.perDay allows 1; 1 may be spent'));
  });

  test('counts across restarts, and starts again at 20:00 New York', async () => {
    for (let sent = 0; sent < 6; sent++) {
      await send();
      node.mine();
    }
    log = memoryTransactionLog(log.entries());
    expect(await send()).toMatchObject(refusal('gas.perDay'));
    await clock.advanceBy(9 * 3_600_000);
    expect((await send()).kind).toBe('accepted');
  });

  test('counts only the most expensive transaction of a nonce', async () => {
    await send({}, { perDay: parseEther('0.25') });
    const [first] = log.entries();
    if (!first) throw new Error('nothing was signed');
    const replaced = await send({ replaces: first, reduces: true }, { perDay: parseEther('0.15') });
    expect(replaced.kind).toBe('accepted');
    expect(feeOf(1)).toBe(parseGwei('114.75'));
    const again = { replaces: log.entries()[1] ?? first, reduces: true };
    expect(await send(again, { perDay: parseEther('0.15') })).toMatchObject(refusal('gas.perDay'));
  });

  test("keeps counting a day's transactions however many nonces follow", async () => {
    node.estimate = 21_000n;
    for (let sent = 0; sent < 70; sent++) {
      await send();
      node.mine();
    }
    expect(log.entries()).toHaveLength(70);
    await clock.advanceBy(DAY_MS);
    await send();
    expect(log.entries().length).toBeLessThan(70);
  });
});

describe('the limit of gas as a percentage of an order', () => {
  test('is applied by the native price: 0.0065 at 20 mUSD exceeds 1 % of an order of 12', async () => {
    expect(await send({ gate: gateOf('12') })).toMatchObject(
      refusal('gas.percentOfOrder allows 1 % of an order worth 12 mUSD, at gas.nativePrice 20'),
    );
    expect((await send({ gate: gateOf('100') })).kind).toBe('accepted');
  });

  test('does not apply without a native price or to a transaction without an order value', async () => {
    expect((await send({ gate: gateOf('12') }, { nativePrice: null })).kind).toBe('accepted');
    expect((await send()).kind).toBe('accepted');
  });
});

test.each([
  ['2026-06-15T23:59:59Z', '2026-06-15T00:00:00Z'],
  ['2026-06-16T00:00:00Z', '2026-06-16T00:00:00Z'],
  ['2026-03-09T04:30:00Z', '2026-03-09T00:00:00Z'], // 00:30 after a day of 23 hours
  ['2026-11-02T00:59:59Z', '2026-11-01T00:00:00Z'], // 19:59 of a day of 25 hours
])('the trading day of %s begins at %s', (now, start) => {
  expect(new Date(dayStart(epochMs(Date.parse(now)))).toISOString()).toBe(start.replace('Z', '.000Z'));
});
