import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { OperatorCommand } from '../../../src/domain/operator/command.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';
import { AAPL, eventsOf, give, slow } from './commands.ts';

const BUY: OperatorCommand = {
  kind: 'order',
  symbol: AAPL,
  terms: { kind: 'buy', notional: parseCash('100') },
  strategyId: 'solo',
};

test('a halt stops a manual order that waits for its slot', async () => {
  const stage = await new Stage({ as: slow(20 * SECOND) }).play(MINUTE);
  expect(await give(stage, BUY)).toMatchObject({ kind: 'done' });
  expect(stage.states).toEqual(['planned']);
  await give(stage, { kind: 'trade', state: 'halted', scope: {} });
  await stage.pass(MINUTE);
  expect(stage.states).toEqual(['abandoned']);
  expect(stage.venue.sends).toBe(0);
});

test('a repeated command id of an earlier run returns the first answer and is not carried out again', async () => {
  const before = await new Stage().play(MINUTE);
  const answer = await give(before, BUY, 'by-hand-0001');
  await before.pass(10 * SECOND);
  const stage = await new Stage({ after: before }).play(MINUTE);
  expect(await give(stage, BUY, 'by-hand-0001')).toEqual(answer);
  await stage.pass(MINUTE);
  expect(eventsOf(stage, 'operator')).toHaveLength(1);
  expect(stage.orders).toHaveLength(1);
  expect(stage.venue.sends).toBe(1);
});
