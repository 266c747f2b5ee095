import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import type { RunSummary } from '../../src/engine/summary.ts';
import { drover, freshDir, start, type Running } from './cli.ts';

const LONG_MS = 180_000;

let emulator: Running;
let info: EmulatorInfo;

beforeAll(async () => {
  const args = ['--speed', '60', '--start', '2026-06-15T15:48', '--state', freshDir()];
  emulator = start(['emulator', '--json', ...args]);
  info = JSON.parse(await emulator.line(/^\{/)) as EmulatorInfo;
}, LONG_MS);

afterAll(async () => {
  emulator.child.kill('SIGTERM');
  await emulator.done;
});

const account = () => {
  const [first] = info.accounts;
  if (!first) throw new Error('no account');
  return first;
};
const keyOf = (access: string): Record<string, string> => {
  const key = account().keys.find((each) => each.access === access);
  return { DROVER_API_KEY: key?.apiKey ?? '', DROVER_API_SECRET: key?.secret ?? '' };
};

function configFile(): string {
  const file = join(freshDir(), 'live.yaml');
  writeFileSync(
    file,
    `mode: live
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${account().userAddress}'
  clock: follow
  controlUrl: ${info.controlUrl}
state: ./state
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 20,
          dayLoss: '500', priceBandBps: 200, quoteAgeMs: 60000 }
strategies:
  - { id: mix, use: rebalance, capital: '8000', params: { weights: { MSFT: 0.3, KO: 0.3 }, at: ['15:52', '15:56'] } }
  - { id: plan, use: dca, capital: '2000', params: { symbol: SPY, notional: '300', at: '15:53' } }
`,
  );
  return file;
}

const control = async (path: string, body?: object): Promise<unknown> => {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return (await fetch(`${info.controlUrl}${path}`, init)).json();
};

describe('an emulator in another process', () => {
  test('passes the doctor and shows its balance', { timeout: LONG_MS }, async () => {
    const file = configFile();
    const doctor = await drover(['doctor', file, '--json'], keyOf('WRITABLE'));
    expect(doctor.err + doctor.out).not.toMatch(/"verdict":"fail"/);
    expect(doctor.code).toBe(0);
    const balance = await drover(['balance', '--config', file, '--json'], keyOf('WRITABLE'));
    const truth = (await control('/truth')) as Truth;
    const mine = truth.accounts.find(({ userAddress }) => userAddress === account().userAddress);
    expect(JSON.parse(balance.out)).toMatchObject({ mUsd: mine?.mUsd });
  });

  test('is not traded on without --live', { timeout: LONG_MS }, async () => {
    const { code, err } = await drover(['run', configFile()], keyOf('WRITABLE'));
    expect(code).toBe(4);
    expect(err).toMatch(/--live/);
  });

  test(
    'is traded on to the close; money that others moved is one difference',
    { timeout: LONG_MS },
    async () => {
      const run = start(['run', configFile(), '--live', '--until', 'close', '--json'], keyOf('WRITABLE'));
      await run.line(/plan .*bought/);
      await control('/move', { userAddress: account().userAddress, asset: 'mUSD', amount: '-250' });
      const { code, out, err } = await run.done;
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
