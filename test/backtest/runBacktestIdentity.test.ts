import { expect, test, vi } from 'vitest';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const runIdOf = async () => {
  const { runBacktest } = await import('../../src/backtest/runBacktest.ts');
  const bars = [barsFrom('2026-06-15', [100, 101])];
  return (await runBacktest(plainly({ strategy: strategyOf({}), bars }))).runId;
};

test('the run id changes with the version of the engine', async () => {
  const id = await runIdOf();
  expect(await runIdOf()).toBe(id);
  vi.resetModules();
  vi.doMock('../../src/core/version.ts', () => ({ VERSION: 'another' }));
  expect(await runIdOf()).not.toBe(id);
});
