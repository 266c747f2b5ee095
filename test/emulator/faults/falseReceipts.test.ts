import { afterEach, expect, test } from 'vitest';
import { stock } from '../harness.ts';
import { closeAll, Trader } from '../trader.ts';

afterEach(closeAll);

type Receipt = { status: string; logs: unknown[]; blockNumber: string } | null;

/** A market buy mined a minute ago, whose receipt is shown falsely. */
async function boughtUnder(rule: Record<string, unknown>) {
  const trader = await Trader.start({}, 0);
  const endpoint = 'POST /api/v1/orders/send';
  await trader.wait(600_000);
  await trader.control('/faults', { rules: [{ kind: 'false-receipt', endpoint, ...rule }] });
  const order = { stockAddress: stock('AAPL'), side: 'Buy', type: 'Market', notional: '100' };
  const { data } = await trader.post('/orders/send', { ...order, deadline: await trader.deadline() });
  const { txHash } = data as { txHash: string };
  await trader.wait(60_000);
  const receipt = async () => (await trader.node('eth_getTransactionReceipt', txHash)).result as Receipt;
  return { trader, txHash, receipt };
}

test('a false receipt says that a filled order reverted, as many blocks deep as the rule says', async () => {
  const { trader, receipt } = await boughtUnder({ how: 'reverted', depth: 500, forMs: 120_000 });
  const shown = await receipt();
  expect(shown).toMatchObject({ status: '0x0', logs: [] });
  await trader.wait(120_000);
  const real = await receipt();
  expect(real?.status).toBe('0x1');
  expect(real?.logs).not.toEqual([]);
  expect(Number(real?.blockNumber) - Number(shown?.blockNumber)).toBe(500);
  expect((await trader.truth()).orders).toMatchObject([{ status: 'Filled', lie: 'false-receipt' }]);
});

test('a false receipt of kind "missing" hides receipt and transaction of a filled order', async () => {
  const { trader, txHash, receipt } = await boughtUnder({ how: 'missing' });
  expect(await receipt()).toBeNull();
  expect((await trader.node('eth_getTransactionByHash', txHash)).result).toBeNull();
  expect((await trader.truth()).orders.map(({ status }) => status)).toEqual(['Filled']);
});
