import { cpSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { freshDir, start, type Running } from './cli.ts';

const LONG_MS = 180_000;

let emulator: Running;
let info: EmulatorInfo;

beforeEach(async () => {
  const args = ['--speed', '20', '--start', '2026-06-15T10:00', '--state', freshDir()];
  emulator = start(['emulator', '--json', ...args]);
  info = JSON.parse(await emulator.line(/^\{/)) as EmulatorInfo;
}, LONG_MS);

afterEach(async () => {
  emulator.child.kill('SIGTERM');
  await emulator.done;
});

/** Each test has its own account, and so its own key. */
const account = (index: number) => {
  const found = info.accounts[index];
  const key = found?.keys.find(({ access }) => access === 'WRITABLE');
  if (!found || !key) throw new Error('no account');
  return {
    env: { HOME: freshDir(), DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret },
    userAddress: found.userAddress,
  };
};

/** Does nothing, buys once for 1000, or buys a little on every quote. */
const STRATEGY = `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'holder',
  description: 'Holds a stock.',
  params: z.strictObject({ how: z.enum(['idle', 'once', 'steady']) }),
  data: () => ({ quotes: ['AAPL', 'MSFT'] }),
  create: ({ params }) => ({
    onStart: ({ order }) => {
      if (params.how === 'once') order.buy('AAPL', { notional: 1000 });
    },
    onQuote: ({ symbol, order }) => {
      if (params.how === 'steady' && symbol === 'MSFT') order.buy(symbol, { notional: 20 });
    },
  }),
});
`;

type How = 'idle' | 'once' | 'steady';

/** A config for each way of trading, on one state folder. */
function configsOf(index: number): Readonly<{ state: string; of: (how: How, host?: string) => string }> {
  const folder = freshDir();
  writeFileSync(join(folder, 'holder.ts'), STRATEGY);
  const of = (how: How, host = '127.0.0.1') => {
    const file = join(folder, `${how}.yaml`);
    writeFileSync(
      file,
      `mode: live
venue:
  baseUrl: ${info.baseUrl.replace('127.0.0.1', host)}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${account(index).userAddress}'
  clock: follow
  controlUrl: ${info.controlUrl}
state: ./state
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 60,
          dayLoss: '500', priceBandBps: 4000, quoteAgeMs: 60000 }
strategies:
  - { id: holder, use: ./holder.ts, capital: '8000', params: { how: ${how} } }
`,
    );
    return file;
  };
  return { state: join(folder, 'state'), of };
}

const run = (index: number, file: string, ...more: string[]): Running =>
  start(['run', file, '--live', '--json', ...more], account(index).env);
const reportOf = (out: string): RunReport => JSON.parse(out) as RunReport;

type Truth = { orders: { userAddress: string; symbol: string }[] };
async function ordersAtVenue(index: number): Promise<number> {
  const truth = (await (await fetch(`${info.controlUrl}/truth`)).json()) as Truth;
  return truth.orders.filter(({ userAddress }) => userAddress === account(index).userAddress).length;
}

async function stopped(daemon: Running) {
  daemon.child.kill('SIGTERM');
  return daemon.done;
}

test(
  'a run on an older copy of its journal buys nothing again, and says what to do',
  { timeout: LONG_MS },
  async () => {
    const { state, of } = configsOf(0);
    const idle = run(0, of('idle'));
    await idle.line(/session|strategies holder/);
    await pause(2_000);
    expect((await stopped(idle)).code).toBe(0);
    cpSync(state, `${state}-older`, { recursive: true });

    const buying = run(0, of('once'));
    await buying.line(/✓ +holder/);
    expect((await stopped(buying)).code).toBe(0);
    const sent = await ordersAtVenue(0);
    expect(sent).toBe(1);

    renameSync(state, `${state}-latest`);
    cpSync(`${state}-older`, state, { recursive: true });
    const old = run(0, of('once'));
    await old.line(/nothing is sent until ledger and account agree/);
    await pause(3_000);
    const { code, out, err } = await stopped(old);
    expect(err).toMatch(
      /order 0x\w+ \(buy AAPL, ended\) is not in the journal.*drover reconcile.*journal recover/s,
    );
    expect([code, await ordersAtVenue(0)]).toEqual([1, sent]);
    expect(reportOf(out)).toMatchObject({
      orders: { sent: 0 },
      stop: { unconfirmed: expect.any(String) as string },
    });

    rmSync(state, { recursive: true });
    renameSync(`${state}-latest`, state);
    for (const part of ['', '-wal', '-shm', '-head'])
      rmSync(join(state, `journal.sqlite${part}`), { force: true });
    const lost = await run(0, of('once')).done;
    expect([lost.code, await ordersAtVenue(0)]).toEqual([4, sent]);
    expect(lost.err).toMatch(/has lost its journal: journal\.sqlite is missing.*drover journal recover/s);
  },
);

test('an API key is held under every name of this machine, with any HOME', { timeout: LONG_MS }, async () => {
  const { of } = configsOf(2);
  const first = run(2, of('idle'));
  await first.line(/strategies holder/);
  await pause(1_000);
  const second = await run(2, of('idle', 'LOCALHOST'), '--state', freshDir()).done;
  expect([second.code, second.err]).toEqual([4, expect.stringContaining('using this API key')]);
  expect((await stopped(first)).code).toBe(0);
});

describe('a daemon that loses its journal', () => {
  test.each<[string, (state: string) => void, RegExp]>([
    [
      'when its file is removed',
      (state) => rmSync(join(state, 'journal.sqlite')),
      /journal\.sqlite is gone during this run/,
    ],
    [
      'when its log is removed',
      (state) => rmSync(join(state, 'journal.sqlite-wal')),
      /-wal is gone during this run/,
    ],
    [
      'when its log is emptied',
      (state) => truncateSync(join(state, 'journal.sqlite-wal')),
      /-wal was cut short during this run|damaged|malformed|cannot be/,
    ],
    [
      'when its folder is replaced by a copy',
      (state) => {
        renameSync(state, `${state}-away`);
        cpSync(`${state}-away`, state, { recursive: true, filter: (name) => !name.endsWith('.sock') });
      },
      /journal\.sqlite was replaced by another file during this run/,
    ],
  ])('stops every send and ends with exit 1 %s', { timeout: LONG_MS }, async (_when, change, why) => {
    const { state, of } = configsOf(1);
    const daemon = run(1, of('steady'));
    await daemon.line(/✓ +holder/);
    change(state);
    await pause(600);
    const sent = await ordersAtVenue(1);
    const { code, err } = await daemon.done;
    expect(err).toMatch(why);
    expect(code).toBe(1);
    expect(await ordersAtVenue(1)).toBe(sent);
  });
});
