import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover, freshDir, root, start } from '../e2e/cli.ts';

/** Result of a command that succeeds without any other output. */
async function resultOf(...args: readonly string[]): Promise<unknown> {
  const { code, out, err } = await drover([...args, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

test.concurrent('a backtest runs on bars that were generated', async () => {
  const data = join(freshDir(), 'data');
  const span = ['--from', '2025-01-02', '--to', '2025-07-01'];
  await resultOf('data', 'generate', 'X', ...span, '--data', data);
  const strategy = [
    '--strategy',
    'bench/strategies/bench-sma.ts',
    '--params',
    '{"symbol":"X","interval":"1d"}',
  ];
  const result = await resultOf('backtest', ...strategy, '--interval', '1d', ...span, '--data', data);
  expect(result).toMatchObject({ sessions: 122 });
});

test.concurrent('a day that is killed continues to the close, and its journal verifies and replays', async () => {
  const state = ['--state', join(freshDir(), 'state')];
  const run = () =>
    start(['run', '--start', '2026-06-15T15:25', '--speed', 'max', '--until', 'close', ...state]);
  const killed = run();
  await killed.line(/✓ steady-mix +bought/);
  killed.child.kill('SIGKILL');
  expect((await killed.done).signal).toBe('SIGKILL');
  const { code, out, err } = await run().done;
  expect([code, err.split('\n').filter((line) => !/^(control|dashboard): |^$/.test(line))]).toEqual([0, []]);
  expect(out).toMatch(/books +0 differences/);
  expect(await resultOf('status', ...state)).toMatchObject({});
  expect(await resultOf('journal', 'verify', ...state)).toMatchObject({});
  expect(await resultOf('journal', 'replay', ...state)).toMatchObject({ parting: null });
});

test.concurrent.each(['journal-0.3.0', 'journal-0.5.0', 'journal-0.8.0'])(
  '%s is complete and replays',
  async (name) => {
    const folder = freshDir();
    cpSync(join(root, 'test/fixtures', name), folder, { recursive: true });
    chmodSync(join(folder, 'state'), 0o700);
    const config = ['--config', join(folder, 'config.yaml')];
    await resultOf('journal', 'verify', ...config);
    expect(await resultOf('journal', 'replay', ...config)).toMatchObject({ parting: null });
  },
);
