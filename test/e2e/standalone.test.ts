import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { drover } from '../cli/support/commandLine.ts';
import { freshDir, start } from './cli.ts';
import { keysOf, startVenue, type Venue } from './venue.ts';

const LONG_MS = 180_000;

let venue: Venue;

beforeAll(async () => {
  venue = await startVenue('2026-06-15T15:54');
}, LONG_MS);

afterAll(() => venue.stop());

function configFile(): string {
  const { info } = venue;
  const file = join(freshDir(), 'live.yaml');
  writeFileSync(
    file,
    `mode: live
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${keysOf(info, 0).user}'
  clock: follow
  controlUrl: ${info.controlUrl}
state: ./state
signing: { allow: [deposits] }
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 20,
          dayLoss: '500', priceBandBps: 200, quoteAgeMs: 60000 }
strategies:
  - { id: mix, use: rebalance, capital: '8000', params: { weights: { MSFT: 0.3, KO: 0.3 }, at: ['15:55', '15:57'] } }
  - { id: plan, use: dca, capital: '2000', params: { symbol: SPY, notional: '300', at: '15:56' } }
`,
  );
  return file;
}

describe('an emulator in another process', () => {
  test('passes the doctor and shows its balance', { timeout: LONG_MS }, async () => {
    const file = configFile();
    const { user, env } = keysOf(venue.info, 0);
    const doctor = await drover(['doctor', file, '--json'], { env });
    expect(doctor.err + doctor.out).not.toMatch(/"verdict":"fail"/);
    expect(doctor.code).toBe(0);
    const balance = await drover(['balance', '--config', file, '--json'], { env });
    const { accounts } = await venue.truth();
    const mine = accounts.find(({ userAddress }) => userAddress === user);
    expect(JSON.parse(balance.out)).toMatchObject({ mUsd: mine?.mUsd });
  });

  test(
    'takes a deposit from one command, and another command waits for it',
    { timeout: LONG_MS },
    async () => {
      const { env } = keysOf(venue.info, 0);
      const more = ['--config', configFile(), '--json'];
      const sent = await drover(['cash', 'deposit', '100', '--yes', '--no-wait', ...more], { env });
      const { txHash } = JSON.parse(sent.out) as { txHash: string };
      const { code, out } = await venue.end(start(['cash', 'show', txHash, '--wait', ...more], env));
      expect([code, JSON.parse(out)]).toMatchObject([0, { txHash, status: 'success', credit: '100' }]);
    },
  );

  test('is not traded on without --live', { timeout: LONG_MS }, async () => {
    const { code, err } = await drover(['run', configFile()], { env: keysOf(venue.info, 0).env });
    expect(code).toBe(4);
    expect(err).toMatch(/--live/);
  });

  test(
    'is traded on to the close; a deposit from outside is one difference',
    { timeout: LONG_MS },
    async () => {
      const { user, env } = keysOf(venue.info, 0);
      const run = start(['run', configFile(), '--live', '--until', 'close', '--json'], env);
      const ended = venue.end(run, /^state /);
      await run.line(/plan .*bought/);
      await venue.control('/move', { userAddress: user, asset: 'mUSD', amount: '-250' });
      const { code, out, err } = await ended;
      expect(err).toMatch(/difference in mUSD/);
      const summary = JSON.parse(out) as RunSummary;
      expect(summary).toMatchObject({
        orders: { unknown: 0, external: 0 },
        reconciliation: { differences: 1 },
      });
      expect(summary.orders.filled).toBeGreaterThanOrEqual(3);
      expect(code).toBe(0);
    },
  );
});
