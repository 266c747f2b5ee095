import { expect, test } from 'vitest';
import type { HookContext } from '../../../src/strategy/index.ts';
import type { StageOptions } from '../stage.ts';
import { MINUTE, Stage } from '../stage.ts';
import { give } from '../operator/commands.ts';
import { armed, held, holding, partingOf, price, sells } from './play.ts';

test('a replay keeps strategy state after the end of a held order, as the run did', async () => {
  const build: StageOptions['build'] = {
    solo: (state) => ({
      onStart: ({ order }) => void order.stop('AAPL', { side: 'buy', shares: 1, stop: 104 }),
      onQuote: () => {
        state['quotes'] = Number(state['quotes'] ?? 0) + 1;
      },
    }),
  };
  const stage = await new Stage({ build }).play(MINUTE);
  await give(stage, { kind: 'trade', state: 'reducing', scope: {} });
  await price(stage, '104');
  expect(armed(stage)).toBe(0);
  expect(partingOf(stage, { build })).toBeNull();
});

test('a replay cancels a take-profit when its shares are sold, also when a target is due', async () => {
  const oco = (order: HookContext['order']): void => {
    order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 95 } });
    order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
  };
  const hooks = holding(oco, {
    onQuote: ({ order, price: now }) => {
      if (now !== 105) return;
      order.buy('MSFT', { notional: 100 });
      order.sell('AAPL', { shares: 4 });
      order.target('AAPL', { shares: 5 });
    },
  });
  const stage = await held(oco, hooks);
  await price(stage, '105', MINUTE);
  expect(sells(stage).slice(0, 2)).toEqual(['limit 10 cancelled', 'market 4 working']);
  expect(partingOf(stage, { hooks: { solo: hooks } })).toBeNull();
});
