import { ampleGas as gas } from '../wallet/ampleGas.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import type { Clock } from '../../src/core/clock.ts';
import { NoAnswerError } from '../../src/core/errors.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { memoryTransactionLog } from '../../src/domain/transfers/transactionLog.ts';
import type { FundedTerms, Venue } from '../../src/domain/venue.ts';
import { createCalldataVenue, withChain } from '../../src/venue/ownOrders.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain } from '../../src/wallet/chain.ts';
import {
  decodeRouterCall,
  encodeRouterCall,
  type RouterCall,
  cancelCall,
  orderCall,
} from '../../src/wallet/routerAbi.ts';
import { Sender } from '../../src/wallet/sender.ts';
import type { StrategyHooks } from '../../src/strategy/index.ts';
import { FakeNode } from '../wallet/fakeNode.ts';
import type { FakeVenue } from '../engine/fakeVenue.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../engine/stage.ts';

const router = `0x${'ab'.repeat(20)}` as const;
const wallet = walletOf(`0x${'11'.repeat(32)}`);
const buyAapl = atStart((order) => order.buy('AAPL', { notional: '1000' }, 'because'));

let node: FakeNode;
/** Terms of the calldata that the venue has written, by its bytes. */
let written: Map<string, FundedTerms>;
let links: string[];
let linkFails: number;
/** Changes the call that the venue writes. */
let tamper: (call: RouterCall) => RouterCall;

beforeEach(() => {
  written = new Map();
  links = [];
  linkFails = 0;
  tamper = (call) => call;
});

const answer = (call: RouterCall) => ({
  chainId: 143,
  productType: null,
  toAddress: router,
  value: '0',
  method: call.kind,
  callData: encodeRouterCall(tamper(call)),
});

/** The order of a linked transaction shows in the lists of the venue. */
function show(venue: FakeVenue, txHash: string): void {
  const held = node.held.find(({ hash }) => hash === txHash);
  const terms = held && written.get(held.input);
  if (!terms || venue.rows.some((row) => row.txHash === txHash)) return;
  node.mine({}, held);
  venue.foreign(terms).txHash = txHash;
}

function own(venue: FakeVenue, clock: Clock): Venue {
  const reads: Venue = {
    listings: () => venue.listings(),
    bars: () => venue.bars(),
    account: () => venue.account(),
    orders: (query) => venue.orders(query),
    orderByTx: (txHash) => venue.orderByTx(txHash),
    delegation: () => venue.delegation(),
    place: () => Promise.reject(new Error('One Click was used')),
    cancel: () => Promise.reject(new Error('One Click was used')),
  };
  const chain = createChain(node);
  return createCalldataVenue({
    venue: reads,
    chain,
    chainId: 143,
    router,
    onUnlinked: () => undefined,
    sender: new Sender({ wallet, rpc: node, chain, clock, gas, log: memoryTransactionLog() }),
    transactions: {
      place(terms, deadline) {
        const call = orderCall(terms, { deadline });
        written.set(encodeRouterCall(call), terms);
        return Promise.resolve(answer(call));
      },
      cancel: (orderId, deadline) => Promise.resolve(answer(cancelCall(orderId, { deadline }))),
      async record(txHash) {
        links.push(txHash);
        if (linkFails-- > 0) throw new NoAnswerError('504');
        show(venue, txHash);
        await clock.sleep(10);
      },
    },
  });
}

function stageOf(options: StageOptions = {}): Stage {
  const rules = { readsChain: true, ...options.rules };
  const stage = new Stage({
    hooks: { solo: buyAapl },
    as: (venue, clock) => {
      node = options.after ? node : new FakeNode(clock);
      return own(venue, clock);
    },
    ...options,
    rules,
  });
  return stage;
}

/** Dies at the commit that makes its transaction durable. */
const crashed = async (how: 'after' | 'answer'): Promise<Stage> => {
  for (let at = 1; at < 20; at++) {
    const stage = stageOf({ dies: { at, how } });
    await stage.play(10 * SECOND);
    if (stage.lines.at(-1)?.includes('"kind":"sent"')) return stage;
  }
  throw new Error('it never died at the send');
};

describe('an order that the wallet sends', () => {
  test('is journaled with its signed bytes and hash, linked to the API key, and settles', async () => {
    const stage = await stageOf().play(10 * SECOND);
    expect(stage.states).toEqual(['working']);
    const [sent] = stage.lines.filter((line) => line.includes('"kind":"sent"'));
    expect(sent).toContain(`"txHash":"${node.held[0]?.hash}"`);
    expect(sent).toContain(`"raw":"${node.offered[0]}"`);
    expect(links).toEqual([node.held[0]?.hash]);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(await stage.stop()).toMatchObject({
      orders: { sent: 1, filled: 1 },
      reconciliation: { differences: 0 },
    });
  });

  test('needs no One Click', async () => {
    const stage = stageOf();
    stage.venue.delegationOn = false;
    await stage.play(10 * SECOND);
    expect(stage.states).toEqual(['working']);
  });

  test('stays certain when its link to the key fails, and the link is retried', async () => {
    linkFails = 2;
    const stage = await stageOf().play(30 * SECOND);
    expect(stage.states).toEqual(['working']);
    expect(links).toHaveLength(3);
    expect(node.offered).toHaveLength(1);
    expect(stage.alarms).toEqual([]);
  });

  test('is not signed and raises an alarm when the calldata of the venue differs from the order', async () => {
    tamper = (call) => ({ ...call, stock: router }) as RouterCall;
    const stage = await stageOf().play(10 * SECOND);
    expect(node.offered).toEqual([]);
    expect(stage.states).toEqual(['abandoned']);
    expect(stage.alarms.join()).toMatch(/callData stock is/);
  });

  test('reports the cause of its revert', async () => {
    linkFails = Infinity;
    const stage = await stageOf().play(2 * SECOND);
    node.mine({ status: 0 });
    node.revert = 'insufficient mUSD';
    await stage.pass(10 * SECOND);
    expect(stage.states).toEqual(['acknowledged']);
    await stage.pass(3 * MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'reverted', cause: 'insufficient mUSD' } }]);
    expect(stage.alarms.join()).toMatch(/reverted on chain, insufficient mUSD/);
  });

  test('is proven never placed by the chain alone when its bytes never arrived', async () => {
    const stage = stageOf();
    node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
    await stage.play(2 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    await stage.pass(3 * MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'neverExisted', assumed: false } }]);
    expect(new Set(node.offered).size).toBe(1);
  });

  describe('whose nonce another transaction has used', () => {
    const isReplaced = (stage: Stage) =>
      stage.lines.some((line) => line.includes('"kind":"absent","assumed":false,"replaced":true'));

    test('counts as never placed before its deadline', async () => {
      const stage = stageOf({ rules: { deadlineMs: 120_000 } });
      node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
      await stage.play(10 * SECOND);
      node.replace(0);
      await stage.pass(90 * SECOND);
      expect(stage.orders).toMatchObject([{ state: { kind: 'neverExisted', assumed: false } }]);
      expect(isReplaced(stage)).toBe(true);
      expect(stage.alarms).toHaveLength(1);
    });

    test('counts as never placed even if the node had it and its link remains in the order list', async () => {
      const stage = stageOf({ rules: { deadlineMs: 120_000 } });
      stage.venue.indexed = false;
      await stage.play(10 * SECOND);
      expect(stage.states).toEqual(['acknowledged']);
      stage.venue.neverMined(stage.venue.last);
      node.drop();
      node.replace(0);
      await stage.pass(100 * SECOND);
      expect(stage.orders).toMatchObject([{ state: { kind: 'neverExisted', assumed: false } }]);
    });

    test('stays unknown while the account shows that money has moved', async () => {
      const stage = stageOf();
      node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
      await stage.play(10 * SECOND);
      node.replace(0);
      stage.venue.cash -= parseCash('1001.1');
      await stage.pass(8 * MINUTE);
      expect(stage.states).toEqual(['unknown']);
    });

    test('takes its real outcome when a reorganisation brings it back', async () => {
      const stage = stageOf();
      node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
      await stage.play(10 * SECOND);
      node.replace(0);
      await stage.pass(100 * SECOND);
      expect(stage.states).toEqual(['neverExisted']);
      node.usedByOthers = 0;
      const { hash } = node.take(node.offered[0] as `0x02${string}`);
      show(stage.venue, hash);
      stage.venue.fill(stage.venue.last);
      await stage.pass(MINUTE);
      expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
      expect(stage.said(/taken for never placed has turned up/)).toBe(true);
    });

    test('counts as never placed after a restart, by the nonce in the journal', async () => {
      const first = await crashed('after');
      node.replace(0);
      const next = stageOf({ after: first, hooks: { solo: {} } });
      await next.play(100 * SECOND);
      expect(next.orders).toMatchObject([{ state: { kind: 'neverExisted', assumed: false } }]);
      expect(isReplaced(next)).toBe(true);
    });
  });

  test('is neither never placed nor sold again once mined, while the node hides it and the venue lags', async () => {
    const exits: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onFill: ({ order }) => void order.sell('AAPL', { all: true }, 'stop'),
      onTimer: ({ order }) => void order.sell('AAPL', { all: true }, 'stop'),
    };
    const timers = [{ name: 'again', at: '10:10' }];
    const stage = stageOf({ hooks: { solo: exits }, data: { quotes: ['AAPL'], timers } });
    await stage.play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    stage.venue.indexed = false;
    await stage.pass(20 * SECOND);
    expect(stage.states).toEqual(['closed', 'acknowledged']);
    node.receiptsFrom = Infinity;
    stage.venue.neverMined(stage.venue.last);
    await stage.pass(15 * MINUTE);
    expect(stage.states).toEqual(['closed', 'acknowledged']);
    expect(node.offered).toHaveLength(2);
    expect(stage.alarms.join()).toMatch(/its transaction may still be mined; `drover wallet cancel 1`/);
  });

  test('stays unknown with an alarm when its nonce is used and no source shows by which transaction', async () => {
    const stage = stageOf();
    node.fates.push('lostBefore', 'lostBefore', 'lostBefore');
    await stage.play(10 * SECOND);
    node.hidesOthers = true;
    node.replace(0);
    await stage.pass(15 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    expect(stage.alarms.join()).toMatch(/what is missing is proof from the indexer/);
  });

  test('stays acknowledged while its transaction is still pending', async () => {
    linkFails = Infinity;
    const stage = await stageOf().play(10 * MINUTE);
    expect(stage.states).toEqual(['acknowledged']);
  });

  test('raises one alarm while a stuck nonce blocks its cancel, and is cancelled once that is mined', async () => {
    const rest = atStart((order) => {
      order.limit('AAPL', { side: 'buy', shares: 5, price: 90 });
    });
    const stage = stageOf({
      hooks: { solo: { ...rest, onTimer: ({ order }) => order.cancel({ symbol: 'AAPL' }) } },
      data: { quotes: ['AAPL'], timers: [{ name: 'cancel', at: '10:02' }] },
    });
    await stage.play(10 * SECOND);
    const [order] = node.held;
    if (order) order.mined = null;
    await stage.pass(4 * MINUTE);
    expect(node.offered).toHaveLength(1);
    expect(stage.alarms).toEqual([
      expect.stringMatching(/its cancel is not sent, the wallet is stuck: nonce 0/),
    ]);
    node.mine({}, order);
    await stage.pass(MINUTE);
    expect(decodeRouterCall(node.held[1]?.input ?? '')).toMatchObject({ kind: 'cancelLimitOrder' });
  });

  test('is cancelled by a transaction of the wallet', async () => {
    const rest = atStart((order) => {
      order.limit('AAPL', { side: 'buy', shares: 5, price: 90 });
    });
    const stage = stageOf({
      hooks: { solo: { ...rest, onTimer: ({ order }) => order.cancel({ symbol: 'AAPL' }) } },
      data: { quotes: ['AAPL'], timers: [{ name: 'cancel', at: '10:02' }] },
    });
    await stage.play(3 * MINUTE);
    const call = decodeRouterCall(node.held[1]?.input ?? '');
    expect(call).toMatchObject({ kind: 'cancelLimitOrder', orderId: stage.venue.last.orderId });
    stage.venue.end(stage.venue.last, 'cancelled');
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'cancelled' } }]);
    expect(links).toHaveLength(1);
  });
});

describe('an order the wallet signed before a crash', () => {
  test('is found by its hash and not sent again when the crash came after the send', async () => {
    const first = await crashed('answer');
    expect(node.offered).toHaveLength(1);
    const next = stageOf({ after: first, hooks: { solo: {} } });
    await next.play(MINUTE);
    expect(node.offered).toHaveLength(1);
    expect(next.orders).toMatchObject([{ state: { kind: 'working', txHash: node.held[0]?.hash } }]);
  });

  test('is proven never placed and not sent when the crash came between commit and send', async () => {
    const first = await crashed('after');
    expect(node.offered).toHaveLength(0);
    const next = stageOf({ after: first, hooks: { solo: {} } });
    await next.play(5 * MINUTE);
    expect(node.offered).toHaveLength(0);
    expect(next.orders).toMatchObject([{ state: { kind: 'neverExisted', assumed: false } }]);
  });
});

describe('a One Click run that also reads the chain', () => {
  test('keeps an acknowledged order reserved and its stock frozen while the chain never shows its transaction', async () => {
    const stage = new Stage({
      hooks: { solo: buyAapl },
      rules: { readsChain: true },
      as: (venue, clock) => {
        node = new FakeNode(clock);
        const plain: Venue = {
          listings: () => venue.listings(),
          bars: () => venue.bars(),
          account: () => venue.account(),
          orders: (query) => venue.orders(query),
          orderByTx: (txHash) => venue.orderByTx(txHash),
          delegation: () => venue.delegation(),
          place: (terms, gate) => venue.place(terms, gate),
          cancel: (orderId, gate) => venue.cancel(orderId, gate),
        };
        return withChain(plain, createChain(node));
      },
    });
    stage.venue.indexed = false;
    await stage.play(10 * SECOND);
    expect(stage.states).toEqual(['acknowledged']);
    stage.venue.end(stage.venue.last, 'reverted');
    await stage.pass(5 * MINUTE);
    expect(stage.orders).toMatchObject([
      { state: { kind: 'acknowledged' }, claim: { end: { kind: 'absent' } } },
    ]);
    expect(stage.runner.kernel.context.accountState.frozen.has(ticker('AAPL'))).toBe(true);
  });
});
