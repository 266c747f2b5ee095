import { expect, test } from 'vitest';
import smaCross from '../../strategies/sma-cross.ts';
import { Stage } from '../../src/testing/index.ts';

const start = (params: { weight?: number } = {}) =>
  Stage.open(smaCross, {
    params: { symbol: 'AAPL', interval: '5m', fast: 1, slow: 3, ...params },
    prices: { AAPL: 10 },
  });
type SmaStage = Awaited<ReturnType<typeof start>>;

const bars = async (stage: SmaStage, ...closes: number[]) => {
  for (const close of closes) await stage.bars('5m', { AAPL: close });
  await stage.settle();
  return stage.intents();
};
const buy = (weight = 1) => ['target', 'AAPL', { weight }];
const leave = ['target', 'AAPL', { weight: 0 }];

test('sma-cross decides nothing before the slow average exists', async () => {
  expect(await bars(await start(), 10, 9)).toEqual([]);
});

test('sma-cross buys the stock to its weight once the fast average is above the slow one', async () => {
  const stage = await start({ weight: 0.4 });
  expect(await bars(stage, 10, 10, 10.1)).toEqual([buy(0.4)]);
  expect(stage.view.weight('AAPL')).toBeCloseTo(0.4, 3);
});

test('sma-cross does not add to a position, and sells it once the averages are equal', async () => {
  const stage = await start();
  expect(await bars(stage, 10, 10, 10.1)).toEqual([buy()]);
  expect(await bars(stage, 10.2, 10.3)).toEqual([]);
  expect(await bars(stage, 10.3, 10.3)).toEqual([leave]);
  expect(stage.view.position('AAPL')).toBe(0);
});

test('sma-cross knows its position after a restart', async () => {
  const stage = await start();
  await bars(stage, 10, 10, 10.1);
  await stage.restart();
  expect(await bars(stage, 10, 9.9)).toEqual([leave]);
});

test('sma-cross repeats a refused buy with the next bar', async () => {
  const stage = await start();
  stage.refuseNext();
  expect(await bars(stage, 10, 10, 10.1, 10.2)).toEqual([buy(), buy()]);
});

test('sma-cross orders nothing for a falling price without shares or orders', async () => {
  expect(await bars(await start(), 10, 9.9, 9.8, 9.7)).toEqual([]);
});

test('sma-cross has a warm-up that fills its slow average', () => {
  const params = smaCross.params.parse({ symbol: 'AAPL', fast: 1, slow: 3 });
  expect(smaCross.data(params)).toEqual({ bars: [{ symbol: 'AAPL', interval: '1d', warmUp: 3 }] });
});

test('sma-cross refuses a fast average that is not faster', () => {
  expect(() => smaCross.params.parse({ symbol: 'AAPL', fast: 30, slow: 30 })).toThrow(
    'slow must be more than fast',
  );
});
