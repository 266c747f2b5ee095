import { expect, test } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import type { StrategyHooks, StrategyState } from '../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from './stage.ts';

test('a strategy keeps its state over a kill although no order went with it', async () => {
  const started: unknown[] = [];
  const build = (state: StrategyState): StrategyHooks => ({
    onStart: () => void started.push(state['price']),
    onQuote: ({ price }) => void (state['price'] = price),
  });
  const data = { quotes: ['AAPL'] };
  const first = await new Stage({ build: { solo: build }, data }).play(MINUTE);
  first.venue.prices.set('AAPL', parseCash('140'));
  await first.pass(30 * SECOND);
  await new Stage({ build: { solo: build }, data, after: first }).play(MINUTE);
  expect(started).toEqual([undefined, 140]);
});
