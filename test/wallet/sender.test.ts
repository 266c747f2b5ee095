import { ampleGas as gas } from './ampleGas.ts';
import { parseTransaction, recoverTransactionAddress, type TransactionSerializedEIP1559 } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { epochMs, epochSeconds, type EpochSeconds } from '../../src/core/brand.ts';
import { NoAnswerError, SafetyError, VenueRefusedError } from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { memoryTransactionLog } from '../../src/domain/transfers/transactionLog.ts';
import type { SendGate, SendOutcome, SignedSend, SignedTransaction } from '../../src/domain/venue.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain } from '../../src/wallet/chain.ts';
import type { CheckedCall } from '../../src/wallet/checkCalldata.ts';
import { encodeRouterCall, cancelCall } from '../../src/wallet/routerAbi.ts';
import { Sender, type SendRequest } from '../../src/wallet/sender.ts';
import { FakeNode } from './fakeNode.ts';

const START = 1_781_530_000_000;
const DEADLINE = epochSeconds(START / 1000 + 90);
const wallet = walletOf(`0x${'11'.repeat(32)}`);
const router = `0x${'ab'.repeat(20)}` as const;

let clock: VirtualClock;
let node: FakeNode;
let sender: Sender;
/** Events in order. */
let log: string[];
let journal: SignedTransaction[];

beforeEach(() => {
  clock = new VirtualClock({ start: epochMs(START) });
  node = new FakeNode(clock);
  sender = new Sender({
    wallet,
    rpc: node,
    chain: createChain(node),
    clock,
    gas,
    log: memoryTransactionLog(),
  });
  log = [];
  journal = [];
});

const gateOf = (answers: Partial<Record<'first' | 'second', string>> = {}): SendGate => ({
  open(prepared?: EpochSeconds) {
    log.push(prepared === undefined ? 'open' : 'open again');
    const stop = prepared === undefined ? answers.first : answers.second;
    return stop === undefined ? { deadline: prepared ?? DEADLINE } : { stop };
  },
  commit(request: SignedSend) {
    if (!('raw' in request)) throw new Error('a wallet sends transactions');
    log.push(`commit, ${node.offered.length} offered`);
    journal.push(request);
  },
});
const callFor: SendRequest['callFor'] = (deadline) =>
  Promise.resolve<CheckedCall>({
    chainId: 143,
    to: router,
    kind: 'cancelLimitOrder',
    data: encodeRouterCall(cancelCall(`0x${'33'.repeat(32)}`, { deadline })),
  });

async function send(request: Partial<SendRequest> = {}): Promise<SendOutcome> {
  const sending = sender.send({ gate: gateOf(), callFor, ...request });
  await clock.advanceBy(60_000);
  return sending;
}
const signed = (index = 0) => parseTransaction(node.offered[index] as TransactionSerializedEIP1559);

describe('a transaction of the sender', () => {
  test('is journaled with its hash between the last gate check and the offer of its bytes', async () => {
    const outcome = await send();
    expect(log).toEqual(['open', 'open again', 'commit, 0 offered']);
    expect(journal).toHaveLength(1);
    expect(node.offered).toEqual([journal[0]?.raw]);
    expect(outcome).toEqual({ kind: 'accepted', txHash: journal[0]?.txHash });
    expect(node.held[0]?.hash).toBe(journal[0]?.txHash);
  });

  test('has the next nonce, the estimated gas with its margin, and fees within the limit', async () => {
    await send();
    await send();
    expect(signed(1)).toMatchObject({ chainId: 143, nonce: 1, gas: 125_000n, to: router });
    expect(signed(1).value ?? 0n).toBe(0n);
    expect(signed(1)).toMatchObject({ maxFeePerGas: 102_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n });
    const serializedTransaction = node.offered[0] as TransactionSerializedEIP1559;
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(wallet.address);
  });

  test('waits for the one before it, so that each has its own nonce', async () => {
    const both = [sender.send({ gate: gateOf(), callFor }), sender.send({ gate: gateOf(), callFor })];
    await clock.advanceBy(60_000);
    expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    expect([signed(0).nonce ?? 0, signed(1).nonce]).toEqual([0, 1]);
    expect(log).toEqual([
      'open',
      'open again',
      'commit, 0 offered',
      'open',
      'open again',
      'commit, 1 offered',
    ]);
  });

  test('costs at most the fee limit, and is not signed when the chain demands more', async () => {
    node.baseFee = 300_000_000_000n;
    await send();
    expect(signed().maxFeePerGas).toBe(500_000_000_000n);
    node.baseFee = 498_000_000_001n;
    expect(await send()).toEqual({
      kind: 'stopped',
      code: 'GAS',
      alarm: true,
      reason:
        'gas is too expensive: a unit costs 500.000000001 gwei now (base fee 498.000000001, tip 2), 125000 units ' +
        '0.062500000000125, and gas.maxFeePerGasGwei allows 500. Nothing was signed. Check the node of venue.rpcUrl; ' +
        'raise that key if the price is right',
    });
    expect(node.offered).toHaveLength(1);
  });

  test('is estimated on the newest block', async () => {
    await send();
    expect(node.estimatedAt).toEqual(['latest']);
  });

  test('is not offered when its commit fails', async () => {
    const gate = {
      ...gateOf(),
      commit: () => {
        throw new Error('disk full');
      },
    };
    const sending = sender.send({ gate, callFor });
    await expect(sending).rejects.toThrow('disk full');
    expect(node.offered).toEqual([]);
    expect(await send()).toMatchObject({ kind: 'accepted' });
  });
});

describe('a transaction that must not be sent', () => {
  test.each<[string, Partial<SendRequest>, Partial<FakeNode>, Partial<SendOutcome>]>([
    [
      'when the gate is closed',
      { gate: gateOf({ first: 'halted' }) },
      {},
      { kind: 'stopped', reason: 'halted' },
    ],
    [
      'when the gate closes before the commit',
      { gate: gateOf({ second: 'killed' }) },
      {},
      { kind: 'stopped', reason: 'killed' },
    ],
    [
      'when it would revert',
      {},
      { revert: 'insufficient mUSD' },
      { kind: 'refused', reason: 'it would revert on chain, insufficient mUSD' },
    ],
    ['when it needs too much gas', {}, { estimate: 900_000n }, { kind: 'stopped', code: 'GAS', alarm: true }],
    ['when the node says that it needs no gas', {}, { estimate: 0n }, { kind: 'refused' }],
    ['when the node counts impossible nonces', {}, { usedByOthers: 2 ** 60 }, { kind: 'refused' }],
    ['when the node does not respond', {}, { readsFail: true }, { kind: 'refused', reason: 'no node' }],
    [
      'when the calldata is of another call',
      { callFor: () => Promise.reject(new SafetyError('not the call')) },
      {},
      { kind: 'refused', reason: 'not the call', alarm: true },
    ],
    [
      'when the venue refuses',
      { callFor: () => Promise.reject(new VenueRefusedError('session')) },
      {},
      { kind: 'refused', reason: 'session' },
    ],
    [
      'when the venue does not respond',
      { callFor: () => Promise.reject(new NoAnswerError('504')) },
      {},
      { kind: 'refused' },
    ],
  ])('is neither signed nor offered %s', async (...[, request, state, outcome]) => {
    Object.assign(node, state);
    expect(await send(request)).toMatchObject(outcome);
    expect(node.offered).toEqual([]);
    expect(journal).toEqual([]);
  });
});

describe('a node that refuses to estimate', () => {
  test('is retried before anything is signed while the order can still be mined in time', async () => {
    node.callsRefused = 'rate limit';
    clock.at(epochMs(START + 20_000), () => (node.callsRefused = null));
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(node.offered).toHaveLength(1);
  });

  test('leads to a refusal with its message and nothing signed when it refuses too long', async () => {
    node.callsRefused = 'rate limit';
    expect(await send()).toEqual({ kind: 'refused', reason: 'rate limit' });
    expect(journal).toEqual([]);
  });

  test('is not retried once the gate has closed', async () => {
    node.callsRefused = 'rate limit';
    expect(await send({ gate: gateOf({ second: 'halted' }) })).toEqual({ kind: 'stopped', reason: 'halted' });
    expect(node.asked.filter((method) => method === 'eth_estimateGas')).toHaveLength(1);
  });
});

describe('the response to an offered transaction', () => {
  const says = (text: string) => ({ says: text });

  test.each([
    'insufficient funds for gas * price + value: balance 0',
    'invalid chain id for signer: have 1 want 143',
    'replacement transaction underpriced',
    'intrinsic gas too low: have 1, want 2',
    'nonce too high',
  ])('%s: refused, because the bytes can never be mined', async (text) => {
    node.fates.push(says(text));
    expect(await send()).toEqual({ kind: 'refused', reason: text });
    expect(node.offered).toHaveLength(1);
  });

  test('already known: accepted', async () => {
    node.fates.push(says('already known'));
    expect(await send()).toMatchObject({ kind: 'accepted' });
  });

  test('lost before the node has the bytes: they are offered again, and the chain takes them once', async () => {
    node.fates.push('lostBefore', 'lostBefore');
    expect(await send()).toEqual({ kind: 'accepted', txHash: journal[0]?.txHash });
    expect(new Set(node.offered).size).toBe(1);
    expect(node.offered).toHaveLength(3);
    expect(journal).toHaveLength(1);
  });

  test('lost after the node has the bytes: accepted by its hash without another offer', async () => {
    node.fates.push('lostAfter');
    expect(await send()).toEqual({ kind: 'accepted', txHash: journal[0]?.txHash });
    expect(node.offered).toHaveLength(1);
  });

  test('missing in every attempt: unknown, with no other transaction signed for it', async () => {
    node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
    expect(await send()).toMatchObject({ kind: 'unknown' });
    expect(journal).toHaveLength(1);
    expect(new Set(node.offered)).toEqual(new Set([journal[0]?.raw]));
  });

  test('nonce too low without a trace: unknown, because a gateway may have passed the bytes on twice', async () => {
    node.fates.push(says('nonce too low'), says('nonce too low'), says('nonce too low'));
    expect(await send()).toMatchObject({ kind: 'unknown' });
  });

  test('nonce too low while the queried node lags behind the block of the bytes: accepted', async () => {
    node.fates.push(says('nonce too low'), says('nonce too low'));
    node.onAsk = () => {
      const [raw] = node.offered;
      if (raw === undefined || node.held.length > 0) return;
      node.mine({}, node.take(raw as TransactionSerializedEIP1559));
      node.receiptsFrom = Math.floor(clock.now() / 1000) + 1;
    };
    expect(await send()).toEqual({ kind: 'accepted', txHash: journal[0]?.txHash });
  });

  test('nonce too low after a lost response: unknown, because the lost bytes may be anywhere', async () => {
    node.fates.push('lostBefore', says('nonce too low'), says('nonce too low'));
    expect(await send()).toMatchObject({ kind: 'unknown' });
  });

  test('nonce too low because it has been mined: accepted', async () => {
    node.fates.push('lostAfter', says('nonce too low'));
    node.onAsk = (method) => {
      node.readsFail = method === 'eth_getTransactionReceipt' && node.offered.length === 1;
    };
    const sending = send();
    expect(await sending).toMatchObject({ kind: 'accepted' });
    expect(node.offered).toHaveLength(2);
  });

  test('nonce too low while no receipt can be read: unknown', async () => {
    node.fates.push(says('nonce too low'), says('nonce too low'), says('nonce too low'));
    node.onAsk = (method) => {
      if (method === 'eth_getTransactionReceipt') node.readsFail = true;
    };
    expect((await send()).kind).toBe('unknown');
  });

  test('with another hash than that of the bytes: the bytes are looked up by their own', async () => {
    node.fates.push('otherHash', 'lostBefore', 'lostBefore');
    expect((await send()).kind).toBe('accepted');
  });

  test('no connection: refused, because nothing has left', async () => {
    node.fates.push('unconnected');
    expect(await send()).toMatchObject({ kind: 'refused' });
  });

  test('no connection after bytes may have left: unknown', async () => {
    node.fates.push('lostBefore', 'unconnected', 'unconnected');
    expect(await send()).toMatchObject({ kind: 'unknown' });
  });
});
