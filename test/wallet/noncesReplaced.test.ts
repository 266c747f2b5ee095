import type { TransactionSerializedEIP1559 } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain, type Chain } from '../../src/wallet/chain.ts';
import { encodeRouterCall, cancelCall } from '../../src/wallet/routerAbi.ts';
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

describe('a transaction whose nonce another transaction has used', () => {
  test('is replaced once two traces a minute and twelve blocks apart agree', async () => {
    node.replace(0);
    expect(await traceAfter(1)).toEqual({ kind: 'unclear' });
    expect(await traceAfter(59)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(1)).toEqual({ kind: 'replaced', at: (START + 61) * 1000 });
    expect(await traceAfter(1)).toMatchObject({ kind: 'replaced' });
  });

  test('is not replaced before twelve blocks have passed', async () => {
    node.secondsPerBlock = 12;
    node.replace(0);
    await traceAfter(12);
    expect(await traceAfter(120)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(12)).toMatchObject({ kind: 'replaced' });
  });

  test('is only absent when its nonce is not known', async () => {
    node.replace(0);
    await chain.trace(hash);
    await clock.advanceBy(600_000);
    expect(await chain.trace(hash)).toMatchObject({ kind: 'absent' });
  });

  test('is proved replaced from the start again after a restart', async () => {
    node.replace(0);
    await traceAfter(1);
    const next = createChain(node);
    expect(await traceAfter(600, next)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(60, next)).toMatchObject({ kind: 'replaced' });
  });

  test('counts as mined when it used the nonce itself, however late its receipt appears', async () => {
    node.mine();
    node.receiptsFrom = START + 62;
    expect(await traceAfter(1)).toEqual({ kind: 'waiting', signed });
    expect(await traceAfter(62)).toMatchObject({ kind: 'mined', revert: null });
  });

  test('is mined again when a reorganisation shows its receipt after the proof', async () => {
    node.replace(0);
    await traceAfter(1);
    expect(await traceAfter(61)).toMatchObject({ kind: 'replaced' });
    node.usedByOthers = 0;
    node.mine({}, node.take(raw));
    expect(await traceAfter(1)).toMatchObject({ kind: 'mined' });
    node.held.length = 0;
    node.replace(0);
    // Twelve blocks later, but by no reading from before its receipt was seen.
    expect(await traceAfter(30)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(59)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(1)).toMatchObject({ kind: 'replaced' });
  });

  test('is absent when a reorganisation frees the nonce, and its proof starts again', async () => {
    node.replace(0);
    await traceAfter(1);
    node.usedByOthers = 0;
    expect(await traceAfter(30)).toMatchObject({ kind: 'absent' });
    node.replace(0);
    expect(await traceAfter(60)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(59)).toMatchObject({ kind: 'unclear' });
    expect(await traceAfter(1)).toMatchObject({ kind: 'replaced' });
  });

  test('is waiting while the node still shows it', async () => {
    node.usedByOthers = 1;
    await traceAfter(1);
    expect(await traceAfter(120)).toMatchObject({ kind: 'waiting' });
    node.drop();
    expect(await traceAfter(1)).toMatchObject({ kind: 'unclear' });
  });

  test('is not replaced when it used the nonce itself but its receipt never appears', async () => {
    node.mine();
    node.receiptsFrom = Infinity;
    for (const seconds of [1, 60, 600])
      expect(await traceAfter(seconds)).toEqual({ kind: 'waiting', signed });
  });

  test('stays unclear when the node does not show which transaction used the nonce', async () => {
    node.hidesOthers = true;
    node.replace(0);
    for (const seconds of [1, 60, 600]) expect(await traceAfter(seconds)).toEqual({ kind: 'unclear' });
  });

  test('stays unclear when the node no longer has the state before the nonce was used', async () => {
    node.replace(0);
    node.keepsBlocks = 128;
    await clock.advanceBy(300_000);
    for (const seconds of [1, 60, 600]) expect(await traceAfter(seconds)).toEqual({ kind: 'unclear' });
  });

  test('is proved replaced by the one block that used its nonce, among many', async () => {
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

  test('is queued behind an earlier unused nonce, and absent once its nonce is the next', async () => {
    node.drop();
    await clock.advanceBy(600_000);
    expect(await chain.trace(hash, later)).toEqual(isQueued);
    node.replace(0);
    await clock.advanceBy(1_000);
    expect(await chain.trace(hash, later)).toMatchObject({ kind: 'absent' });
  });

  test('is queued while the pool counts it, even if the node does not show it', async () => {
    node.hidesWaiting = true;
    expect(await traceAfter(600)).toEqual(isQueued);
    node.countsMinedAlone = true;
    expect(await traceAfter(1)).toMatchObject({ kind: 'absent' });
  });
});

test('a dropped transaction with a free nonce stays absent', async () => {
  node.drop();
  await traceAfter(1);
  expect(await traceAfter(3_600)).toMatchObject({ kind: 'absent' });
});

test('a nonce count from a node that lags behind the queried block proves nothing', async () => {
  node.replace(0);
  node.lag = 1;
  await traceAfter(1);
  expect(await traceAfter(600)).toEqual({ kind: 'unclear' });
  node.lag = 0;
  expect(await traceAfter(1)).toEqual({ kind: 'unclear' });
  expect(await traceAfter(60)).toMatchObject({ kind: 'replaced' });
});
