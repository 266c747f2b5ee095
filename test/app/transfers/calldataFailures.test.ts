import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Truth } from '../../../src/emulator/index.ts';
import type { Ran } from '../../cli/support/commandLine.ts';
import { accountOf, startEmulated, type Emulated } from '../../cli/support/emulated.ts';
import { emptyState } from '../../cli/support/stateFolder.ts';
import { startLossyNode } from '../../cli/support/lossyNode.ts';

const HASH = /0x[0-9a-f]{64}/;

let venue: Emulated;
let node: Awaited<ReturnType<typeof startLossyNode>>;
let run: (...argv: string[]) => Promise<Ran>;
/** As `run`, by a user who stops the wait as soon as it begins. */
let interrupted: (...argv: string[]) => Promise<Ran>;

beforeAll(async () => {
  venue = await startEmulated(72);
  node = await startLossyNode(venue.info.rpcUrl);
  const account = accountOf(venue, 'calldata', { rpcUrl: node.url });
  run = (...argv) => account.run(onOwnBooks(argv));
  interrupted = (...argv) => account.run(onOwnBooks(argv), AbortSignal.abort('SIGINT'));
});
afterAll(async () => {
  await venue.close();
  await node.close();
});
beforeEach(async () => {
  node.loses.times = 0;
  await venue.control('/faults', { rules: [] });
  // Time stands still: requests of the previous test would use up the budget of this one.
  await venue.later(60_000);
});

/** Commands that send have their own state folder in each test. */
const onOwnBooks = (argv: readonly string[]): readonly string[] =>
  argv.includes('--yes') ? [...argv, '--state', emptyState()] : argv;

const buy = ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '50', '--yes'];
const hashAfter = (word: string, { err }: Ran): string =>
  HASH.exec(new RegExp(`${word}: 0x.*`).exec(err)?.[0] ?? '')?.[0] ?? 'nothing';
const signedIn = (ran: Ran): string => hashAfter('signed', ran);
const sentIn = (ran: Ran): string => hashAfter('sent', ran);
const ordersWith = async (txHash: string) =>
  ((await venue.control('/truth')) as Truth).orders.filter((order) => order.txHash === txHash);

test('calldata for a contract other than the configured one is not signed', async () => {
  const router = `0x${'66'.repeat(20)}`;
  const { code, err } = await accountOf(venue, 'calldata', { router }).run(onOwnBooks(buy));
  expect(code).toBe(4);
  expect(err).toContain('nothing was signed: the venue');
  expect(err).toContain('toAddress is');
  expect(err).not.toContain('signed: 0x');
});

test.each([buy, ['orders', 'place', 'AAPL', 'buy', '--limit', '100', '--quantity', '1', '--yes']])(
  "a stock listed with another stock's contract is not bought: %s %s %s %s %s",
  async (...argv) => {
    const endpoint = 'GET /api/v1/symbols';
    const { out } = await run('api', 'GET', '/api/v1/symbols');
    const rows = (JSON.parse(out) as { data: { symbol: string; contractAddress: string }[] }).data;
    const [aapl, plug] = ['AAPL', 'PLUG'].map(
      (name) => rows.find(({ symbol }) => symbol === name)?.contractAddress,
    );
    // PLUG is removed: no two stocks have one contract.
    const value = rows
      .filter(({ symbol }) => symbol !== 'PLUG')
      .map((row) => (row.symbol === 'AAPL' ? { ...row, contractAddress: plug } : row));
    await venue.control('/faults', { rules: [{ kind: 'edit', endpoint, path: 'data', value }] });
    for (const submission of ['calldata', 'one-click']) {
      await venue.later(60_000);
      const { code, err } = await accountOf(venue, submission).run(onOwnBooks(argv));
      // The account shows shares of the previously listed contract.
      expect([code, err]).toEqual([
        4,
        expect.stringContaining(`not counted: ${String(plug).toLowerCase()} is the one that counts`),
      ]);
      expect(err).toContain('Nothing was sent');
      expect(err).not.toContain('signed: 0x');
    }
    await venue.control('/faults', { rules: [] });
    const sent = await run(...argv, '--no-wait');
    expect(sent.err).toMatch(
      new RegExp(`contract +${aapl} for AAPL.*\n +token +"mAAPL" with 18 decimals, by the node`, 'i'),
    );
    // An open order would be external to the state folder of the next test.
    if (argv.includes('--limit')) {
      const { txHash } = JSON.parse(sent.out) as { txHash: string };
      await venue.later(60_000);
      expect(await run('orders', 'cancel', txHash, '--yes')).toMatchObject({ code: 0 });
    }
  },
);

test('a token whose decimals differ between venue and node is neither approved nor moved', async () => {
  const edit = (endpoint: string, path: string) => ({ kind: 'edit', endpoint, path, value: 9 });
  await venue.control('/faults', {
    rules: [
      edit('GET /api/v1/users/{userId}/balance', 'data.tokenBalances.*.decimals'),
      edit('GET /api/v1/config', 'data.cashierTokenConfig.*.decimals'),
    ],
  });
  for (const argv of [
    ['wallet', 'approve', 'USDC', '100', '--yes'],
    ['cash', 'deposit', '100', '--yes'],
    ['cash', 'withdraw', '100', '--yes'],
  ]) {
    const { code, err } = await run(...argv);
    expect([argv, code]).toEqual([argv, 3]);
    expect(err).toMatch(/the venue states 9 decimals for 0x\w+, and the token itself 6. Nothing was sent/);
    expect(err).not.toContain('signed: 0x');
  }
});

describe('a node whose decimals change after they were compared', () => {
  beforeEach(async () => {
    const value = `0x${'12'.padStart(64, '0')}`;
    const rule = { kind: 'edit', on: 'node', endpoint: 'eth_call', path: 'result', value, after: 1 };
    await venue.control('/faults', { rules: [rule] });
  });

  test('does not change the amount of an approval', async () => {
    const { code, out } = await run('wallet', 'approve', 'USDC', '1000000000', '--yes');
    expect([code, JSON.parse(out)]).toMatchObject([0, { amount: '1000000000', status: 'success' }]);
    const shown = await run('wallet', 'allowance', 'USDC');
    expect(JSON.parse(shown.out)).toMatchObject([{ symbol: 'USDC', allowance: '1000000000' }]);
  });

  test('does not change the amount of a deposit', async () => {
    const { code, out, err } = await run('cash', 'deposit', '100', '--yes');
    expect([code, err]).toEqual([0, expect.stringContaining('sent: 0x')]);
    expect(JSON.parse(out)).toMatchObject({ amount: '100', received: '100' });
  });
});

test("nothing is signed while this clock is far off the venue's", async () => {
  await venue.control('/faults', { clockOffsetMs: 30_000 });
  for (const argv of [buy, ['cash', 'deposit', '100', '--yes']]) {
    const { code, out, err } = await run(...argv);
    expect(code).not.toBe(0);
    expect(`${err}${out}`).toContain("s off the venue's: nothing is sent until an answer shows less");
    expect(err).not.toContain('signed: 0x');
  }
  await venue.control('/faults', { clockOffsetMs: 0 });
});

test('a call that would revert is refused with its cause, and not signed', async () => {
  const { user } = accountOf(venue, 'calldata');
  await venue.control('/deferred-sell', { userAddress: user, restricted: true });
  const { code, out } = await run('stock', 'withdraw', 'AAPL', '1', '--yes');
  await venue.control('/deferred-sell', { userAddress: user, restricted: false });
  expect(code).toBe(4);
  expect(out).toContain('it would revert on chain');
  expect(JSON.parse(out)).toMatchObject({ txHash: null, state: 'abandoned' });
});

test('a broadcast with an unknown outcome is looked for until proven that it never arrived', async () => {
  node.loses.times = Infinity;
  const lost = await run(...buy);
  const txHash = sentIn(lost);
  expect([lost.code, JSON.parse(lost.out)]).toMatchObject([1, { status: 'neverExisted', txHash }]);
  expect(await ordersWith(txHash)).toEqual([]);
  const asked = await run('wallet', 'show', txHash);
  expect([asked.code, asked.out]).toEqual([2, '']);
  expect(asked.err).toContain(`the chain has no trace of ${txHash}`);
});

test('a broadcast whose response is lost once is sent again with the same bytes', async () => {
  node.loses.times = 1;
  const { code, out, err } = await run(...buy);
  const txHash = sentIn({ code, out, err });
  expect([code, JSON.parse(out)]).toMatchObject([0, { status: 'Filled', txHash }]);
  expect(await ordersWith(txHash)).toHaveLength(1);
});

test('a failed link is reported with its transaction, and `orders record` creates it', async () => {
  const rule = { kind: 'status', endpoint: 'POST /api/v1/orders/tx', status: 500, processed: false };
  await venue.control('/faults', { rules: [rule] });
  const { code, out, err } = await run(...buy, '--no-wait');
  const { txHash } = JSON.parse(out) as { txHash: string };
  expect(code).toBe(0);
  expect(err).toContain(`a transaction could not be linked to the key; trying later: ${txHash}`);
  await venue.control('/faults', { rules: [] });
  expect(JSON.parse((await run('orders', 'record', txHash)).out)).toMatchObject({ txHash });
  const shown = await run('orders', 'show', txHash, '--wait');
  expect([shown.code, JSON.parse(shown.out)]).toMatchObject([0, { status: 'Filled', txHash }]);
});

test('an interrupted order ends with exit 130, and names the command that continues waiting', async () => {
  const { code, out, err } = await interrupted(...buy);
  const { txHash } = JSON.parse(out) as { txHash: string };
  expect(code).toBe(130);
  expect(err).toContain('still under way: the next command or run on this state folder goes on with it');
  const shown = await run('orders', 'show', txHash, '--wait');
  expect([shown.code, JSON.parse(shown.out)]).toMatchObject([0, { status: 'Filled', txHash }]);
});

test('an interrupted approval ends with exit 130, and names the command that continues waiting', async () => {
  const { code, out, err } = await interrupted('wallet', 'approve', 'USDC', '0', '--yes');
  const { txHash } = JSON.parse(out) as { txHash: string };
  expect(code).toBe(130);
  expect(err).toContain(`\`drover wallet show ${txHash} --wait --config account.yaml\` continues to wait`);
  const shown = await run('wallet', 'show', txHash, '--wait');
  expect([shown.code, JSON.parse(shown.out)]).toEqual([0, { txHash, status: 'success' }]);
});

test('a manual order keeps to the limit of one order', async () => {
  const dear = ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '5000.01', '--yes'];
  const { code, err } = await run(...dear);
  expect(code).toBe(4);
  expect(err).toContain('order of 5000.01 is over the limit of 5000 (orderNotional). Nothing was sent');
  expect(err).not.toContain('signed: 0x');
});

test('an approval that the node drops ends as unknown', async () => {
  await venue.control('/faults', {
    rules: [{ on: 'node', kind: 'unmined', endpoint: 'eth_sendRawTransaction', probability: 1, times: 1 }],
  });
  const approved = await run('wallet', 'approve', 'USDC', '100', '--yes');
  const txHash = signedIn(approved);
  expect(approved.code).toBe(3);
  expect(approved.err).toContain(`the chain has shown no trace of ${txHash}: it waits unseen, was dropped`);
  expect(approved.err).toContain('drover wallet allowance USDC');
});
