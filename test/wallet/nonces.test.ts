import { ampleGas as gas } from './ampleGas.ts';
import { parseTransaction, type TransactionSerializedEIP1559 } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import { DAY_MS, epochMs, epochSeconds, toSeconds } from '../../src/core/brand.ts';
import { JournalError, OutcomeUnknownError } from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { memoryTransactionLog, type TransactionLog } from '../../src/domain/transfers/transactionLog.ts';
import type { SendOutcome, SignedTransaction } from '../../src/domain/venue.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain } from '../../src/wallet/chain.ts';
import type { RouterCall } from '../../src/wallet/routerAbi.ts';
import { cancelCall, encodeRouterCall, routerCodec, transferCall } from '../../src/wallet/routerAbi.ts';
import { Sender, type SendRequest } from '../../src/wallet/sender.ts';
import { FakeNode, type Held } from './fakeNode.ts';

const START = 1_781_530_000_000;
const MINUTE = 60_000;
/** How long an order may wait. */
const ORDER_SECONDS = 90;
const wallet = walletOf(`0x${'11'.repeat(32)}`);
const router = `0x${'ab'.repeat(20)}` as const;
const token = { address: `0x${'cd'.repeat(20)}`, decimals: 6 } as const;

let clock: VirtualClock;
let node: FakeNode;
let log: TransactionLog;
let sender: Sender;
let journal: SignedTransaction[];

/** A process that knows the log. */
const openSender = (transactions: TransactionLog): Sender =>
  new Sender({ wallet, rpc: node, chain: createChain(node), clock, gas, log: transactions });

beforeEach(() => {
  clock = new VirtualClock({ start: epochMs(START) });
  node = new FakeNode(clock);
  log = memoryTransactionLog();
  sender = openSender(log);
  journal = [];
});

async function send(call: (deadline: number) => RouterCall, rest: Partial<SendRequest> = {}) {
  const deadline = epochSeconds(toSeconds(clock.now()) + ORDER_SECONDS);
  const sending = sender.send({
    gate: {
      open: (prepared) => ({ deadline: prepared ?? deadline }),
      commit(request) {
        if ('raw' in request) journal.push(request);
      },
    },
    callFor: () => Promise.resolve({ chainId: 143, to: router, data: encodeRouterCall(call(deadline)) }),
    ...rest,
  });
  await clock.advanceBy(5_000);
  return sending;
}

const order = (rest?: Partial<SendRequest>): Promise<SendOutcome> =>
  send((deadline) => cancelCall(`0x${'33'.repeat(32)}`, { deadline: epochSeconds(deadline) }), rest);
const deposit = (): Promise<SendOutcome> =>
  send(() =>
    transferCall({ kind: 'cashDeposit', token: token.address, amount: parseCash('5') }, token.decimals),
  );

/** Log that an earlier process has left. */
const left = (signed: readonly SignedTransaction[]): TransactionLog =>
  memoryTransactionLog(signed.map((each) => ({ ...each, at: clock.now(), accepted: false, givenUp: false })));

const nonces = (): number[] => journal.map(({ nonce }) => nonce);
const heldAt = (nonce: number): Held | undefined => node.held.find((held) => held.nonce === nonce);
const feesOf = ({ raw }: SignedTransaction) => parseTransaction(raw as TransactionSerializedEIP1559);

describe('the nonce of a new transaction', () => {
  test('is after those waiting when the node counts only mined transactions', async () => {
    node.countsMinedAlone = true;
    for (let sent = 0; sent < 3; sent++) expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 1, 2]);
  });

  test('is after those waiting when the node shows no pending transactions', async () => {
    Object.assign(node, { countsMinedAlone: true, hidesWaiting: true });
    for (let sent = 0; sent < 3; sent++) await order();
    expect(nonces()).toEqual([0, 1, 2]);
  });

  test('is after that of a transaction the node forgot before its deadline', async () => {
    await order();
    node.drop();
    await order();
    expect(nonces()).toEqual([0, 1]);
  });

  test('reuses that of a forgotten transaction past its deadline, even if another waits behind it', async () => {
    await order();
    node.drop();
    await clock.advanceBy(MINUTE);
    await order();
    await clock.advanceBy(MINUTE);
    await order();
    await order();
    expect(nonces()).toEqual([0, 1, 0, 2]);
  });

  test('reuses that of one the node may still hold past its deadline, and outbids it', async () => {
    Object.assign(node, { countsMinedAlone: true, hidesWaiting: true });
    await order();
    await clock.advanceBy(2 * MINUTE);
    expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 0]);
    expect(node.held).toHaveLength(1);
  });

  test('is after those that another program has used', async () => {
    await order();
    node.mine();
    node.usedByOthers = 7;
    await order();
    expect(nonces()).toEqual([0, 7]);
  });

  test("is after that of a mined transaction while another node's count lags", async () => {
    await order();
    node.mine();
    node.onAsk = (method) => {
      const held = heldAt(0);
      if (held && method === 'eth_getTransactionCount') held.mined = null;
    };
    await order();
    expect(nonces()).toEqual([0, 1]);
  });

  test('starts again on a chain that has been reset', async () => {
    for (let sent = 0; sent < 3; sent++) await order();
    for (const held of node.held) node.mine({}, held);
    await clock.advanceBy(10 * MINUTE);
    node.held.length = 0;
    await order();
    expect(nonces()).toEqual([0, 1, 2, 0]);
  });

  test('reuses that of a transaction the node refused or that never left', async () => {
    node.fates.push({ says: 'insufficient funds for gas * price + value' }, 'unconnected');
    expect(await order()).toMatchObject({ kind: 'refused' });
    expect(await order()).toMatchObject({ kind: 'refused' });
    await order();
    expect(nonces()).toEqual([0, 0, 0]);
  });

  test('reuses that of a transaction whose offers had no response and which the node does not know', async () => {
    node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
    expect(await order()).toMatchObject({ kind: 'unknown' });
    expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 0]);
  });

  test('is after that of a transaction whose response was lost and which the node has', async () => {
    node.countsMinedAlone = true;
    node.fates.push('lostAfter', { says: 'busy' }, { says: 'busy' });
    node.onAsk = (method) => {
      node.readsFail = method === 'eth_getTransactionReceipt';
    };
    expect(await order()).toMatchObject({ kind: 'unknown' });
    node.onAsk = () => (node.readsFail = false);
    await order();
    expect(nonces()).toEqual([0, 1]);
  });

  test('drops old nonces from the log once blocks have used many later ones', async () => {
    await order();
    node.mine();
    await order();
    expect(log.entries().map(({ nonce }) => nonce)).toEqual([0, 1]);
    node.usedByOthers = 100;
    await clock.advanceBy(DAY_MS);
    await order();
    expect(log.entries().map(({ nonce }) => nonce)).toEqual([100]);
  });
});

describe('a process that takes over the wallet', () => {
  test('continues after the nonces its predecessor has signed', async () => {
    node.countsMinedAlone = true;
    await order();
    await order();
    sender = openSender(left(journal));
    await order();
    expect(nonces()).toEqual([0, 1, 2]);
  });

  test('replaces a transaction signed but never offered, with higher fees', async () => {
    const unoffered = journalOf(await signedAlone());
    sender = openSender(left([unoffered]));
    await order();
    expect(nonces()).toEqual([0]);
    expect(feesOf(journalOf(journal)).maxFeePerGas).toBeGreaterThan(feesOf(unoffered).maxFeePerGas ?? 0n);
    expect(node.offered).not.toContain(unoffered.raw);
  });

  test("follows the node's count when its journal is restored from a backup", async () => {
    await order();
    await order();
    node.held.forEach((held) => node.mine({}, held));
    sender = openSender(left(journal.slice(0, 1)));
    await order();
    expect(nonces()).toEqual([0, 1, 2]);
  });
});

/** Signed, journaled and never offered: the process was killed. */
async function signedAlone(): Promise<SignedTransaction[]> {
  const lost: SignedTransaction[] = [];
  const other = new Sender({
    wallet,
    chain: createChain(node),
    clock,
    gas,
    log: memoryTransactionLog(),
    rpc: { ready: node.ready, askOnce: () => Promise.reject(new Error('killed')) },
  });
  const mine = sender;
  sender = other;
  const deadline = epochSeconds(toSeconds(clock.now()) + ORDER_SECONDS);
  const gate = {
    open: () => ({ deadline }),
    commit: (request: object) => void lost.push(request as SignedTransaction),
  };
  await expect(order({ gate })).rejects.toThrow('killed');
  sender = mine;
  return lost;
}

function journalOf([first]: readonly SignedTransaction[]): SignedTransaction {
  if (!first) throw new Error('nothing was signed');
  return first;
}

describe('a transaction without a deadline', () => {
  test('that the node has forgotten is offered again with the same bytes before the next transaction', async () => {
    await deposit();
    node.drop();
    await clock.advanceBy(60 * MINUTE);
    await order();
    expect(nonces()).toEqual([0, 1]);
    expect(node.offered).toEqual([journal[0]?.raw, journal[0]?.raw, journal[1]?.raw]);
    expect(node.held.map(({ nonce }) => nonce)).toEqual([0, 1]);
  });

  test('that is still pending is not offered again and delays no other transaction', async () => {
    await deposit();
    await clock.advanceBy(60 * MINUTE);
    expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(node.offered).toHaveLength(2);
  });

  test('keeps its nonce although the node refuses its bytes now', async () => {
    await deposit();
    node.drop();
    node.fates.push({ says: 'insufficient funds for gas * price + value' });
    await order();
    expect(nonces()).toEqual([0, 1]);
  });

  test('that was closed without proof leaves its nonce to the next, although the node has it', async () => {
    await deposit();
    log.giveUp(journalOf(journal).txHash);
    expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 0]);
    expect(node.held.map(({ hash }) => hash)).toEqual([journal[1]?.txHash]);
  });

  test('that was replaced is not offered again', async () => {
    await deposit();
    await order(journal[0] ? { replaces: journal[0] } : {});
    expect(nonces()).toEqual([0, 0]);
    await order();
    expect(node.offered.filter((raw) => raw === journal[0]?.raw)).toHaveLength(1);
    expect(nonces()).toEqual([0, 0, 1]);
  });
});

describe('a wallet with a transaction pending past its deadline', () => {
  test('sends nothing, and names nonce, transaction and command', async () => {
    await order();
    await clock.advanceBy(2 * MINUTE);
    const outcome = await order();
    expect(outcome).toMatchObject({ kind: 'stopped', alarm: true });
    const { reason } = outcome as Extract<SendOutcome, { kind: 'stopped' }>;
    expect(reason).toContain(`nonce 0 (transaction ${journal[0]?.txHash})`);
    expect(reason).toContain('"drover wallet cancel 0"');
    expect(journal).toHaveLength(1);
    expect(node.offered).toHaveLength(1);
  });

  test('names its lowest pending nonce, which blocks the rest', async () => {
    await deposit();
    await order();
    await clock.advanceBy(2 * MINUTE);
    expect(await order()).toMatchObject({
      reason: expect.stringContaining(`nonce 0 (transaction ${journal[0]?.txHash})`) as string,
    });
  });

  test('says so when the pending transaction is behind a nonce of another program', async () => {
    await order();
    const [own] = node.held;
    if (own) own.nonce = 1;
    node.held.push({ ...(own as Held), hash: `0x${'77'.repeat(32)}`, nonce: 0 });
    sender = openSender(left([{ ...journalOf(journal), nonce: 1 }]));
    await clock.advanceBy(2 * MINUTE);
    expect(await order()).toMatchObject({
      reason: expect.stringContaining('It waits for nonce 0, which was not signed here') as string,
    });
  });

  test('sends again once the transaction has been mined', async () => {
    await order();
    await clock.advanceBy(2 * MINUTE);
    node.mine({ status: 0 });
    expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 1]);
  });
});

describe('a transaction that replaces another', () => {
  test('has the same nonce, and an eighth more in both fees', async () => {
    await order();
    const [first] = journal;
    expect(await order(first ? { replaces: first } : {})).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 0]);
    const [old, bid] = journal.map(feesOf);
    expect(bid?.maxFeePerGas).toBe(((old?.maxFeePerGas ?? 0n) * 9n) / 8n);
    expect(bid?.maxPriorityFeePerGas).toBe(((old?.maxPriorityFeePerGas ?? 0n) * 9n) / 8n);
    expect(node.held.map(({ hash }) => hash)).toEqual([journal[1]?.txHash]);
  });

  test('is not signed above the fee limit, which the refusal names', async () => {
    node.baseFee = 240_000_000_000n;
    await order();
    const [first] = journal;
    expect(await order(first ? { replaces: first } : {})).toMatchObject({
      kind: 'stopped',
      reason: expect.stringContaining('gas.maxFeePerGasGwei allows 500: raise it') as string,
    });
    expect(journal).toHaveLength(1);
  });
});

test('the nonce of a closed transaction is reused only after a lower free nonce', async () => {
  await order();
  await deposit();
  node.drop();
  node.drop();
  await clock.advanceBy(2 * MINUTE);
  sender.giveUp(journal[1]?.txHash ?? '');
  await order();
  await order();
  expect(nonces()).toEqual([0, 1, 0, 1]);
});

test('the deadline of a sent order is decoded by the configured router signature', async () => {
  const codec = routerCodec({ cancelLimitOrder: 'cancelOrder(uint64 deadline, bytes32 orderId)' });
  const rpc = { ready: node.ready, askOnce: () => Promise.reject(new OutcomeUnknownError('reset')) };
  const lost = new Sender({ wallet, rpc, chain: createChain(node), clock, gas, log, codec });
  sender = lost;
  const cancel = (deadline: number) =>
    cancelCall(`0x${'33'.repeat(32)}`, { deadline: epochSeconds(deadline) });
  const deadline = toSeconds(clock.now()) + ORDER_SECONDS;
  const callFor = () => Promise.resolve({ chainId: 143, to: router, data: codec.encode(cancel(deadline)) });
  expect(await send(cancel, { callFor })).toMatchObject({ kind: 'unknown' });
  await clock.advanceBy(2 * MINUTE);
  sender = new Sender({ wallet, rpc: node, chain: createChain(node), clock, gas, log, codec });
  await order();
  expect(nonces()).toEqual([0, 0]);
  expect(node.offered).toEqual([journal[1]?.raw]);
});

describe('the fees of a transaction that reuses the nonce of a dead one', () => {
  test('are capped at the limit, so that a dead one near it does not block the wallet', async () => {
    node.baseFee = 490_000_000_000n;
    await order();
    node.drop();
    await clock.advanceBy(2 * MINUTE);
    node.baseFee = 10_000_000_000n;
    expect(await order()).toMatchObject({ kind: 'accepted' });
    expect(nonces()).toEqual([0, 0]);
    expect(journal[1] && feesOf(journal[1]).maxFeePerGas).toBe(gas.maxFeePerGas);
  });
});

test('a transaction that cannot be logged is refused and not offered', async () => {
  sender = openSender({
    ...log,
    add: () => {
      throw new JournalError('disk full');
    },
  });
  expect(await order()).toMatchObject({ kind: 'refused', unsent: true, reason: 'disk full' });
  expect(node.offered).toEqual([]);
});
