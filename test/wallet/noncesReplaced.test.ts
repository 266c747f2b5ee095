import type { TransactionSerializedEIP1559 } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain, type Chain } from '../../src/wallet/chain.ts';
import { encodeRouterCall } from '../../src/wallet/routerAbi.ts';
import { cancelCall } from '../../src/wallet/router.ts';
import { FakeNode } from './fakeNode.ts';
import type { AccountNonce } from '../../src/wallet/replacements.ts';

const START = 1_781_530_000;
const wallet = walletOf(`0x${'11'.repeat(32)}`);
const signed: AccountNonce = { from: wallet.address, nonce: 0 };
let clock: VirtualClock;
let node: FakeNode;
let chain: Chain;
let raw: TransactionSerializedEIP1559;
let hash: string;

beforeEach(async () => {
  clock = new VirtualClock({ start: epochMs(START * 1000) });
  node = new FakeNode(clock);
  chain = createChain(node);
  raw = (await wallet.signTransaction({
    chainId: 143,
    to: `0x${'ab'.repeat(20)}`,
    nonce: 0,
    gas: 100_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    data: encodeRouterCall(cancelCall(`0x${'33'.repeat(32)}`, { deadline: epochSeconds(START + 90) })),
  })) as TransactionSerializedEIP1559;
  ({ hash } = node.take(raw));
});

const traceAfter = async (seconds: number, chainAsked = chain) => {
  await clock.advanceBy(seconds * 1000);
  return chainAsked.trace(hash, signed);
};

describe('a transaction whose nonce another one has used', () => {
  test('is replaced once a minute and twelve blocks lie between two looks that say so', async () => {
    node.replace(0);
    expect(await traceAfter(1)).toEqual({ kind: 'unclear' });
    expect(await traceAfter(59)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(1)).toEqual({ kind: 'replaced', at: (START + 61) * 1000 });
    expect(await traceAfter(1)).toMatchObject({ kind: 'replaced' });
  });

  test('is not replaced after a minute of few blocks', async () => {
    node.secondsPerBlock = 12;
    node.replace(0);
    await traceAfter(12);
    expect(await traceAfter(120)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(12)).toMatchObject({ kind: 'replaced' });
  });

  test('is absent, and no more, where its nonce is not known', async () => {
    node.replace(0);
    await chain.trace(hash);
    await clock.advanceBy(600_000);
    expect(await chain.trace(hash)).toMatchObject({ kind: 'absent' });
  });

  test('is proved anew after a restart', async () => {
    node.replace(0);
    await traceAfter(1);
    const next = createChain(node);
    expect(await traceAfter(600, next)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(60, next)).toMatchObject({ kind: 'replaced' });
  });

  test('is mined when it is itself what was mined with it, however late its receipt shows', async () => {
    node.mine();
    node.receiptsFrom = START + 62;
    expect(await traceAfter(1)).toEqual({ kind: 'waiting', signed });
    expect(await traceAfter(62)).toMatchObject({ kind: 'mined', revert: null });
  });

  test('is mined when a receipt shows after the proof: a reorganisation has brought it back', async () => {
    node.replace(0);
    await traceAfter(1);
    expect(await traceAfter(61)).toMatchObject({ kind: 'replaced' });
    node.usedByOthers = 0;
    node.mine({}, node.take(raw));
    expect(await traceAfter(1)).toMatchObject({ kind: 'mined' });
    node.held.length = 0;
    node.replace(0);
    expect(await traceAfter(1)).toMatchObject({ kind: 'unclear' });
  });

  test('is absent again when a reorganisation has freed the nonce, and the proof begins anew', async () => {
    node.replace(0);
    await traceAfter(1);
    node.usedByOthers = 0;
    expect(await traceAfter(30)).toMatchObject({ kind: 'absent' });
    node.replace(0);
    expect(await traceAfter(60)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(59)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(1)).toMatchObject({ kind: 'replaced' });
  });

  test('waits while the node still shows it', async () => {
    node.usedByOthers = 1;
    await traceAfter(1);
    expect(await traceAfter(120)).toMatchObject({ kind: 'waiting' });
    node.drop();
    expect(await traceAfter(1)).toMatchObject({ kind: 'unclear' });
  });

  test('is never taken for replaced where it was itself mined with it, and no receipt of it ever shows', async () => {
    node.mine();
    node.receiptsFrom = Infinity;
    for (const seconds of [1, 60, 600])
      expect(await traceAfter(seconds)).toEqual({ kind: 'waiting', signed });
  });

  test('is unclear for ever where the node does not show by what it was used', async () => {
    node.hidesOthers = true;
    node.replace(0);
    for (const seconds of [1, 60, 600]) expect(await traceAfter(seconds)).toEqual({ kind: 'unclear' });
  });

  test('is unclear where the node no longer has the state of the time before it was used', async () => {
    node.replace(0);
    node.keepsBlocks = 128;
    await clock.advanceBy(300_000);
    for (const seconds of [1, 60, 600]) expect(await traceAfter(seconds)).toEqual({ kind: 'unclear' });
  });

  test('is found in the block that used it, among many', async () => {
    await clock.advanceBy(1_000);
    node.replace(0);
    await clock.advanceBy(77_000);
    node.keepsBlocks = 128;
    await traceAfter(1);
    expect(await traceAfter(60)).toMatchObject({ kind: 'replaced' });
  });
});

describe('a transaction whose nonce no block has used', () => {
  const isQueued = { kind: 'queued' } as const;
  const later: AccountNonce = { ...signed, nonce: 1 };

  test('is queued behind an earlier nonce that is not used, and absent once it is the next', async () => {
    node.drop();
    await clock.advanceBy(600_000);
    expect(await chain.trace(hash, later)).toEqual(isQueued);
    node.replace(0);
    await clock.advanceBy(1_000);
    expect(await chain.trace(hash, later)).toMatchObject({ kind: 'absent' });
  });

  test('is queued while the pool counts it, though it does not show it', async () => {
    node.hidesWaiting = true;
    expect(await traceAfter(600)).toEqual(isQueued);
    node.countsMinedAlone = true;
    expect(await traceAfter(1)).toMatchObject({ kind: 'absent' });
  });
});

test('one that was dropped, and whose nonce is free, is absent for ever', async () => {
  node.drop();
  await traceAfter(1);
  expect(await traceAfter(3_600)).toMatchObject({ kind: 'absent' });
});

test('a count by a node that has not reached the block asked for proves nothing', async () => {
  node.replace(0);
  node.lag = 1;
  await traceAfter(1);
  expect(await traceAfter(600)).toEqual({ kind: 'unclear' });
  node.lag = 0;
  expect(await traceAfter(1)).toEqual({ kind: 'unclear' });
  expect(await traceAfter(60)).toMatchObject({ kind: 'replaced' });
});
