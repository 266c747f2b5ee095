import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { verifyJournal } from '../../src/store/readJournal.ts';
import { drover, freshDir, start, type Running } from './cli.ts';

const LONG_MS = 120_000;

let emulator: Running;
let info: EmulatorInfo;
const home = freshDir();

// Each test has its own: an order left open at the venue makes a new state folder wait.
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
  const env = { HOME: home, DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret };
  return { env, userAddress: found.userAddress };
};

/** Rests a buy far below the market, and buys a little every time a quote moves. */
const STRATEGY = `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'restless',
  description: 'Rests one order and buys a little on every quote.',
  params: z.strictObject({ boom: z.boolean().default(false) }),
  data: () => ({ quotes: ['AAPL', 'MSFT', 'KO'] }),
  create: ({ params, state }) => ({
    onQuote: ({ symbol, price, order }) => {
      if (params.boom) queueMicrotask(() => { throw new Error('boom of canary-' + 'secret-value'); });
      if (symbol !== 'KO') order.buy(symbol, { notional: 20 });
      else if (!state.rested) {
        order.limit('KO', { side: 'buy', shares: 1, price: Math.floor(price * 70) / 100 });
        state.rested = true;
      }
    },
  }),
});
`;

function configOf(index: number, more = ''): { file: string; state: string } {
  const folder = freshDir();
  writeFileSync(join(folder, 'restless.ts'), STRATEGY);
  const file = join(folder, 'live.yaml');
  writeFileSync(
    file,
    `mode: live
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${account(index).userAddress}'
  clock: follow
  controlUrl: ${info.controlUrl}
state: ./state
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 60,
          dayLoss: '500', priceBandBps: 4000, quoteAgeMs: 60000 }
strategies:
  - { id: restless, use: ./restless.ts, capital: '8000'${more} }
`,
  );
  return { file, state: join(folder, 'state') };
}

const run = (index: number, file: string, state?: string): Running =>
  start(
    ['run', file, '--live', '--json', ...(state === undefined ? [] : ['--state', state])],
    account(index).env,
  );

const reportOf = (out: string): RunReport => JSON.parse(out) as RunReport;
const TRADES = /✓ +restless/;

type Truth = { orders: { txHash: string; userAddress: string }[] };
async function ordersAtVenue(index: number): Promise<number> {
  const truth = (await (await fetch(`${info.controlUrl}/truth`)).json()) as Truth;
  return truth.orders.filter(({ userAddress }) => userAddress === account(index).userAddress).length;
}

describe('a daemon', () => {
  test(
    'keeps a second one from its key and its state folder, and stops in order at SIGHUP',
    { timeout: LONG_MS },
    async () => {
      const { file } = configOf(0);
      const first = run(0, file);
      await first.line(TRADES);
      const sameState = await run(0, file).done;
      const sameKey = await run(0, file, freshDir()).done;
      expect([sameState.code, sameKey.code]).toEqual([4, 4]);
      expect(sameState.err).toMatch(/using the state folder .*: stop it first/);
      expect(sameKey.err).toMatch(/using this API key, held by .* on the state folder .*: stop it first/);
      expect(sameKey.err).not.toContain(account(0).env.DROVER_API_KEY);
      first.child.kill('SIGHUP');
      const { code, out } = await first.done;
      expect(code).toBe(0);
      expect(reportOf(out).stop).toMatchObject({
        why: 'asked to stop by SIGHUP',
        how: 'in order',
        left: { unknown: 0 },
      });
      const next = run(0, file);
      await next.line(TRADES);
      next.child.kill('SIGTERM');
      expect((await next.done).code).toBe(0);
    },
  );

  test(
    'that is killed continues with complete books, and sends nothing twice',
    { timeout: LONG_MS },
    async () => {
      const { file, state } = configOf(1);
      for (let kill = 0; kill < 2; kill++) {
        const killed = run(1, file);
        await killed.line(TRADES);
        killed.child.kill('SIGKILL');
        await killed.done;
      }
      const last = run(1, file);
      await last.line(TRADES);
      last.child.kill('SIGTERM');
      const { code, out } = await last.done;
      const { orders, stop } = reportOf(out);
      expect(orders).toMatchObject({ external: 0 });
      // An order killed at its send may need longer than this test to be proved absent.
      expect(code).toBe(orders.unknown === 0 ? 0 : 1);
      expect(stop.left.orders.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^buy 1 KO at /));
      expect(verifyJournal(join(state, 'journal.sqlite')).epochs).toBe(3);
      const atVenue = await ordersAtVenue(1);
      expect(atVenue).toBeLessThanOrEqual(orders.sent);
      expect(atVenue).toBeGreaterThanOrEqual(
        orders.sent - orders.neverExisted - orders.refused - orders.unknown,
      );
      const shown = await drover(
        ['journal', 'show', '--order', 'restless-1.1', '--config', file],
        account(1).env,
      );
      expect(shown.out).toMatch(
        /request +POST \/api\/v1\/orders\/send\n +timestamp +\d{13}\n +nonce +\S+\n +body +\{"/,
      );
    },
  );

  test(
    'that gets a second stop signal ends at once, with its books written and a report',
    { timeout: LONG_MS },
    async () => {
      const { file, state } = configOf(2);
      const daemon = run(2, file);
      await daemon.line(TRADES);
      emulator.child.kill('SIGSTOP');
      try {
        daemon.child.kill('SIGTERM');
        await pause(100);
        daemon.child.kill('SIGTERM');
        await pause(600);
        expect(daemon.child.exitCode).toBe(null);
        daemon.child.kill('SIGTERM');
        const { code, out } = await daemon.done;
        expect(code).toBe(130);
        expect(reportOf(out).stop).toMatchObject({ how: 'at once' });
      } finally {
        emulator.child.kill('SIGCONT');
      }
      const shown = await drover(['journal', 'show', '--kind', 'ended', '--json', '--state', state], {
        HOME: home,
      });
      expect(JSON.parse(shown.out)).toMatchObject({
        kind: 'ended',
        why: 'told twice to stop',
        how: 'at once',
      });
    },
  );

  test(
    'that was suspended reads everything from the venue before it sends',
    { timeout: LONG_MS },
    async () => {
      const { file } = configOf(0);
      const daemon = run(0, file);
      await daemon.line(TRADES);
      daemon.child.kill('SIGSTOP');
      await pause(7_000);
      daemon.child.kill('SIGCONT');
      await daemon.line(/stood still for \d+ s: nothing is sent until/);
      await daemon.line(TRADES);
      daemon.child.kill('SIGTERM');
      const { code, out } = await daemon.done;
      expect(code).toBe(0);
      expect(reportOf(out).orders).toMatchObject({ unknown: 0 });
    },
  );

  test(
    'whose strategy throws in a timer stops only that strategy, and journals it without secrets',
    { timeout: LONG_MS },
    async () => {
      const { file, state } = configOf(1, ', params: { boom: true }');
      const { env } = account(1);
      const secret = { ...env, DROVER_WALLET_KEY: 'canary-secret-value' };
      const daemon = start(['run', file, '--live', '--json'], secret);
      await daemon.line(/restless .*stopped by its own error: .*outside its hooks: boom of \[redacted\]/);
      daemon.child.kill('SIGTERM');
      const { code, err, out } = await daemon.done;
      expect(code).toBe(1);
      const shown = await drover(
        ['journal', 'show', '--kind', 'strategyStopped', '--json', '--state', state],
        {
          HOME: home,
        },
      );
      expect(shown.out).toMatch(/restless\.ts:\d+:\d+: outside its hooks: boom of \[redacted\]/);
      expect(out + err + shown.out).not.toContain('canary');
    },
  );
});

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const limit = (pid: number | undefined, bytes: string) =>
  spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);

describe('a full disk', () => {
  test.runIf(hasPrlimit)(
    'stops sends and not the daemon, until it can be written again',
    { timeout: LONG_MS },
    async () => {
      const { file, state } = configOf(2);
      const daemon = run(2, file);
      await daemon.line(TRADES);
      limit(daemon.child.pid, '4096');
      await daemon.line(/! .*cannot be written: .*Nothing is sent until that is over/);
      const before = await ordersAtVenue(2);
      await pause(1_000);
      expect(await ordersAtVenue(2)).toBe(before);
      limit(daemon.child.pid, 'unlimited');
      await pause(2_000);
      daemon.child.kill('SIGTERM');
      const { code, out } = await daemon.done;
      expect(code).toBe(0);
      expect(reportOf(out).orders).toMatchObject({ unknown: 0 });
      expect(verifyJournal(join(state, 'journal.sqlite')).seq).toBeGreaterThan(10);
    },
  );

  test.runIf(hasPrlimit)('for too long ends the daemon with exit 1', { timeout: LONG_MS }, async () => {
    const { file, state } = configOf(2);
    mkdirSync(state);
    const daemon = run(2, file);
    await daemon.line(TRADES);
    limit(daemon.child.pid, '4096');
    const { code, err } = await daemon.done;
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be written/);
    const next = run(2, file);
    await next.line(TRADES);
    next.child.kill('SIGTERM');
    expect(reportOf((await next.done).out).orders).toMatchObject({ unknown: 0 });
  });
});
