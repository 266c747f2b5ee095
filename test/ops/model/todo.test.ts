import { expect, test } from 'vitest';
import { parsePrice } from '../../../src/core/amount.ts';
import type { DrawdownLimit } from '../../../src/domain/limits.ts';
import { todoOf } from '../../../src/ops/model/todo.ts';
import { atStart, MINUTE, SECOND, Stage } from '../../engine/stage.ts';

test('the to-do list resumes just the strategy that its drawdown has stopped, and speaks of no file', async () => {
  const drawdown: DrawdownLimit = { percent: 1, action: 'reduce' };
  const stage = await new Stage({
    hooks: { solo: atStart((order) => order.buy('AAPL', { notional: 9_000 })) },
    ownLimits: { drawdown },
  }).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', parsePrice('95'));
  await stage.pass(MINUTE);
  const { context } = stage.runner.kernel;
  expect(todoOf({ context, isRunning: true, differences: [], alarms: [], flags: '' })).toMatchObject([
    {
      text: expect.stringMatching(
        /^trading of strategy solo is reducing by drawdown limit: .*\(drawdown\.percent\)$/,
      ),
      command: 'drover resume --strategy solo --reason TEXT',
      action: { body: { state: 'active', strategy: 'solo' } },
    },
  ]);
});
