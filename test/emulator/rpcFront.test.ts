import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFunctionData, parseAbi, parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, describe, expect, test } from 'vitest';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { hashHex } from '../../src/core/random.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { cashToken, contracts } from '../../src/emulator/state/constants.ts';
import { openMachine, openRpcFront, type KeptMachine, type VenueOptions } from '../../src/emulator/index.ts';
import { encode } from '../../src/store/codec.ts';
import { START } from './harness.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-node-'));
afterAll(() => rmSync(root, { recursive: true }));

const LATENCY = { minMs: 20, maxMs: 20 };
const hashOf = ({ machine: { state } }: KeptMachine): string => hashHex(encode(state));

function open(options: VenueOptions = {}, latency = { minMs: 0, maxMs: 0 }) {
  const kept = openMachine({ start: toIso(START), node: 'geth', ...options });
  const clock = new VirtualClock({ start: kept.machine.state.now });
  const front = openRpcFront(kept, { clock, latency });
  const ask = async (body: unknown): Promise<unknown> =>
    JSON.parse((await front(typeof body === 'string' ? body : JSON.stringify(body)))?.body ?? '');
  const node = (method: string, ...params: unknown[]) => ask({ jsonrpc: '2.0', id: 1, method, params });
  return { kept, clock, ask, node };
}

const approval = (key: Hex, nonce: number): Promise<Hex> =>
  privateKeyToAccount(key).signTransaction({
    chainId: 143,
    nonce,
    to: cashToken.address,
    gas: 60_000n,
    maxFeePerGas: parseGwei('60'),
    data: encodeFunctionData({
      abi: parseAbi(['function approve(address spender, uint256 amount)']),
      args: [contracts.router, BigInt(nonce + 1)],
    }),
  });

describe('the emulated node', () => {
  const call = { jsonrpc: '2.0', method: 'eth_chainId' };

  test('responds under any id, to single calls and batches', async () => {
    const { ask } = open();
    expect(await ask({ ...call, id: 'a-b' })).toEqual({ jsonrpc: '2.0', id: 'a-b', result: '0x8f' });
    expect(
      await ask([
        { ...call, id: 7 },
        { ...call, id: 8, method: 'eth_none' },
      ]),
    ).toEqual([
      { jsonrpc: '2.0', id: 7, result: '0x8f' },
      {
        jsonrpc: '2.0',
        id: 8,
        error: { code: -32_601, message: 'the method eth_none does not exist/is not available' },
      },
    ]);
  });

  test.each<[body: unknown, code: number]>([
    ['{', -32_700],
    [[], -32_600],
    [{ id: 1 }, -32_600],
    [{ ...call, id: 1, method: 'eth_getBalance', params: ['0x1'] }, -32_602],
    [{ ...call, id: 1, method: 'eth_getBalance', params: [contracts.router, '0xffff'] }, -32_000],
    [{ ...call, id: 1, method: 'eth_sendRawTransaction', params: ['0xzz'] }, -32_602],
  ])('names the error of %j', async (body, code) => {
    expect(await open().ask(body)).toMatchObject({ error: { code } });
  });

  test('keeps the state of the latest block only, and all blocks', async () => {
    const { node, clock } = open();
    await clock.advanceBy(5_000);
    expect(await node('eth_blockNumber')).toMatchObject({ result: '0x5' });
    expect(await node('eth_getBalance', contracts.router, '0x4')).toMatchObject({
      error: { message: 'missing trie node: no state of block 4' },
    });
    expect(await node('eth_getBlockByNumber', '0x4', false)).toMatchObject({ result: { number: '0x4' } });
    expect(await node('eth_getBlockByNumber', '0x6', false)).toMatchObject({ result: null });
  });

  test('counts the transactions of a wallet at each of its last 128 blocks', async () => {
    const { node, clock, kept } = open();
    const [account] = kept.machine.state.accounts;
    if (!account) throw new Error('no account');
    await clock.advanceBy(100_000);
    await node('eth_sendRawTransaction', await approval(account.privateKey, 0));
    await clock.advanceBy(100_000);
    const count = (block: number) =>
      node('eth_getTransactionCount', account.userAddress, `0x${block.toString(16)}`);
    expect(await count(72)).toMatchObject({ error: { message: 'missing trie node: no state of block 72' } });
    expect(await count(100)).toMatchObject({ result: '0x0' });
    expect(await count(199)).toMatchObject({ result: '0x1' });
    expect(await count(201)).toMatchObject({ error: { message: 'header not found' } });
  });

  test("spends its latency under the hold of the request's id", async () => {
    const { ask, clock } = open({}, LATENCY);
    const release = clock.hold('held');
    const answer = ask({ ...call, id: 'held' }).then(() => release());
    await clock.advanceBy(1_000);
    await answer;
    expect(clock.now()).toBe(START + 1_000);
  });
});

test('pending and mined transactions outlive the process unchanged', async () => {
  const stateDir = join(root, 'state');
  const first = open({ stateDir });
  const key = first.kept.machine.state.accounts[0]?.privateKey ?? '0x';
  const mined = (await first.node('eth_sendRawTransaction', await approval(key, 0))) as { result: Hex };
  await first.clock.advanceBy(5_000);
  for (const nonce of [1, 3, 0]) await first.node('eth_sendRawTransaction', await approval(key, nonce));
  const image = join(root, 'image');
  cpSync(stateDir, image, { recursive: true, filter: (file) => !file.includes('lock') });
  const second = open({ stateDir: image });
  expect(second.clock.now()).toBe(first.clock.now());
  expect(hashOf(second.kept)).toBe(hashOf(first.kept));
  for (const { node } of [first, second])
    expect(await node('eth_getTransactionReceipt', mined.result)).toMatchObject({
      result: { status: '0x1' },
    });
  expect(await second.node('eth_sendRawTransaction', await approval(key, 1))).toMatchObject({
    error: { message: 'already known' },
  });
  const later = epochMs(first.clock.now() + 10_000);
  for (const { kept } of [first, second]) kept.machine.advance(later);
  expect(hashOf(second.kept)).toBe(hashOf(first.kept));
  expect(second.kept.machine.state.mined).toHaveLength(2);
  for (const { kept } of [first, second]) kept.close();
  const third = open({ stateDir: image });
  expect(hashOf(third.kept)).toBe(hashOf(second.kept));
  third.kept.close();
});
