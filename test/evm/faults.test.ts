import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { sightOfTrace } from '../../src/cli/moves/trace.ts';
import { anvilPath } from './anvil.ts';
import { estimatingAtLatest, type Intercept } from './relay.ts';
import { hashOf, marketBuy, noncesOf, openFundedStage } from './stage.ts';

/**
 * A node whose `pending` count knows of nothing that waits, as Monad's, or a balancer that asks another node each time.
 * Estimates are on the newest block too.
 */
const countingMinedAlone: Intercept = (call, forward) =>
  call.method === 'eth_getTransactionCount'
    ? forward({ ...call, params: [call.params[0], 'latest'] })
    : estimatingAtLatest(call, forward);

/** Faults that are known and not mended yet. Who mends one turns its `test.fails` into `test`. */
describe.skipIf(anvilPath === null)('known faults, seen on a real node', () => {
  test('three orders at once where the node counts only what is mined have three nonces', async () => {
    const stage = await openFundedStage({ intercept: countingMinedAlone });
    await Promise.all(['1', '2', '3'].map((each) => stage.place(marketBuy(each))));
    expect(noncesOf(stage)).toEqual([2, 3, 4]);
  });

  // A trace knows mined, waiting and absent: nothing says that another transaction with its nonce has been mined.
  test.fails(
    'a dropped deposit whose nonce was mined by another transaction is proved to be replaced',
    async () => {
      const stage = await openFundedStage();
      await stage.approve(1_000_000n);
      await stage.node.mine();
      const dropped = hashOf(await stage.deposit('0'));
      await stage.node.ask('anvil_dropTransaction', dropped);
      hashOf(await stage.place(marketBuy('100')));
      expect(noncesOf(stage).slice(1)).toEqual([3, 3]);
      await stage.node.mine(20);
      expect(await stage.chain.trace(dropped)).toMatchObject({ kind: 'replaced' });
    },
  );

  // The commands that send by hand end with "reverted" as soon as one block says so.
  test.fails('a command waits for more than one block before it tells of a revert', async () => {
    const stage = await openFundedStage({ intercept: estimatingAtLatest });
    await stage.place(marketBuy('600'));
    const second = hashOf(await stage.place(marketBuy('600')));
    await stage.node.mine();
    const trace = await stage.chain.trace(second);
    expect(trace).toMatchObject({ kind: 'mined', revert: 'insufficient mUSD', isDeep: false });
    expect(sightOfTrace(trace, (status) => status)?.end).toBeNull();
  });

  test('nothing is sent while a transaction waits past its deadline', async () => {
    const stage = await openFundedStage({ orderSeconds: 2, intercept: estimatingAtLatest });
    hashOf(await stage.place(marketBuy('100')));
    await systemClock.sleep(2_500);
    await stage.place(marketBuy('200'));
    expect(stage.journal).toHaveLength(1);
  });

  // It takes "absent" for "not yet", and looks until it is stopped; `wallet show --wait` too..
  test.todo('`wallet approve` ends when its transaction was dropped, as `orders place` does');
});
