import { expect, test } from 'vitest';
import { MINUTE, Stage } from '../stage.ts';
import { eventsOf } from '../operator/commands.ts';
import { buys, price } from './play.ts';

test('a stock that only a held order names has its prices journaled, and the replay is the same', async () => {
  const stage = await new Stage({
    build: {
      solo: (state) => ({
        onStart: ({ order }) => {
          if (state['placed'] !== true) order.stop('AAPL', { side: 'buy', shares: 3, stop: 105 });
          state['placed'] = true;
        },
      }),
    },
  }).play(MINUTE);
  const next = await new Stage({ data: { quotes: ['MSFT'] }, after: stage }).play(MINUTE);
  await price(next, '105', MINUTE);
  expect(buys(next)).toEqual(['limit 3 working']);
  const prices = eventsOf(next, 'quotes').flatMap(({ prices: all }) =>
    all.map(([symbol, at]) => `${symbol} ${at}`),
  );
  expect(prices).toContain(`AAPL ${105n * 10n ** 18n}`);
});
