import { expect, test } from 'vitest';
import smaSignals from '../../strategies/sma-signals.ts';
import { Stage } from '../../src/testing/index.ts';

const start = (params: { weight?: number } = {}) =>
  Stage.open(smaSignals, {
    params: { symbol: 'AAPL', interval: '5m', fast: 1, slow: 3, ...params },
    prices: { AAPL: 10 },
  });
type SmaStage = Awaited<ReturnType<typeof start>>;

const bars = async (stage: SmaStage, ...closes: number[]) => {
  for (const close of closes) await stage.bars('5m', { AAPL: close });
  await stage.settle();
  return stage.intents();
};
const target = (weight: number) => ['rebalance', { AAPL: weight }, { rest: 'keep' }];

test('sma-signals orders nothing before the slow average exists, nor while there is nothing to sell', async () => {
  expect(await bars(await start(), 10, 9)).toEqual([]);
  expect(await bars(await start(), 10, 9.9, 9.8, 9.7)).toEqual([]);
});

test('sma-signals buys to its weight once the fast average is above the slow one, and sells once below', async () => {
  const stage = await start({ weight: 0.4 });
  expect(await bars(stage, 10, 10, 10.1)).toEqual([target(0.4)]);
  expect(stage.view.weight('AAPL')).toBeCloseTo(0.4, 3);
  expect(await bars(stage, 10.2, 10.2, 10.2)).toEqual([]);
  expect(await bars(stage, 10.1)).toEqual([target(0)]);
  expect(stage.view.position('AAPL')).toBe(0);
});

test('sma-signals orders nothing again after a restart, and knows its orders', async () => {
  const stage = await start();
  expect(await bars(stage, 10, 10, 10.1)).toEqual([target(1)]);
  await stage.restart();
  expect(await bars(stage, 10.2)).toEqual([]);
  expect(await bars(stage, 9.9)).toEqual([target(0)]);
});

test('sma-signals repeats a refused order with the next bar', async () => {
  const stage = await start();
  stage.refuseNext();
  expect(await bars(stage, 10, 10, 10.1, 10.2)).toEqual([target(1), target(1)]);
  expect(stage.view.weight('AAPL')).toBeGreaterThan(0.99);
});

test('sma-signals has a warm-up that fills its slow average', () => {
  const params = smaSignals.params.parse({ symbol: 'AAPL', fast: 1, slow: 3 });
  expect(smaSignals.data(params)).toEqual({ bars: [{ symbol: 'AAPL', interval: '1d', warmUp: 3 }] });
});
