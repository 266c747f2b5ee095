/** @module-tag heavy */
import { describe, expect, onTestFinished, test } from 'vitest';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { isolatedCode } from '../../../src/app/isolation/isolatedStrategy.ts';
import { barsFrom } from '../../backtest/bars.ts';
import { factsOf } from '../../engine/invariants.ts';
import { MINUTE, SECOND, Stage } from '../../engine/stage.ts';
import { fileWith, isolated, sourceOf } from './isolated.ts';

/** Code that fails after its hook has ended, so late that a runner that does not wait misses it. */
const BUSY = 'for (let at = 0; at < 1e8; at++);';
const FAILURES = [
  ['in a promise', `void Promise.resolve().then(() => { ${BUSY} throw new Error('boom'); });`],
  [
    'after many promises',
    `void (async () => { for (let at = 0; at < 1_000; at++) await null; ${BUSY} throw new Error('boom'); })();`,
  ],
] as const;

const BARS = { bars: [{ symbol: 'X' as const, interval: '1d' as const }] };

async function backtest(hooks: string) {
  const { strategy, close } = await isolatedCode({
    use: fileWith(sourceOf(hooks, '', BARS)),
    folder: '/',
    kept: [],
    params: {},
    print: () => undefined,
    misfit: () => new Error('the parameters do not fit'),
  });
  onTestFinished(close);
  return runBacktest({ strategies: [strategy], bars: [barsFrom('2026-06-15', [1, 1], '1d')], cash: '1000' });
}

describe('a strategy that fails after its last hook', () => {
  test.each(FAILURES)('fails its backtest: %s', async (_, code) => {
    await expect(backtest(`{ onStop() { ${code} } }`)).rejects.toThrow(/outside its hooks: boom/);
  });

  test.each(FAILURES)('is stopped by its own error in a run, not counted as running: %s', async (_, code) => {
    const strategies = [await isolated('tried', sourceOf(`{ onStop() { ${code} } }`))];
    const stage = await new Stage({ more: { strategies } }).play(SECOND);
    const summary = await stage.stop();
    expect(summary.strategies.map(({ state }) => state)).toEqual(['stopped']);
    const kinds = factsOf(stage).map(({ kind }) => kind);
    expect(kinds.indexOf('strategyStopped')).toBeLessThan(kinds.indexOf('ended'));
    expect(stage.alarms).toEqual([expect.stringMatching(/outside its hooks: boom/)]);
  });

  test('is stopped by its own error if an order update after the stop caused it', async () => {
    const hooks = `{
        onStart({ order }) { order.limit('AAPL', { side: 'buy', shares: 1, price: 50 }); },
        onOrder({ update }) { if (update.status === 'cancelled') ${FAILURES[0][1]} },
      }`;
    const strategies = [await isolated('tried', sourceOf(hooks))];
    const stage = await new Stage({ more: { strategies, atStop: 'cancel' } }).play(MINUTE);
    expect(stage.states).toEqual(['working']);
    const summary = await stage.stop();
    expect(stage.states).toEqual(['closed']);
    expect(summary.strategies.map(({ state }) => state)).toEqual(['stopped']);
    expect(factsOf(stage).at(-1)?.kind).toBe('ended');
  });

  test('has its state saved after its promises have run', async () => {
    const hooks = `{ onStop() { void Promise.resolve().then(() => { ${BUSY} state.last = 'kept'; }); } }`;
    const strategies = [await isolated('tried', sourceOf(hooks))];
    const stage = await new Stage({ more: { strategies } }).play(SECOND);
    await stage.stop();
    expect(stage.runner.kernel.context.accountState.states.get('tried')).toEqual({ last: 'kept' });
  });

  test('is stopped by its time limit if its promises never end', async () => {
    const hooks = '{ onStop() { void Promise.resolve().then(() => { for (;;); }); } }';
    const strategies = [await isolated('tried', sourceOf(hooks), { limits: { hookMs: 300 } })];
    const stage = await new Stage({ more: { strategies } }).play(SECOND);
    const summary = await stage.stop();
    expect(summary.strategies.map(({ state }) => state)).toEqual(['stopped']);
    expect(stage.alarms).toEqual([expect.stringMatching(/did not end within 0.3 s/)]);
  });
});
