import { encodeFunctionData, parseAbi, type Hex } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import { cashToken, contracts } from '../../../src/emulator/state/constants.ts';
import { closeAll, Trader } from '../trader.ts';

afterEach(closeAll);

const approval = encodeFunctionData({
  abi: parseAbi(['function approve(address spender, uint256 amount)']),
  args: [contracts.router, 5n],
});

async function traderUnder(rule: Record<string, unknown>): Promise<Trader> {
  const trader = await Trader.start();
  await trader.control('/faults', { rules: [{ on: 'node', times: 1, ...rule }] });
  return trader;
}

const SEND = 'eth_sendRawTransaction';

const raw = (trader: Trader) =>
  fetch(trader.emulator.info.rpcUrl, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  });

const sendApproval = async (trader: Trader) =>
  trader.send(await trader.signed({ to: cashToken.address, data: approval }));

describe('a faulty node', () => {
  test.each([['lost-request'], ['lost-response']])('breaks a connection: %s', async (kind) => {
    const trader = await traderUnder({ kind });
    await expect(raw(trader)).rejects.toThrow();
    expect((await raw(trader)).status).toBe(200);
  });

  test.each<[rule: Record<string, unknown>, status: number, body: string]>([
    [{ kind: 'status', status: 503, processed: false }, 503, 'gateway'],
    [{ kind: 'html' }, 200, '<html>'],
    [{ kind: '429', retryAfter: '3' }, 429, 'gateway'],
    [{ kind: 'body', text: '{"jsonrpc":' }, 200, '{"jsonrpc":'],
    [{ kind: 'truncate', bytes: 5 }, 200, '{"jso'],
    [{ kind: 'edit', path: 'result', value: '0x1' }, 200, '"result":"0x1"'],
  ])('responds to %j with %d', async (rule, status, body) => {
    const answer = await raw(await traderUnder({ ...rule, endpoint: 'eth_chainId' }));
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(body);
  });

  test('of another chain is noticed by viem', async () => {
    const trader = await traderUnder({ kind: 'edit', path: 'result', value: '0x1', times: 99 });
    expect(await trader.reader.getChainId()).toBe(1);
  });

  test('accepts a transaction although its response is lost', async () => {
    const trader = await traderUnder({ kind: 'lost-response', endpoint: SEND });
    await expect(sendApproval(trader)).rejects.toThrow();
    await trader.wait(5_000);
    expect(await trader.reader.getTransactionCount({ address: trader.address })).toBe(1);
  });

  test('forgets a transaction that it has accepted', async () => {
    const trader = await traderUnder({ kind: 'unmined', endpoint: SEND });
    const hash = (await sendApproval(trader)) as Hex;
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    await trader.wait(60_000);
    expect(await trader.node('eth_getTransactionByHash', hash)).toMatchObject({ result: null });
    expect(await trader.reader.getTransactionCount({ address: trader.address })).toBe(0);
  });

  test('mines a transaction that reverts for no reason', async () => {
    const trader = await traderUnder({ kind: 'revert', cause: 'UserNotApproved' });
    await trader.node('eth_blockNumber');
    const hash = (await sendApproval(trader)) as Hex;
    await trader.wait(5_000);
    expect(await trader.reader.getTransactionReceipt({ hash })).toMatchObject({ status: 'reverted' });
  });

  test('gives other blocks under the same numbers after a reorganisation', async () => {
    const trader = await Trader.start();
    await trader.control('/reorg', { blocks: 5 });
    const hash = (await sendApproval(trader)) as Hex;
    await trader.wait(4_000);
    const first = await trader.reader.getTransactionReceipt({ hash });
    await trader.wait(1_000);
    const again = await trader.reader.getBlock({ blockNumber: first.blockNumber });
    expect(again.hash).not.toBe(first.blockHash);
    expect(again.transactions).toEqual([]);
    expect(await trader.node('eth_getTransactionReceipt', hash)).toMatchObject({ result: null });
    await trader.wait(5_000);
    const second = await trader.reader.getTransactionReceipt({ hash });
    expect(second.blockNumber).toBeGreaterThan(first.blockNumber);
  });
});

describe('a wallet that sends its own transactions', () => {
  const wish = async (trader: Trader, order: Record<string, unknown>) => ({
    stockAddress: trader.emulator.info.symbols[0]?.contractAddress,
    side: 'Buy',
    ...order,
    deadline: await trader.deadline(),
  });

  test('gets the faults of settlement too', async () => {
    const trader = await traderUnder({ kind: 'settle-late', ms: 120_000 });
    const market = await wish(trader, { type: 'Market', notional: '50' });
    await trader.carryOut('/orders', market, 400_000n);
    await trader.wait(60_000);
    expect((await trader.truth()).orders).toMatchObject([{ status: 'New' }]);
    await trader.wait(90_000);
    expect((await trader.truth()).orders).toMatchObject([{ status: 'Filled' }]);
  });

  test('gets races for its cancels, and none for its placements', async () => {
    const trader = await traderUnder({ kind: 'cancel-race', endpoint: SEND, filled: 0.5, times: 99 });
    const resting = { type: 'Limit', quantity: '1', price: '1.00', timeInForce: 'DAY' };
    const txHash = await trader.carryOut('/orders', await wish(trader, resting), 400_000n);
    await trader.post('/orders/tx', { txHash });
    await trader.wait(60_000);
    const [placed] = (await trader.truth()).orders;
    expect(placed).toMatchObject({ status: 'New', filledQuantity: '0' });
    const path = `/api/v1/orders/${placed?.orderId ?? ''}/calldata?deadline=${await trader.deadline()}`;
    const { data } = await trader.ask({ method: 'DELETE', path });
    const { toAddress: to, callData } = data as { toAddress: Hex; callData: Hex };
    await trader.wallet.sendTransaction({ to, data: callData, gas: 400_000n });
    await trader.wait(60_000);
    expect((await trader.truth()).orders).toMatchObject([{ status: 'Canceled', settleReceive: '0.5' }]);
  });
});
