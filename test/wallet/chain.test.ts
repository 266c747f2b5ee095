import type { TransactionSerializedEIP1559 } from 'viem';
import { beforeEach, expect, test } from 'vitest';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain, type Chain } from '../../src/wallet/chain.ts';
import { encodeRouterCall, cancelCall } from '../../src/wallet/routerAbi.ts';
import { FakeNode } from './fakeNode.ts';

const START = 1_781_530_000;
const deadline = epochSeconds(START + 90);
const unknown = `0x${'99'.repeat(32)}`;
let clock: VirtualClock;
let node: FakeNode;
let chain: Chain;
let hash: string;

beforeEach(async () => {
  clock = new VirtualClock({ start: epochMs(START * 1000) });
  node = new FakeNode(clock);
  chain = createChain(node);
  const raw = await walletOf(`0x${'11'.repeat(32)}`).signTransaction({
    chainId: 143,
    to: `0x${'ab'.repeat(20)}`,
    nonce: 0,
    gas: 100_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    data: encodeRouterCall(cancelCall(`0x${'33'.repeat(32)}`, { deadline })),
  });
  ({ hash } = node.take(raw as TransactionSerializedEIP1559));
});

test('a transaction is traced as waiting, then as mined with the time of its block', async () => {
  expect(await chain.trace(hash)).toMatchObject({ kind: 'waiting', signed: { nonce: 0 } });
  node.mine({ block: START + 5 });
  expect(await chain.trace(hash)).toEqual({
    kind: 'mined',
    at: (START + 5) * 1000,
    revert: null,
    isDeep: false,
  });
});

test('a transaction that the chain has no trace of is absent as of the newest block seen before the query', async () => {
  node.onAsk = (method) => {
    if (method === 'eth_getTransactionReceipt') void clock.advanceBy(60_000);
  };
  expect(await chain.trace(unknown)).toEqual({ kind: 'absent', at: START * 1000 });
});

test('a block with an impossible time proves nothing', async () => {
  const late = new FakeNode(new VirtualClock({ start: epochMs(9e18) }));
  await expect(createChain(late).trace(hash)).rejects.toThrow('not a time');
});

test.each<[cause: string, mined: Parameters<FakeNode['mine']>[0], revert: string | null]>([
  ['deadline has passed', { block: START + 91 }, 'order is malformed'],
  ['insufficient mUSD', { block: START + 90 }, 'insufficient mUSD'],
  ['cause unknown', { block: START + 90 }, null],
])('a revert is traced with its cause: %s', async (cause, mined, revert) => {
  node.mine({ ...mined, status: 0 });
  node.revert = revert;
  expect(await chain.trace(hash)).toMatchObject({ kind: 'mined', revert: cause });
});

test('a receipt that gives the gas limit as gas used, as on Monad, does not hide the cause of a revert', async () => {
  node.mine({ gasUsed: 100_000n, block: START + 5, status: 0 });
  node.revert = 'insufficient mUSD';
  expect(await chain.trace(hash)).toMatchObject({ revert: 'insufficient mUSD' });
});

test('a reverted transaction ran out of gas when its replay with the same gas does', async () => {
  node.mine({ gasUsed: 60_000n, block: START + 5, status: 0 });
  node.gasNeeded = 100_001n;
  expect(await chain.trace(hash)).toMatchObject({ revert: 'out of gas' });
});

test('a replay that the node refuses is retried, and two minutes after the block the refusal is the cause', async () => {
  node.mine({ block: START, status: 0 });
  node.callsRefused = 'missing trie node';
  await expect(chain.trace(hash)).rejects.toThrow('missing trie node');
  await clock.advanceBy(119_000);
  await expect(chain.trace(hash)).rejects.toThrow('missing trie node');
  await clock.advanceBy(1_000);
  expect(await chain.trace(hash)).toMatchObject({
    kind: 'mined',
    revert: 'cause unknown, as the node could not replay it: missing trie node',
  });
});

test('a mined transaction is final once twelve blocks follow its own', async () => {
  node.mine({ block: START, status: 0 });
  await clock.advanceBy(11_000);
  expect(await chain.trace(hash)).toMatchObject({ kind: 'mined', isDeep: false });
  await clock.advanceBy(1_000);
  expect(await chain.trace(hash)).toMatchObject({ kind: 'mined', isDeep: true });
});

test.each([
  ['0x', null],
  [`0xef0100${'cd'.repeat(20)}`, `0x${'cd'.repeat(20)}`],
  [`0xef0100${'cd'.repeat(21)}`, null],
  ['0xfe', null],
] as const)('a wallet with the code %s is delegated to %s', async (code, delegate) => {
  const address = `0x${'ab'.repeat(20)}` as const;
  node.codes.set(address, code);
  expect(await chain.delegate(address)).toBe(delegate);
});
