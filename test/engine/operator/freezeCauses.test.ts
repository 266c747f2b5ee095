import { expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../../src/core/amount.ts';
import type { OperatorCommand } from '../../../src/domain/operator/command.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { atStart, SECOND, Stage, type StageOptions } from '../stage.ts';
import { AAPL, entriesOf, eventsOf, give, partingOf } from './commands.ts';

const freeze: OperatorCommand = { kind: 'freeze', symbol: AAPL };
const unfreeze: OperatorCommand = { kind: 'unfreeze', subject: 'aapl' };
const options: StageOptions = {
  data: { quotes: ['AAPL'] },
  hooks: { solo: atStart((order) => order.buy('AAPL', { notional: '1000' })) },
};

const stateOf = (stage: Stage) => stage.runner.kernel.context.accountState;

/** The venue settles the latest order by values that cannot be: 6.67 shares at 150, while 100 is quoted. */
function settleOddly(stage: Stage): void {
  const row = stage.venue.last;
  stage.venue.fill(row);
  if (row.settlement)
    row.settlement = { ...row.settlement, price: parsePrice('150'), receive: parseShares('6.67') };
  stage.venue.holdings.set(AAPL, parseShares('6.67'));
}

/** Gives a command, calls `act` before its account read, and returns the answer. */
async function during(stage: Stage, command: OperatorCommand, act: () => void) {
  const answer = give(stage, command);
  act();
  await stage.pass(5 * SECOND);
  return answer;
}

test('a contradiction about a frozen stock adds a cause, and an unfreeze names and ends all causes', async () => {
  const stage = await new Stage(options).play(10 * SECOND);
  await give(stage, freeze);
  settleOddly(stage);
  await stage.pass(20 * SECOND);
  const why = stateOf(stage).frozen.get(AAPL) ?? '';
  expect(why).toMatch(/^a holiday \(ann\); also: order solo-1\.1: its settlement cannot be/);
  expect(stage.alarms.filter((text) => text.includes('its settlement cannot be'))).toHaveLength(1);
  const answer = await during(stage, unfreeze, () => undefined);
  expect(answer).toMatchObject({ kind: 'done', result: { why } });
  expect(answer.text).toMatch(/it was: a holiday \(ann\); also: settlement of order solo-1\.1/);
  await stage.pass(20 * SECOND);
  expect([stateOf(stage).frozen.size, stage.states]).toEqual([0, ['closed']]);
  expect(partingOf(stage, options)).toBeNull();
});

test('an unfreeze does not end a cause that came after it', async () => {
  const stage = await new Stage(options).play(10 * SECOND);
  await give(stage, freeze);
  const answer = await during(stage, unfreeze, () => settleOddly(stage));
  expect(answer).toMatchObject({ kind: 'refused', because: 'safety' });
  expect(answer.text).toMatch(/^AAPL stays frozen: it was frozen after this command: order solo-1\.1/);
  expect(eventsOf(stage, 'released')).toEqual([]);
  expect(stateOf(stage).frozen.get(AAPL)).toMatch(/a holiday .* also: order solo-1\.1/);
  expect(partingOf(stage, options)).toBeNull();
});

test('a repeated cause of a freeze is not added again, and a stock keeps at most ten', async () => {
  const stage = await new Stage(options).play(10 * SECOND);
  const { context } = stage.runner.kernel;
  for (const [why, shown] of [
    ['one', 'x'],
    ['two', 'x'],
    ['one', 'y'],
  ])
    context.freeze(AAPL, why ?? '', { shown });
  expect(stateOf(stage).frozen.get(AAPL)).toBe('one');
  for (let number = 0; number < 100; number++) context.freeze(AAPL, `cause ${number}`);
  expect(stateOf(stage).freezes.causes(AAPL)).toHaveLength(10);
});

test('a journal of 0.7.0 or older, which kept only the first cause of a freeze, replays the same', async () => {
  const stage = await new Stage(options).play(10 * SECOND);
  await give(stage, freeze);
  const row = stage.venue.last;
  stage.venue.fill(row);
  if (row.settlement) row.settlement = { ...row.settlement, pay: (row.settlement.pay * 1015n) / 1000n };
  await stage.pass(20 * SECOND);
  const entries = entriesOf(stage);
  const further = entries.filter(({ fact }) => fact.kind === 'frozen')[1];
  expect(entries[entries.findIndex((entry) => entry === further) - 1]?.fact.kind).toBe('order');
  const { calendar, rules, strategies } = new Stage(options).options;
  const createKernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
  expect(replay(entries, createKernel).parting).toBeNull();
  const firstAlone = entries.filter((entry) => entry !== further);
  expect(replay(firstAlone, createKernel).parting).toBeNull();
});
