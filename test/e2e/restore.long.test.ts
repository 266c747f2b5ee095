import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { markOfTrue } from '../torture/sides.ts';
import { drover, freshDir, start, type Done, type Running } from './cli.ts';
import { resumeAsRefused, sendsIn, unfreezeAll, type Beside } from './restoring.ts';
import { keysOf } from './venue.ts';

const LONG_MS = 100_000;
const folder = freshDir();
const config = join(folder, 'live.yaml');
const TRADES = /✓ +restless/;

let emulator: Running;
let info: EmulatorInfo;

/** Buys a little every time a quote moves, and rests one order. */
const STRATEGY = `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'restless',
  description: 'Rests one order and buys a little on every quote.',
  params: z.strictObject({}),
  data: () => ({ quotes: ['AAPL', 'MSFT', 'KO'] }),
  create: ({ state }) => ({
    onQuote: ({ symbol, price, order }) => {
      if (symbol !== 'KO') order.buy(symbol, { notional: 20 });
      else if (!state.rested) {
        order.limit('KO', { side: 'buy', shares: 1, price: Math.floor(price * 70) / 100 });
        state.rested = true;
      }
    },
  }),
});
`;

beforeAll(async () => {
  emulator = start(['emulator', '--json', '--speed', '20', '--start', '2026-06-15T10:00']);
  info = JSON.parse(await emulator.line(/^\{/)) as EmulatorInfo;
  writeFileSync(join(folder, 'restless.ts'), STRATEGY);
  writeFileSync(
    config,
    `mode: live
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${keysOf(info, 0).user}'
  clock: follow
  controlUrl: ${info.controlUrl}
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 60,
          dayLoss: '500', priceBandBps: 4000, quoteAgeMs: 60000 }
strategies: [{ id: restless, use: ./restless.ts, capital: '8000' }]
`,
  );
}, LONG_MS);

afterAll(async () => {
  emulator.child.kill('SIGTERM');
  await emulator.done;
});

const env = () => {
  const { DROVER_API_KEY, DROVER_API_SECRET } = keysOf(info, 0).env;
  return { DROVER_API_KEY, DROVER_API_SECRET };
};
const beside = (state: string, ...args: string[]): Promise<Done> =>
  drover([...args, '--state', state, '--config', config], env());
const trade = (state: string): Running => start(['run', config, '--live', '--json', '--state', state], env());

async function ordersAtVenue(): Promise<Truth['orders']> {
  const truth = (await (await fetch(`${info.controlUrl}/truth`)).json()) as Truth;
  return truth.orders.filter(({ userAddress }) => userAddress === keysOf(info, 0).user);
}

async function moreOrdersThan(count: number): Promise<void> {
  while ((await ordersAtVenue()).length <= count) await pause(100);
}

async function kill(run: Running): Promise<void> {
  run.child.kill('SIGKILL');
  await run.done;
}

test(
  'the backup of a trading run is restored, accepted and resumed, with no order at the venue twice',
  { timeout: LONG_MS },
  async () => {
    const [original, copy, restored] = ['original', 'copy', 'restored'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const besideRestored: Beside = (...args) => beside(restored, ...args);
    const first = trade(original);
    await first.line(TRADES);
    expect((await beside(original, 'backup', copy)).code).toBe(0);
    await moreOrdersThan((await ordersAtVenue()).length + 3);
    await kill(first);

    expect((await drover(['restore', copy, '--state', restored])).code).toBe(0);
    const second = trade(restored);
    await second.line(/trading is halted: restored from the backup/);
    await pause(3_000);
    const whileHalted = (await ordersAtVenue()).length;
    const refusals = await resumeAsRefused(besideRestored);
    expect(refusals).toMatch(/ledger and venue still differ:|orders at the venue are not in it:/);
    expect((await ordersAtVenue()).length).toBeLessThanOrEqual(whileHalted + 1);
    await unfreezeAll(besideRestored);
    await moreOrdersThan(whileHalted + 3);
    expect((await beside(restored, 'pause', '--reason', 'compare')).code).toBe(0);
    while ((await beside(restored, 'reconcile')).code !== 0) await pause(500);
    second.child.kill('SIGTERM');
    const { code, out } = await second.done;
    expect(JSON.parse(out)).toMatchObject({ orders: { unknown: 0 } });
    expect(code).toBe(0);

    expect((await beside(restored, 'journal', 'verify')).code).toBe(0);
    const marks = (await ordersAtVenue()).map(markOfTrue);
    expect(new Set(marks).size).toBe(marks.length);
    const sends = sendsIn([original, restored]);
    expect(marks.filter((mark) => !sends.includes(mark))).toEqual([]);
    expect(sends.length).toBeGreaterThanOrEqual(marks.length);
  },
);

/** Runs a command and kills it once a file exists; true when it had completed before. */
async function killAt(file: string, run: Running): Promise<boolean> {
  let code: number | null | undefined;
  void run.done.then((done) => (code = done.code));
  while (code === undefined && !existsSync(file)) await pause(1);
  await kill(run);
  return code === 0;
}

test('a kill during a backup or a restore leaves nothing that looks complete, and the original unchanged', async () => {
  const [state, copy, target] = [join(folder, 'original'), join(folder, 'killed'), join(folder, 'target')];
  const backup = ['backup', copy, '--state', state];
  const restore = ['restore', copy, '--state', target];
  for (const [args, place, moments] of [
    [backup, copy, ['', '/journal.sqlite', '/account', '/backup.json']],
    [restore, target, ['', '/journal.sqlite', '/account']],
  ] as const) {
    for (const moment of moments) {
      rmSync(place, { recursive: true, force: true });
      const isComplete = await killAt(`${place}.partial${moment}`, start(args));
      expect(existsSync(place) && existsSync(`${place}.partial`)).toBe(false);
      if (!isComplete && !existsSync(place)) {
        expect(await drover(args)).toMatchObject({
          code: 2,
          err: expect.stringContaining('.partial') as string,
        });
        rmSync(`${place}.partial`, { recursive: true, force: true });
      }
    }
    rmSync(place, { recursive: true, force: true });
    expect((await drover(args)).code).toBe(0);
    for (const journal of [state, place])
      expect((await drover(['journal', 'verify', '--state', journal])).code).toBe(0);
  }
});
