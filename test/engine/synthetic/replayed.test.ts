import { expect, test } from 'vitest';
import type { StageOptions } from '../stage.ts';
import { MINUTE, Stage } from '../stage.ts';
import { give } from '../operator/commands.ts';
import { armed, partingOf, price } from './play.ts';

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
