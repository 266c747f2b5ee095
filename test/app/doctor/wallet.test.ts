/** @module-tag heavy */
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addKeyFile } from '../../../src/app/keys/keyFolder.ts';
import { secureBytes } from '../../../src/core/random.ts';
import { sealKey } from '../../../src/wallet/keyStore.ts';
import { drover } from '../../cli/support/commandLine.ts';
import { contract, cwd, env, startOneUser, user } from '../../cli/support/oneUser.ts';

/** Path in which nodes expect the caller's API key. */
const PATH = '/v3/0123456789abcdef0123456789abcdef';

/** A node that knows its chain and responds to a method by `more`; a text is its refusal, null is no response. */
async function startNode(answer: number | string | null, more: Readonly<Record<string, unknown>> = {}) {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (answer === null) return void outgoing.destroy();
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string; method: string };
      const said =
        typeof answer === 'string'
          ? { error: { code: -32000, message: answer } }
          : { result: more[method] ?? (method === 'eth_getCode' ? '0x' : `0x${answer.toString(16)}`) };
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
});
afterEach(() => one.venue.close());

type Told = { check: string; verdict: string; detail: string; remedy: string | null };

async function told(check: string, given: Readonly<Record<string, string>> = env) {
  const argv = ['doctor', '--config', 'my.yaml', '--json'];
  const { code, out, err } = await drover(argv, { env: given, cwd });
  expect(out + err).not.toContain(PATH.slice(4));
  expect(out + err).not.toContain('1111111111111111111111111111111111111111111111111111111111111111');
  return { code, found: (JSON.parse(out) as Told[]).find((finding) => finding.check === check) };
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const fix = 'Set venue.rpcUrl to a node of chain 143, or correct venue.chainId';
const ANSWERS = {
  'of its chain': [143, 0, { verdict: 'ok', detail: matching(/answers, on chain 143$/) }],
  'of another chain': [
    1,
    2,
    { verdict: 'fail', detail: matching(/is of chain 1, and venue\.chainId is 143$/), remedy: fix },
  ],
  'that refuses': [
    `no such key ${PATH}`,
    3,
    { verdict: 'fail', detail: matching(/no such key/), remedy: matching(/^Check venue\.rpcUrl/) },
  ],
  'that is down': [null, 3, { verdict: 'fail', remedy: matching(/^Check venue\.rpcUrl/) }],
} as const;

test.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])(
  'doctor compares the chain of the node: one %s',
  async (name) => {
    const [answer, code, finding] = ANSWERS[name];
    const node = await startNode(answer);
    one.writeConfig(`rpcUrl: ${node.url}${PATH}`);
    const done = await told('node');
    await node.close();
    expect([done.code, done.found]).toMatchObject([code, finding]);
  },
);

test('doctor passes a config without a node, and warns of a wrong chain in one that only reads', async () => {
  expect(await told('node')).toMatchObject({ code: 0, found: { verdict: 'ok' } });
  const node = await startNode(1);
  one.writeConfig(`rpcUrl: ${node.url}`, { mode: 'dry-run' });
  expect(await told('node')).toMatchObject({ code: 0, found: { verdict: 'warn' } });
  await node.close();
});

test('doctor warns when the wallet carries the code of a contract, and says what that means', async () => {
  expect((await told('wallet code')).found, 'no node is configured').toBeUndefined();
  for (const [code, finding] of [
    ['0x', { verdict: 'ok', detail: `${user} carries no code`, remedy: null }],
    [
      `0xef0100${'cd'.repeat(20)}`,
      {
        verdict: 'warn',
        detail: matching(new RegExp(`^${user} carries the code of 0x(cd){20} \\(EIP-7702\\): .*one waiting`)),
        remedy: matching(/wallet's own program/),
      },
    ],
  ] as const) {
    const node = await startNode(143, { eth_getCode: code });
    one.writeConfig(`rpcUrl: ${node.url}${PATH}`);
    expect(await told('wallet code')).toMatchObject({ code: 0, found: finding });
    await node.close();
  }
});

test('doctor warns that the node does not answer about the code of the wallet', async () => {
  const node = await startNode('busy');
  one.writeConfig(`rpcUrl: ${node.url}${PATH}`, { mode: 'dry-run' });
  expect((await told('wallet code')).found).toMatchObject({
    verdict: 'warn',
    detail: matching(/does not state .*busy/),
  });
  await node.close();
});

const other = `0x${'9'.repeat(40)}`;
const { DROVER_WALLET_KEY: _key, ...without } = env;

test('doctor warns of a wallet key that is not that of venue.userAddress', async () => {
  expect(await told('wallet key')).toMatchObject({
    code: 0,
    found: { verdict: 'ok', detail: `env DROVER_WALLET_KEY is the key of ${user}` },
  });
  one.writeConfig('', { userAddress: other });
  expect((await told('wallet key')).found).toEqual({
    check: 'wallet key',
    verdict: 'warn',
    detail: `env DROVER_WALLET_KEY is the key of ${user}, and venue.userAddress is ${other}`,
    remedy: 'Name the key of that wallet, or correct venue.userAddress',
  });
});

test('doctor fails for a wrong wallet key only in a run that signs with it', async () => {
  one.writeConfig();
  expect((await told('wallet key', without)).found).toMatchObject({ verdict: 'ok' });
  const node = await startNode(143);
  const signing = (userAddress: string) =>
    one.writeConfig(`rpcUrl: ${node.url}\n  router: '${contract}'\nsubmission: calldata`, { userAddress });
  signing(user);
  expect(await told('wallet key', without)).toMatchObject({
    code: 2,
    found: { verdict: 'fail', detail: expect.stringContaining('Set DROVER_WALLET_KEY') as string },
  });
  expect((await told('wallet key', { ...env, DROVER_WALLET_KEY: '0x12' })).found).toMatchObject({
    verdict: 'fail',
    detail: expect.stringContaining('env DROVER_WALLET_KEY') as string,
  });
  signing(other);
  expect((await told('wallet key')).found).toMatchObject({ verdict: 'fail' });
  await node.close();
});

const GWEI = 10n ** 9n;
const hex = (value: bigint) => `0x${value.toString(16)}`;
const funded = (balance: bigint, baseFee: bigint) => ({
  eth_getBalance: hex(balance),
  eth_getBlockByNumber: { number: '0x1', timestamp: '0x1', baseFeePerGas: hex(baseFee) },
  eth_maxPriorityFeePerGas: hex(2n * GWEI),
});

test.each([
  [
    'enough',
    funded(10n ** 18n, 50n * GWEI),
    'ok',
    /holds 1 for gas; 1000000 gas cost 0\.052 now \(base fee 50 gwei, tip 2\)\. At most 0\.3 a transaction, 25 a day, and 1 % of an order$/,
    'gas: { nativePrice: 0.03 }',
  ],
  [
    'enough gas, at an unknown native price',
    funded(10n ** 18n, 50n * GWEI),
    'warn',
    /Gas is not compared with the value of an order, because no price of the chain's own token is known$/,
    '',
  ],
  [
    'little',
    funded(10n ** 15n, 50n * GWEI),
    'warn',
    /holds 0\.001 for gas, and one transaction within gas\.limit and gas\.perTransaction may cost 0\.204/,
    '',
  ],
  [
    'too expensive',
    funded(10n ** 18n, 499n * GWEI),
    'warn',
    /a unit of gas costs 501 gwei now .* allows 500: nothing is sent/,
    '',
  ],
] as const)(
  'doctor shows how much the wallet has for gas, and what gas costs: %s',
  async (...[, more, verdict, detail, gas]) => {
    const node = await startNode(143, more);
    one.writeConfig('');
    expect((await told('gas')).found, 'a run that does not sign needs none').toBeUndefined();
    one.writeConfig(`rpcUrl: ${node.url}\n  router: '${contract}'\nsubmission: calldata\n${gas}`);
    expect((await told('gas')).found).toMatchObject({ verdict, detail: matching(detail) });
    await node.close();
  },
);

test('doctor reads the address of a stored wallet key without its password', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-keys-'));
  const key = { name: 'mine', kind: 'wallet', address: user, value: env.DROVER_WALLET_KEY } as const;
  addKeyFile(folder, 'mine', sealKey(key, { password: 'a long password', bytes: secureBytes }));
  const given = { ...without, DROVER_KEYSTORE_DIR: folder };
  one.writeConfig('walletKeyName: mine');
  expect((await told('wallet key', given)).found).toMatchObject({
    verdict: 'ok',
    detail: `key store mine is the key of ${user}`,
  });
  one.writeConfig('walletKeyName: none');
  expect((await told('wallet key', given)).found).toMatchObject({
    verdict: 'warn',
    detail: expect.stringContaining('there is no key none') as string,
  });
});
