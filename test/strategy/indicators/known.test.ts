import { describe, expect, test } from 'vitest';
import {
  adx,
  atr,
  bollinger,
  cci,
  donchian,
  ema,
  highest,
  keltner,
  lowest,
  macd,
  mfi,
  obv,
  rollingVwap,
  roc,
  rsi,
  slope,
  standardDeviation,
  stochastic,
  vwap,
  williamsR,
  wma,
  zScore,
  type Candle,
  type Indicator,
} from '../../../src/strategy/index.ts';
import { answersTo, barsOf, flatBars, type Answer } from './catalogue.ts';

const _ = NaN;
const DIGITS = 10;

function expectAnswers(answers: readonly Answer[], known: readonly (number | readonly number[])[]) {
  const numbers = answers.map((answer) => (typeof answer === 'number' ? [answer] : Object.values(answer)));
  const expected = known.map((each) => (typeof each === 'number' ? [each] : each));
  expect(numbers.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
  numbers.flat().forEach((number, index) => {
    const value = expected.flat()[index] ?? 0;
    if (Number.isNaN(value)) expect(number).toBeNaN();
    else expect(number).toBeCloseTo(value, DIGITS);
  });
}

type Of<Input> = readonly [what: string, Indicator<Input, Answer>, Input[], (number | readonly number[])[]];

describe('worked out by hand, of values', () => {
  test.each<Of<number>>([
    ['ema', ema(3), [3, 6, 9, 12, 0], [_, _, 6, 9, 4.5]],
    ['wma', wma(3), [3, 6, 9, 12, 0], [_, _, 42 / 6, 10, 5.5]],
    ['rsi', rsi(2), [10, 12, 11, 11, 14], [_, _, 200 / 3, 200 / 3, 100 - 100 / 15]],
    ['rsi that only rises', rsi(2), [1, 2, 3], [_, _, 100]],
    ['rsi that only falls', rsi(2), [3, 2, 1], [_, _, 0]],
    ['rsi that stands still', rsi(2), [1, 1, 1], [_, _, 50]],
    ['bollinger', bollinger(2, 2), [1, 3, 3], [Array(3).fill(_) as number[], [4, 2, 0], [3, 3, 3]]],
    ['standardDeviation', standardDeviation(4), [2, 4, 4, 6, 4], [_, _, _, Math.SQRT2, Math.sqrt(0.75)]],
    ['zScore', zScore(8), [2, 4, 4, 4, 5, 5, 7, 9], [_, _, _, _, _, _, _, 2]],
    ['zScore of what stands still', zScore(2), [1, 1, 2], [_, _, 1]],
    ['highest', highest(2), [1, 3, 2, 2], [_, 3, 3, 2]],
    ['lowest', lowest(2), [1, 3, 2, 2], [_, 1, 2, 2]],
    ['slope', slope(3), [1, 3, 5, 4], [_, _, 2, 0.5]],
    ['roc', roc(2), [100, 110, 121, 99], [_, _, 21, -10]],
  ])('%s', (...[, indicator, given, known]) => {
    expectAnswers(answersTo(indicator, given), known);
  });

  test('macd', () => {
    // Fast: 1.5, 19/6, 115/18, 403/54. Slow: 7/3, 31/6, 79/12.
    const answers = answersTo(macd(2, 3, 2), [1, 2, 4, 8, 8]);
    const [third, fourth, fifth] = [19 / 6 - 7 / 3, 115 / 18 - 31 / 6, 403 / 54 - 79 / 12];
    const signal = (third + fourth) / 2;
    const after = signal + (2 / 3) * (fifth - signal);
    expectAnswers(answers, [
      [_, _, _],
      [_, _, _],
      [third, _, _],
      [fourth, signal, fourth - signal],
      [fifth, after, fifth - after],
    ]);
  });

  test('the rsi of the example that charts are taught with', () => {
    const closes = [
      44.34, 44.09, 44.15, 43.61, 44.33, 44.83, 45.1, 45.42, 45.84, 46.08, 45.89, 46.03, 45.61, 46.28, 46.28,
      46.0,
    ];
    const [first, second] = answersTo(rsi(14), closes).slice(-2);
    expect(first).toBeCloseTo(70.46, 2);
    expect(second).toBeCloseTo(66.25, 2);
  });
});

const MOVES = barsOf([
  [10, 8, 9],
  [12, 9, 12],
  [13, 11, 12],
  [12, 8, 8],
  [8, 8, 8],
  [8, 8, 8],
]);

describe('worked out by hand, of bars', () => {
  test.each<Of<Candle>>([
    // Ranges: 2, 2, 14 − 10, 13 − 9.
    ['atr', atr(2), barsOf([[10, 8, 9], [11, 9, 10], [14, 12, 13], [13, 9, 9]]), [_, 2, 3, 3.5]], // prettier-ignore
    // Places: none, 100, 75, 0, 0, 50.
    ['stochastic', stochastic(2, 2, 2), MOVES, [[_, _], [_, _], [87.5, _], [37.5, 62.5], [0, 18.75], [25, 12.5]]], // prettier-ignore
    ['williamsR', williamsR(2), MOVES, [_, 0, -25, -100, -100, -50]],
    ['cci', cci(3), flatBars([1, 2, 6, 1, 1, 1]), [_, _, 100, -2 / 0.03, -(5 / 3) / (0.015 * (20 / 9)), 0]],
    ['cci that stands still', cci(6), flatBars([33.3, 33.3, 33.3, 33.3, 33.3, 33.3]), [_, _, _, _, _, 0]],
    ['obv', obv(), flatBars([10, 11, 11, 9], [5, 7, 3, 2]), [0, 7, 7, 5]],
    ['mfi', mfi(2), flatBars([10, 11, 9, 9, 12], [1, 2, 3, 4, 5]), [_, _, 2200 / 49, 0, 100]],
    ['mfi that stands still', mfi(2), flatBars([1, 1, 1]), [_, _, 50]],
    ['rollingVwap', rollingVwap(2), flatBars([10, 20, 30], [1, 3, 1]), [_, 17.5, 22.5]],
    ['rollingVwap without volume', rollingVwap(2), flatBars([10, 20, 30], [0, 0, 1]), [_, _, 30]],
    ['donchian', donchian(2), barsOf([[3, 1, 2], [5, 2, 3], [4, 3, 3]]), [[_, _, _], [5, 3, 1], [5, 3.5, 2]]], // prettier-ignore
    // Ranges: 2, 3, 0.
    ['keltner', keltner(2, 1, 1), barsOf([[10, 8, 9], [12, 10, 11], [11, 11, 11]]), [[_, _, _], [13, 10, 7], [32 / 3, 32 / 3, 32 / 3]]], // prettier-ignore
  ])('%s', (...[, indicator, given, known]) => {
    expectAnswers(answersTo(indicator, given), known);
  });

  test('adx', () => {
    const bars = barsOf([
      [10, 8, 9],
      [12, 9, 11], // up 2, range 3
      [13, 11, 12], // up 1, range 2
      [12, 8, 9], // down 3, range 4
      [12, 10, 11], // neither, range 3
    ]);
    expectAnswers(answersTo(adx(2), bars), [
      [_, _, _],
      [_, _, _],
      [_, 60, 0], // 100
      [200 / 3, 75 / 3.25, 150 / 3.25], // 100 / 3
      [50, 12, 24], // 100 / 3
    ]);
  });

  test('adx of a market that stands still is 0', () => {
    expect(answersTo(adx(1), flatBars([1, 1, 1])).at(-1)).toEqual({ adx: 0, plus: 0, minus: 0 });
  });

  test.each([
    ['summer', '2026-07-15T13:30:00Z'],
    ['winter', '2026-01-14T14:30:00Z'],
  ])('vwap begins anew with each session, pre-market included, in %s', (_season, open) => {
    const bar = (hours: number, close: number, volume: number): Candle => ({
      start: Date.parse(open) + hours * 3_600_000,
      high: close,
      low: close,
      close,
      volume,
    });
    // From pre-market at 04:00 to the last bar after the close, and the next morning.
    const bars = [bar(-5.5, 10, 1), bar(0, 20, 3), bar(6.4, 40, 4), bar(8, 40, 0), bar(18.5, 7, 2)];
    expectAnswers(answersTo(vwap(), bars), [10, 17.5, 28.75, 28.75, 7]);
  });
});
