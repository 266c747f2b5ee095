import { expect, test } from 'vitest';
import dca from '../../strategies/dca.ts';
import { Stage } from '../../src/testing/index.ts';

const start = (params: { cap?: number | string } = {}) =>
  Stage.open(dca, {
    params: { symbol: 'AAPL', notional: '100', ...params },
    prices: { AAPL: 50 },
    start: '2026-06-15T09:55',
  });
const nextBuy = async (stage: Awaited<ReturnType<typeof start>>) => {
  await stage.to('10:01');
  return stage.intents();
};
const buy = ['buy', 'AAPL', { notional: '100', outside: 'refuse' }];

test('dca has one timer, at 10:00 by default', () => {
  const params = dca.params.parse({ symbol: 'AAPL', notional: '100' });
  expect(dca.data(params).timers).toEqual([{ name: 'buy', at: '10:00' }]);
});

test('dca buys the exact amount once a session', async () => {
  const stage = await start();
  expect(await nextBuy(stage)).toEqual([buy]);
  await stage.restart();
  await stage.pass({ minutes: 5 });
  expect(stage.intents(), 'not again after a restart').toEqual([]);
  expect(stage.fills).toMatchObject([{ shares: 2, price: 50 }]);
  expect(await nextBuy(stage)).toEqual([buy]);
});

test('dca makes a buy that a restart delayed later in the session', async () => {
  const stage = await start();
  await stage.to('10:00');
  stage.intents();
  await stage.restart();
  await stage.settle();
  expect(stage.fills.length + stage.view.orders().length).toBe(1);
});

test('dca does not repeat a refused buy in its session, nor count it against the cap', async () => {
  const stage = await start({ cap: 100 });
  stage.refuseNext();
  expect(await nextBuy(stage)).toEqual([buy]);
  await stage.pass({ minutes: 5 });
  expect([stage.intents(), stage.fills]).toEqual([[], []]);
  expect(await nextBuy(stage)).toEqual([buy]);
});

test('dca keeps its cap over restarts', async () => {
  const stage = await start({ cap: '200' });
  expect(await nextBuy(stage)).toEqual([buy]);
  await stage.settle();
  await stage.restart();
  expect(await nextBuy(stage)).toEqual([buy]);
  expect(await nextBuy(stage)).toEqual([]);
});
