import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../../ops/control/daemonRun.ts';
import { drover } from '../../support/commandLine.ts';

const env = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'drover-')) };

test('flatten shows its sales, sells what a strategy holds, waits for the end and leaves it halted', async () => {
  const daemon = await startDaemon({ env, flags: ['--start', '2026-06-15T09:34', '--speed', '60'] });
  const run = (...argv: string[]) => drover([...argv, '--state', daemon.stateDir], { env });
  const held = async () => (await daemon.client.status()).strategies[0]?.positions.length;
  try {
    await expect.poll(held, { timeout: 20_000, interval: 100 }).toBe(1);
    const { code, out, err } = await run('flatten', '--yes', '--json', '--reason', 'enough');
    expect(err).toMatch(/^Flatten everything and leave it halted\n {2}sell {2}0\.\d+ SPY of steady, worth/);
    expect([code, JSON.parse(out)]).toEqual([0, { state: 'halted', cancelled: 0, sold: 1, left: [] }]);
    expect(await held()).toBe(0);
    expect((await daemon.client.status()).state).toMatchObject({ trading: 'halted', reason: 'enough' });
  } finally {
    expect((await daemon.stop()).out).toContain('0 differences');
  }
}, 40_000);

test('flatten says beforehand which stock is frozen, and names it as left over', async () => {
  const daemon = await startDaemon({ env, flags: ['--start', '2026-06-15T09:34', '--speed', '60'] });
  const run = (...argv: string[]) => drover([...argv, '--state', daemon.stateDir], { env });
  const held = async () => (await daemon.client.status()).strategies[0]?.positions.length;
  try {
    await expect.poll(held, { timeout: 20_000, interval: 100 }).toBe(1);
    await run('freeze', 'SPY', '--yes', '--reason', 'a look');
    const { code, out, err } = await run(
      'flatten',
      '--yes',
      '--json',
      '--timeout',
      '1',
      '--reason',
      'enough',
    );
    expect(err).toMatch(
      /sell {2}0\.\d+ SPY of steady, worth [\d.]+ mUSD; it waits while SPY is frozen: a look/,
    );
    const { sold, left } = JSON.parse(out) as { sold: number; left: string[] };
    expect([code, sold, left]).toEqual([
      1,
      0,
      [expect.stringContaining('SPY of steady: it is frozen: a look')],
    ]);
  } finally {
    await daemon.stop();
  }
}, 40_000);
