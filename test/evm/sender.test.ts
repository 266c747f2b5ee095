import { describe, expect, test } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import { systemClock } from '../../src/core/clock.ts';
import { cancelCall } from '../../src/wallet/routerAbi.ts';
import { anvilPath, quantity } from './anvil.ts';
import { estimatingAtLatest, type Intercept } from './relay.ts';
import {
  hashOf,
  limitBuy,
  marketBuy,
  noncesOf,
  openFundedStage,
  openStage,
  ORDER_SECONDS,
  type EvmStage,
} from './stage.ts';

/** Loses the next sends, before or after the node has them. */
const losing =
  (losses: ('before' | 'after')[]): Intercept =>
  async (call, forward) => {
    const loss = call.method === 'eth_sendRawTransaction' ? losses.shift() : undefined;
    if (loss === 'before') return null;
    const answer = await forward(call);
    return loss === 'after' ? null : answer;
  };

const setBaseFee = ({ node }: EvmStage, wei: bigint) =>
  node.ask('anvil_setNextBlockBaseFeePerGas', quantity(wei));

describe.skipIf(anvilPath === null)('a sender on a real node', () => {
  describe('with calls that succeed', () => {
    test('sends an approval and then a deposit', async () => {
      const stage = await openStage();
      expect(await stage.deposit('400')).toMatchObject({ kind: 'refused' });
      expect(stage.journal).toEqual([]);
      hashOf(await stage.approve(500_000_000n));
      await stage.node.mine();
      expect(await stage.allowance()).toBe(500_000_000n);
      hashOf(await stage.deposit('400'));
      await stage.node.mine();
      expect(await stage.cash()).toBe(parseCash('400'));
      expect(await stage.allowance()).toBe(100_000_000n);
    });

    test('sends a market order under the journaled hash', async () => {
      const stage = await openFundedStage();
      const txHash = hashOf(await stage.place(marketBuy('100')));
      expect(txHash).toBe(stage.journal[0]?.txHash);
      await stage.node.mine();
      expect(await stage.placedBy(txHash)).toHaveLength(1);
      expect(await stage.cash()).toBe(parseCash('900'));
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'mined', revert: null, isDeep: false });
      await stage.node.mine(12);
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'mined', revert: null, isDeep: true });
    });

    test('sends a limit order and its cancel', async () => {
      const stage = await openFundedStage();
      const txHash = hashOf(await stage.place(limitBuy('2', '150.25')));
      await stage.node.mine();
      expect(await stage.cash()).toBe(parseCash('699.5'));
      const [orderId = '0x'] = await stage.placedBy(txHash);
      hashOf(await stage.send((deadline) => stage.callOf(cancelCall(orderId, { deadline }))));
      await stage.node.mine();
      expect(await stage.cash()).toBe(parseCash('1000'));
    });

    test('sends three orders at once with three nonces', async () => {
      const stage = await openFundedStage();
      const outcomes = await Promise.all(['1', '2', '3'].map((each) => stage.place(marketBuy(each))));
      const hashes = outcomes.map(hashOf);
      expect(noncesOf(stage)).toEqual([2, 3, 4]);
      await stage.node.mine();
      for (const txHash of hashes) expect(await stage.placedBy(txHash)).toHaveLength(1);
      expect(await stage.cash()).toBe(parseCash('994'));
    });
  });

  describe('with a lost response', () => {
    test('finds the transaction by its hash if the node has it', async () => {
      const losses: ('before' | 'after')[] = [];
      const stage = await openFundedStage({ intercept: losing(losses) });
      losses.push('after');
      const txHash = hashOf(await stage.place(marketBuy('100')));
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'waiting' });
      await stage.node.mine();
      expect(await stage.placedBy(txHash)).toHaveLength(1);
      expect(stage.journal).toHaveLength(1);
      expect(await stage.cash()).toBe(parseCash('900'));
    });

    test('sends the same bytes again if they never arrived', async () => {
      const losses: ('before' | 'after')[] = [];
      const stage = await openFundedStage({ intercept: losing(losses) });
      losses.push('before', 'after');
      const txHash = hashOf(await stage.place(marketBuy('100')));
      expect(stage.journal.map((each) => each.txHash)).toEqual([txHash]);
      await stage.node.mine();
      expect(await stage.cash()).toBe(parseCash('900'));
    });

    test('ends as unknown when every attempt is lost', async () => {
      const losses: ('before' | 'after')[] = [];
      const stage = await openFundedStage({ intercept: losing(losses) });
      losses.push('before', 'before', 'before');
      expect(await stage.place(marketBuy('100'))).toMatchObject({ kind: 'unknown' });
      expect(await stage.chain.trace(stage.journal[0]?.txHash ?? '')).toMatchObject({ kind: 'absent' });
      expect(await stage.cash()).toBe(parseCash('1000'));
    });
  });

  describe('with a slow mempool', () => {
    test('has an order past its deadline reverted with the cause', async () => {
      const stage = await openFundedStage();
      const txHash = hashOf(await stage.place(marketBuy('100')));
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'waiting' });
      await stage.node.ask('evm_increaseTime', ORDER_SECONDS + 30);
      await stage.node.mine();
      expect(await stage.chain.trace(txHash)).toMatchObject({
        kind: 'mined',
        revert: 'deadline has passed',
        isDeep: false,
      });
      expect(await stage.cash()).toBe(parseCash('1000'));
    });

    test('gives the nonce of a dropped order to the next one after its deadline', async () => {
      const stage = await openFundedStage({ orderSeconds: 3 });
      const dropped = hashOf(await stage.place(marketBuy('100')));
      await stage.node.ask('anvil_dropTransaction', dropped);
      expect(await stage.chain.trace(dropped)).toMatchObject({ kind: 'absent' });
      await systemClock.sleep(4_500);
      await stage.node.mine();
      const next = hashOf(await stage.place(marketBuy('200')));
      expect(noncesOf(stage)).toEqual([2, 2]);
      await stage.node.mine();
      expect(await stage.placedBy(next)).toHaveLength(1);
      expect(await stage.chain.trace(dropped)).toMatchObject({ kind: 'absent' });
    });
  });

  describe('with a blocked nonce', () => {
    test('takes the nonce back past the deadline, and sends again', async () => {
      const stage = await openFundedStage({ orderSeconds: 2 });
      const stuck = hashOf(await stage.place(marketBuy('100')));
      await systemClock.sleep(2_500);
      expect(await stage.place(marketBuy('200'))).toMatchObject({ kind: 'stopped', alarm: true });
      const [order] = stage.journal;
      if (!order) throw new Error('nothing was signed');
      const back = hashOf(await stage.takeBack(order));
      expect(await stage.chain.trace(stuck)).toMatchObject({ kind: 'absent' });
      const next = hashOf(await stage.place(marketBuy('200')));
      expect(noncesOf(stage)).toEqual([2, 2, 3]);
      await stage.node.mine();
      expect(await stage.chain.trace(back)).toMatchObject({ kind: 'mined', revert: null });
      expect(await stage.placedBy(next)).toHaveLength(1);
      expect(await stage.cash()).toBe(parseCash('800'));
    });

    test('sends a dropped approval again as the same bytes with its nonce', async () => {
      const stage = await openFundedStage();
      const approval = hashOf(await stage.approve(5n));
      await stage.node.ask('anvil_dropTransaction', approval);
      hashOf(await stage.place(marketBuy('100')));
      expect(noncesOf(stage)).toEqual([2, 3]);
      await stage.node.mine();
      expect(await stage.chain.trace(approval)).toMatchObject({ kind: 'mined', revert: null });
      expect(await stage.allowance()).toBe(5n);
      expect(await stage.cash()).toBe(parseCash('900'));
    });
  });

  describe('with changing gas prices', () => {
    test('refuses to sign when gas is too expensive', async () => {
      const stage = await openFundedStage({ gas: { maxFeePerGas: 5_000_000_000n } });
      await setBaseFee(stage, 50_000_000_000n);
      await stage.node.mine();
      expect(await stage.place(marketBuy('100'))).toMatchObject({ kind: 'refused' });
      expect(stage.journal).toEqual([]);
    });

    test('loses an order that the node drops when gas prices rise sharply', async () => {
      const stage = await openFundedStage();
      const txHash = hashOf(await stage.place(marketBuy('100')));
      await setBaseFee(stage, 400_000_000_000n);
      await stage.node.mine();
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'absent' });
      expect(await stage.cash()).toBe(parseCash('1000'));
    });

    test('has an order mined although the base fee doubles', async () => {
      const stage = await openFundedStage();
      const { baseFee } = await stage.chain.gasPrices();
      const txHash = hashOf(await stage.place(marketBuy('100')));
      await setBaseFee(stage, baseFee * 2n);
      await stage.node.mine();
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'mined', revert: null });
    });
  });

  describe('with a reorganisation', () => {
    test('sees a forgotten order as absent, and its lock released', async () => {
      const stage = await openFundedStage();
      const txHash = hashOf(await stage.place(marketBuy('100')));
      await stage.node.mine();
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'mined' });
      await stage.node.ask('anvil_reorg', 1, []);
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'absent' });
      expect(await stage.cash()).toBe(parseCash('1000'));
    });

    test('sees an order that is mined again as mined, and no longer deep', async () => {
      const stage = await openFundedStage();
      const txHash = hashOf(await stage.place(marketBuy('100')));
      await stage.node.mine(13);
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'mined', isDeep: true });
      await stage.node.ask('anvil_reorg', 13, [[stage.journal[0]?.raw, 5]]);
      expect(await stage.chain.trace(txHash)).toMatchObject({ kind: 'mined', revert: null, isDeep: false });
      expect(await stage.cash()).toBe(parseCash('900'));
    });
  });

  describe('with a revert', () => {
    test('signs nothing that the estimate foresees to revert with a text', async () => {
      const stage = await openFundedStage();
      expect(await stage.place(marketBuy('1000.01'))).toEqual({
        kind: 'refused',
        reason: 'it would revert on chain, insufficient mUSD',
      });
      expect(stage.journal).toEqual([]);
    });

    test('signs nothing that the estimate foresees to revert with a custom error', async () => {
      const stage = await openFundedStage();
      const outcome = await stage.send((deadline) =>
        stage.callOf(cancelCall(`0x${'77'.repeat(32)}`, { deadline })),
      );
      expect(outcome).toMatchObject({ kind: 'refused' });
      expect(stage.journal).toEqual([]);
    });

    test('reports the cause for the second of two orders for the same cash', async () => {
      const stage = await openFundedStage({ intercept: estimatingAtLatest });
      const [first, second] = [await stage.place(marketBuy('600')), await stage.place(marketBuy('600'))];
      await stage.node.mine();
      expect(await stage.chain.trace(hashOf(first))).toMatchObject({ kind: 'mined', revert: null });
      expect(await stage.chain.trace(hashOf(second))).toMatchObject({
        kind: 'mined',
        revert: 'insufficient mUSD',
      });
      expect(await stage.cash()).toBe(parseCash('400'));
    });
  });
});
