import { describe, expect, test } from 'vitest';
import type { OnKill } from '../../../src/domain/limits.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { AAPL, eventsOf, give, partingOf, progressOf } from './commands.ts';

const KILL = '/state/KILL';

const holder: StrategyHooks = {
  onStart({ order, view }) {
    if (view.position('AAPL') > 0 || view.orders().length > 0) return;
    order.buy('AAPL', { notional: '1000' });
    order.limit('MSFT', { side: 'buy', shares: 2, price: 40 });
  },
};
const optionsOf = (onKill: OnKill): StageOptions => ({ hooks: { solo: holder }, rules: { onKill } });

/** A stage that holds AAPL and has a resting buy of MSFT, and for which a kill file appears. */
async function killed(onKill: OnKill): Promise<Stage> {
  const stage = await new Stage(optionsOf(onKill)).play(10 * SECOND);
  const row = stage.venue.rows.find(({ order }) => order.symbol === 'AAPL');
  if (row) stage.venue.fill(row);
  await stage.pass(MINUTE);
  stage.killed = true;
  stage.runner.heed({ kind: 'killFiles', there: [KILL] });
  await stage.pass(10 * SECOND);
  return stage;
}

const tradingOf = (stage: Stage) => stage.runner.kernel.context.accountState.trading.ofRun;
const statusesOf = (stage: Stage) => stage.venue.rows.map(({ status }) => status);

describe('a kill file', () => {
  test('halts the run with an alarm, and leaves orders and positions by default', async () => {
    const stage = await killed('leave');
    expect(tradingOf(stage)).toMatchObject({ state: 'halted', cause: 'kill file', by: 'kill file' });
    expect(stage.alarms).toContainEqual(expect.stringContaining(`the kill file ${KILL} exists`));
    expect(statusesOf(stage)).toEqual(['filled', 'open']);
    expect(partingOf(stage, optionsOf('leave'))).toBeNull();
  });

  test('that is removed resumes nothing, in this run and the next', async () => {
    const stage = await killed('leave');
    stage.killed = false;
    stage.runner.heed({ kind: 'killFiles', there: [] });
    await stage.pass(MINUTE);
    expect(tradingOf(stage)).toMatchObject({ state: 'halted' });
    expect(stage.said(/is gone: trading stays halted until `drover resume --reason TEXT`/)).toBe(true);
    const next = await new Stage({ ...optionsOf('leave'), after: stage }).play(MINUTE);
    expect(tradingOf(next)).toMatchObject({ state: 'halted', cause: 'kill file' });
    expect(eventsOf(next, 'restricted')).toHaveLength(1);
    expect(partingOf(next, optionsOf('leave'))).toBeNull();
  });

  test('shows in the state that `cancel`, `reduce` and a partial `resume` return', async () => {
    const stage = await killed('leave');
    const all = {};
    expect(await give(stage, { kind: 'cancel', scope: all })).toMatchObject({ result: { state: 'halted' } });
    expect(await give(stage, { kind: 'trade', state: 'reducing', scope: { symbol: AAPL } })).toMatchObject({
      result: { state: 'halted' },
    });
    stage.killed = false;
    stage.runner.heed({ kind: 'killFiles', there: [] });
    const resumed = give(stage, { kind: 'trade', state: 'active', scope: { symbol: AAPL } });
    await stage.pass(MINUTE);
    expect(await resumed).toMatchObject({ result: { state: 'halted' } });
    expect(stage.said(/trading of AAPL continues/)).toBe(false);
  });

  test('is lifted together with a halt by one `resume`', async () => {
    const stage = await killed('leave');
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    stage.killed = false;
    stage.runner.heed({ kind: 'killFiles', there: [] });
    const resumed = give(stage, { kind: 'trade', state: 'active', scope: {} });
    await stage.pass(MINUTE);
    expect(await resumed).toMatchObject({ result: { state: 'active' } });
    expect(stage.notices.filter(({ text }) => text.includes('continues'))).toHaveLength(1);
  });

  test('with `onKill: cancel` cancels the open orders', async () => {
    const stage = await killed('cancel');
    expect(statusesOf(stage)).toEqual(['filled', 'cancelled']);
    expect(eventsOf(stage, 'operator')).toMatchObject([{ by: 'kill file', command: { kind: 'cancel' } }]);
    expect(eventsOf(stage, 'operator')[0]?.id).toMatch(/^kill-\d+-state-KILL$/);
    expect(partingOf(stage, optionsOf('cancel'))).toBeNull();
  });

  test('with `onKill: flatten` sells everything although the file exists', async () => {
    const stage = await killed('flatten');
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(progressOf(stage)).toMatchObject({ isDone: true, cancelled: 1, sold: 1, left: [] });
    expect(stage.runner.kernel.context.accountState.ledger.held('solo', AAPL)).toBe(0n);
    expect(tradingOf(stage)).toMatchObject({ state: 'halted', cause: 'kill file' });
    expect(partingOf(stage, optionsOf('flatten'))).toBeNull();
  });

  test('that exists at the start halts from the first step', async () => {
    const stage = new Stage(optionsOf('leave'));
    stage.killed = true;
    stage.runner.heed({ kind: 'killFiles', there: [KILL] });
    await stage.play(MINUTE);
    expect([stage.venue.sends, stage.orders]).toEqual([0, []]);
    expect(eventsOf(stage, 'restricted')).toHaveLength(1);
    expect(stage.lines[0]).toContain('epoch');
    expect(partingOf(stage, optionsOf('leave'))).toBeNull();
  });

  test('that still exists at the next start does not flatten again', async () => {
    const stage = await killed('flatten');
    const next = new Stage({ ...optionsOf('flatten'), after: stage });
    next.killed = true;
    next.runner.heed({ kind: 'killFiles', there: [KILL] });
    await next.play(MINUTE);
    expect(eventsOf(next, 'operator')).toHaveLength(1);
    next.venue.fill(next.venue.last);
    await next.pass(MINUTE);
    expect(progressOf(next)).toMatchObject({ isDone: true, sold: 1 });
  });
});
