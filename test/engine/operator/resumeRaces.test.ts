import { describe, expect, test } from 'vitest';
import type { OperatorAnswer, OperatorCommand } from '../../../src/domain/operator/command.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { AAPL, eventsOf, give, partingOf, progressOf } from './commands.ts';

const halt: OperatorCommand = { kind: 'trade', state: 'halted', scope: {} };
const resume: OperatorCommand = { kind: 'trade', state: 'active', scope: {} };
const options: StageOptions = {
  hooks: { solo: atStart((order) => order.buy('AAPL', { notional: '1000' })) },
};

const HOUR = 60 * MINUTE;
const stateOf = (stage: Stage) => stage.runner.kernel.context.accountState.trading.ofRun?.state ?? 'active';

/** A halted run that holds AAPL. */
async function halted(): Promise<Stage> {
  const stage = await new Stage(options).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  await give(stage, halt);
  await stage.pass(MINUTE);
  return stage;
}

/** Calls `act` while the account read of a resume is pending. */
async function during(stage: Stage, act: () => void): Promise<OperatorAnswer> {
  const resumed = give(stage, resume);
  act();
  await stage.pass(5 * SECOND);
  return resumed;
}

describe('a `resume` that waits for its account read', () => {
  test.each<readonly [string, OperatorCommand]>([
    ['pause', halt],
    ['flatten', { kind: 'flatten', scope: {} }],
  ])('does not undo a later %s of its scope', async (_, command) => {
    const stage = await halted();
    const answer = await during(stage, () => void give(stage, command));
    expect([answer.kind, stateOf(stage)]).toEqual(['refused', 'halted']);
    expect(answer).toMatchObject({ because: 'safety' });
    expect(eventsOf(stage, 'restrictionLifted')).toEqual([]);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('does not lift the halt of a kill file that existed only meanwhile', async () => {
    const stage = await halted();
    const answer = await during(stage, () => {
      stage.runner.heed({ kind: 'killFiles', there: ['/state/KILL'] });
      stage.runner.heed({ kind: 'killFiles', there: [] });
    });
    expect([answer.kind, stateOf(stage)]).toEqual(['refused', 'halted']);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('lifts its scope although another scope was restricted meanwhile', async () => {
    const stage = await halted();
    const scope = { symbol: AAPL };
    const answer = await during(stage, () => void give(stage, { kind: 'trade', state: 'halted', scope }));
    expect([answer.kind, stateOf(stage)]).toEqual(['done', 'active']);
    expect(partingOf(stage, options)).toBeNull();
  });
});

test('an `unfreeze` that waits for its account read does not undo a later freeze', async () => {
  const stage = await new Stage(options).play(10 * SECOND);
  const freeze: OperatorCommand = { kind: 'freeze', symbol: AAPL };
  await give(stage, freeze);
  const first = give(stage, { kind: 'unfreeze', subject: 'aapl' });
  await give(stage, freeze);
  await stage.pass(5 * SECOND);
  expect(await first).toMatchObject({ kind: 'refused', because: 'safety' });
  expect(stage.runner.kernel.context.accountState.frozen.has(AAPL)).toBe(true);
  const second = give(stage, { kind: 'unfreeze', subject: 'aapl' });
  await stage.pass(5 * SECOND);
  expect(await second).toMatchObject({ kind: 'done' });
  expect(partingOf(stage, options)).toBeNull();
});

test("a pause of a flatten's scope stops its sells until a new flatten", async () => {
  const stage = await halted();
  await stage.pass(7 * HOUR);
  await give(stage, { kind: 'flatten', scope: {} });
  await give(stage, halt);
  await stage.pass(20 * HOUR);
  expect(stage.orders.filter(({ terms }) => terms.side === 'sell')).toEqual([]);
  expect(progressOf(stage).left.join()).toContain('trading is halted');
  await give(stage, { kind: 'flatten', scope: {} });
  await stage.pass(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(progressOf(stage)).toMatchObject({ isDone: true, sold: 1, left: [] });
  expect(stage.runner.kernel.context.accountState.commands.flattening.size).toBe(0);
  expect(partingOf(stage, options)).toBeNull();
});
