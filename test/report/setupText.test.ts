import { expect, test } from 'vitest';
import { setupLines } from '../../src/report/setupText.ts';

const model = { fill: 'venue', fees: 'venue', slippage: 'spread:0.5' };

test('the settings list the parameters of each strategy and the bars of each symbol', () => {
  const intervals = { A: ['5m', '1d'], B: ['1d'], C: ['1d'] };
  const params = [{ symbol: 'A', weights: { B: 0.5 } }, {}];
  expect(setupLines({ strategy: 'one, two', params, intervals, model })).toEqual([
    ['params', 'one: symbol A, weights {"B":0.5}'],
    ['', 'two: none'],
    ['bars', 'A 5m and 1d, orders fill by 5m; B, C 1d'],
    ['fill', 'venue, fees venue, slippage spread:0.5'],
  ]);
});

test('the settings list market rules only if they differ from the defaults', () => {
  const unusual = {
    limitFill: 'through',
    ambiguous: 'best',
    volumeCap: 0.1,
    latencyMs: 50,
    delisted: 'zero',
  };
  const usual = { limitFill: 'touch', ambiguous: 'worst', volumeCap: null, latencyMs: 0, delisted: 'last' };
  const told = (more: object) =>
    setupLines({ strategy: 'one', params: {}, intervals: undefined, model: { ...model, ...more } });
  expect(told(usual)).toEqual([['fill', 'venue, fees venue, slippage spread:0.5']]);
  expect(told({ ...usual, volumeCap: 'none', latencyMs: '0' })).toEqual(told(usual));
  expect(told(unusual)).toEqual([
    [
      'fill',
      'venue, fees venue, slippage spread:0.5, limit fill through, ambiguous best, volume cap 0.1, latency ms 50, delisted zero',
    ],
  ]);
});

test('the settings of a run that states none are empty', () => {
  expect(setupLines({ strategy: 'one', params: undefined, intervals: undefined, model: {} })).toEqual([]);
});
