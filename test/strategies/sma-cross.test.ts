import { expect, test } from 'vitest';
import smaCross from '../../strategies/sma-cross.ts';
import { Stage } from './harness.ts';

const start = (params: { weight?: number } = {}) =>
  new Stage(smaCross, { symbol: 'AAPL', fast: 1, slow: 3, ...params });
const bars = (stage: ReturnType<typeof start>, ...closes: number[]) => {
  for (const close of closes) stage.bar('AAPL', close);
  return stage.heard();
};
const buy = (weight = 1) => ['target', 'AAPL', { weight }];
const leave = ['target', 'AAPL', { weight: 0 }];

test('nothing is decided before the slow average exists, shares held from before included', () => {
  const stage = start();
  stage.holdings.set('AAPL', { shares: 5, cost: 12 });

  expect(bars(stage, 10, 9)).toEqual([]);
  expect(bars(stage, 8)).toEqual([leave]);
});

test('the stock is bought to its weight once the fast average is above the slow one', () => {
  expect(bars(start({ weight: 0.4 }), 10, 10, 11)).toEqual([buy(0.4)]);
});

test('equal averages are not a reason to hold', () => {
  const stage = start();
  expect(bars(stage, 10, 10, 10)).toEqual([]);
  stage.holdings.set('AAPL', { shares: 5, cost: 10 });
  expect(bars(stage, 10)).toEqual([leave]);
});

test('a position is not topped up with each bar', () => {
  const stage = start();
  stage.holdings.set('AAPL', { shares: 5, cost: 10 });
  expect(bars(stage, 10, 11, 12, 13)).toEqual([]);
});

test('a buy that was refused is wished for again with the next bar', () => {
  expect(bars(start(), 10, 10, 11, 12)).toEqual([buy(), buy()]);
});

test('with neither shares nor orders, a falling price asks for nothing', () => {
  expect(bars(start(), 10, 9, 8, 7)).toEqual([]);
});

test('its data are bars that fill the slow average before it starts', () => {
  const { params } = start();
  expect(smaCross.data(params)).toEqual({ bars: [{ symbol: 'AAPL', interval: '1d', warmUp: 3 }] });
});

test('a fast average that is not faster is refused', () => {
  expect(() => smaCross.params.parse({ symbol: 'AAPL', fast: 30, slow: 30 })).toThrow(
    'slow must be more than fast',
  );
});
