import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { lookOnChain, traceObservation } from '../../src/app/transfers/chainTrace.ts';
import { anvilPath, quantity } from './anvil.ts';
import { estimatingAtLatest, type Intercept } from './relay.ts';
import { hashOf, marketBuy, noncesOf, openFundedStage, openStage, type EvmStage } from './stage.ts';
import type { AccountNonce } from '../../src/wallet/replacements.ts';

/**
 * A node whose `pending` count ignores pending transactions, as Monad's, or a balancer that uses another node each time.
 * Estimates are on the newest block too.
 */
const countingMinedAlone: Intercept = (call, forward) =>
  call.method === 'eth_getTransactionCount'
    ? forward({ ...call, params: [call.params[0], 'latest'] })
    : estimatingAtLatest(call, forward);

/** Faults that were first seen on real nodes. */
describe.skipIf(anvilPath === null)('a fault that was first seen on a real node', () => {
  test('gives three simultaneous orders three nonces, although the node counts only mined transactions', async () => {
    const stage = await openFundedStage({ intercept: countingMinedAlone });
    await Promise.all(['1', '2', '3'].map((each) => stage.place(marketBuy(each))));
    expect(noncesOf(stage)).toEqual([2, 3, 4]);
  });

  test('proves that a dropped deposit was replaced once another transaction was mined with its nonce', async () => {
    const stage = await openFundedStage();
    const { node, chain, address } = stage;
    const dropped = hashOf(await stage.deposit('0'));
    const signed = { from: address, nonce: noncesOf(stage)[0] ?? 0 };
    await node.ask('anvil_dropTransaction', dropped);
    expect(await chain.trace(dropped, signed)).toMatchObject({ kind: 'absent' });
    await sendElsewhere(stage, signed);
    await node.mine(1);
    // Its nonce is used: until the transaction that used it is found for good, it may be this one.
    expect(await chain.trace(dropped, signed)).toMatchObject({ kind: 'unclear' });
    await node.ask('anvil_mine', quantity(70), quantity(1));
    expect(await chain.trace(dropped, signed)).toMatchObject({ kind: 'replaced' });
    expect(await chain.trace(dropped)).toMatchObject({ kind: 'absent' });
  });

  test('counts the dropped bytes as a success when they are mined after all', async () => {
    const stage = await openFundedStage();
    const { node, chain, address, journal } = stage;
    const dropped = hashOf(await stage.deposit('0'));
    const signed = { from: address, nonce: noncesOf(stage)[0] ?? 0 };
    await node.ask('anvil_dropTransaction', dropped);
    const before = await node.ask<string>('evm_snapshot');
    await sendElsewhere(stage, signed);
    await node.mine(1);
    await chain.trace(dropped, signed);
    await node.ask('evm_revert', before);
    await node.ask('eth_sendRawTransaction', journal[0]?.raw);
    await node.mine(100);
    expect(await chain.trace(dropped, signed)).toMatchObject({ kind: 'mined', revert: null });
  });

  test('has a command wait for more than one block before it reports a revert', async () => {
    const stage = await openFundedStage({ intercept: estimatingAtLatest });
    await stage.place(marketBuy('600'));
    const second = hashOf(await stage.place(marketBuy('600')));
    await stage.node.mine();
    const trace = await stage.chain.trace(second);
    expect(trace).toMatchObject({ kind: 'mined', revert: 'insufficient mUSD', isDeep: false });
    expect(traceObservation(trace, (status) => status)?.end).toBeNull();
    await stage.node.mine(12);
    expect(traceObservation(await stage.chain.trace(second), (status) => status)?.end).toBe('failed');
  });

  test('has nothing sent while a transaction waits past its deadline', async () => {
    const stage = await openFundedStage({ orderSeconds: 2, intercept: estimatingAtLatest });
    hashOf(await stage.place(marketBuy('100')));
    await systemClock.sleep(2_500);
    await stage.place(marketBuy('200'));
    expect(stage.journal).toHaveLength(1);
  });

  test('ends `wallet approve` when its transaction was dropped, as it ends `orders place`', async () => {
    const { node, chain, ...stage } = await openStage();
    const txHash = hashOf(await stage.approve(1_000_000n));
    const clock = new VirtualClock({ start: systemClock.now() });
    const look = lookOnChain((status) => status, {
      txHash,
      clock,
      lookMs: 150_000,
      traceOf: (...asked) => chain.trace(...asked),
    });
    expect(await look()).toMatchObject({ status: 'sent', end: null });
    await node.ask('anvil_dropTransaction', txHash);
    expect(await look()).toBeNull();
    await clock.advanceBy(150_000);
    expect(await look()).toMatchObject({ end: 'unknown' });
  });
});

/** Sends nothing to its own address with a nonce, like another program with the same key. */
async function sendElsewhere({ node }: EvmStage, { from, nonce }: AccountNonce): Promise<void> {
  await node.ask('anvil_impersonateAccount', from);
  await node.ask('eth_sendTransaction', { from, to: from, value: '0x0', nonce: quantity(nonce) });
}
