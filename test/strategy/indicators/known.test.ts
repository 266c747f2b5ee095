import { describe, expect, test } from 'vitest';
import * as strategy from '../../../src/strategy/index.ts';
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
  type Pair,
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

describe('an indicator of values equals a result worked out on paper', () => {
  test.each<Of<number>>([
    ['ema', ema(3), [3, 6, 9, 12, 0], [_, _, 6, 9, 4.5]],
    ['wma', wma(3), [3, 6, 9, 12, 0], [_, _, 42 / 6, 10, 5.5]],
    ['rsi', rsi(2), [10, 12, 11, 11, 14], [_, _, 200 / 3, 200 / 3, 100 - 100 / 15]],
    ['rsi that only rises', rsi(2), [1, 2, 3], [_, _, 100]],
    ['rsi that only falls', rsi(2), [3, 2, 1], [_, _, 0]],
    ['rsi of constant values', rsi(2), [1, 1, 1], [_, _, 50]],
    ['bollinger', bollinger(2, 2), [1, 3, 3], [Array(3).fill(_) as number[], [4, 2, 0], [3, 3, 3]]],
    ['standardDeviation', standardDeviation(4), [2, 4, 4, 6, 4], [_, _, _, Math.SQRT2, Math.sqrt(0.75)]],
    ['zScore', zScore(8), [2, 4, 4, 4, 5, 5, 7, 9], [_, _, _, _, _, _, _, 2]],
    ['zScore of constant values', zScore(2), [1, 1, 2], [_, _, 1]],
    ['highest', highest(2), [1, 3, 2, 2], [_, 3, 3, 2]],
    ['lowest', lowest(2), [1, 3, 2, 2], [_, 1, 2, 2]],
    ['slope', slope(3), [1, 3, 5, 4], [_, _, 2, 0.5]],
    ['roc', roc(2), [100, 110, 121, 99], [_, _, 21, -10]],
    ['momentum', strategy.momentum(2), [100, 110, 121, 99], [_, _, 21, -11]],
    // e₁: 3, 5, 11 / 3, 65 / 9. e₂: 4, 34 / 9, 164 / 27. e₃: 35 / 9, 433 / 81.
    ['dema', strategy.dema(2), [2, 4, 6, 3, 9], [_, _, 6, 32 / 9, 226 / 27]],
    ['tema', strategy.tema(2), [2, 4, 6, 3, 9], [_, _, _, 32 / 9, 712 / 81]],
    ['trix', strategy.trix(2), [2, 4, 6, 3, 9], [_, _, _, _, 11800 / 315]],
    // Efficiency 1, 0, 1 / 3: pace 1, 1 / 4, 4 / 9.
    ['kama', strategy.kama(2, 1, 3), [1, 2, 3, 2, 4], [_, _, 3, 2.75, 2.75 + 5 / 9]],
    ['kama of constant values', strategy.kama(2, 1, 3), [1, 1, 1], [_, _, 1]],
    // Of 2: 20 / 3, 40 / 3. Of 4: 4.9, 9.8.
    ['hma', strategy.hma(4), [1, 2, 4, 8, 16], [_, _, _, _, (200 / 3 - 24.5) / 3]],
    ['percentRank', strategy.percentRank(3), [1, 3, 2, 2, 0, 5], [_, _, _, 200 / 3, 0, 100]],
    ['stochRsi', strategy.stochRsi(2, 1, 2), [10, 12, 11, 11, 14, 14], [[_, _], [_, _], [_, _], [50, _], [100, 75], [50, 75]]], // prettier-ignore
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

  test('ppo, from the averages of macd', () => {
    const answers = answersTo(strategy.ppo(2, 3, 2), [1, 2, 4, 8, 8]);
    const [third, fourth, fifth] = [500 / 14, 2200 / 93, 9500 / 711];
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

  test('rsi, in the usual textbook example', () => {
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

/** Their money flows are 0, 3, −2 and 0. */
const FLOWS = barsOf([
  [10, 8, 9, 5],
  [12, 8, 12, 3],
  [12, 8, 9, 4],
  [8, 8, 8, 9],
]);

describe('an indicator of bars equals a result worked out on paper', () => {
  test.each<Of<Candle>>([
    // Ranges: 2, 2, 14 − 10, 13 − 9.
    ['atr', atr(2), barsOf([[10, 8, 9], [11, 9, 10], [14, 12, 13], [13, 9, 9]]), [_, 2, 3, 3.5]], // prettier-ignore
    // Places: none, 100, 75, 0, 0, 50.
    ['stochastic', stochastic(2, 2, 2), MOVES, [[_, _], [_, _], [87.5, _], [37.5, 62.5], [0, 18.75], [25, 12.5]]], // prettier-ignore
    ['williamsR', williamsR(2), MOVES, [_, 0, -25, -100, -100, -50]],
    ['cci', cci(3), flatBars([1, 2, 6, 1, 1, 1]), [_, _, 100, -2 / 0.03, -(5 / 3) / (0.015 * (20 / 9)), 0]],
    ['cci of constant prices', cci(6), flatBars([33.3, 33.3, 33.3, 33.3, 33.3, 33.3]), [_, _, _, _, _, 0]],
    ['obv', obv(), flatBars([10, 11, 11, 9], [5, 7, 3, 2]), [0, 7, 7, 5]],
    ['mfi', mfi(2), flatBars([10, 11, 9, 9, 12], [1, 2, 3, 4, 5]), [_, _, 2200 / 49, 0, 100]],
    ['mfi of constant prices', mfi(2), flatBars([1, 1, 1]), [_, _, 50]],
    ['rollingVwap', rollingVwap(2), flatBars([10, 20, 30], [1, 3, 1]), [_, 17.5, 22.5]],
    ['rollingVwap without volume', rollingVwap(2), flatBars([10, 20, 30], [0, 0, 1]), [_, _, 30]],
    ['donchian', donchian(2), barsOf([[3, 1, 2], [5, 2, 3], [4, 3, 3]]), [[_, _, _], [5, 3, 1], [5, 3.5, 2]]], // prettier-ignore
    // Ranges: 2, 3, 0.
    ['keltner', keltner(2, 1, 1), barsOf([[10, 8, 9], [12, 10, 11], [11, 11, 11]]), [[_, _, _], [13, 10, 7], [32 / 3, 32 / 3, 32 / 3]]], // prettier-ignore
    ['trueRange', strategy.trueRange(), barsOf([[10, 8, 9], [11, 9, 10], [14, 12, 13], [13, 9, 9]]), [2, 2, 4, 4]], // prettier-ignore
    ['natr', strategy.natr(2), barsOf([[10, 8, 9], [11, 9, 10], [14, 12, 13], [13, 9, 9]]), [_, 20, 300 / 13, 350 / 9]], // prettier-ignore
    // Places: none, 100, 75, 0, 0, 50, as of stochastic.
    ['kdj', strategy.kdj(2, 2, 2), MOVES, [[_, _, _], [75, 62.5, 100], [75, 68.75, 87.5], [37.5, 53.125, 6.25], [18.75, 35.9375, -15.625], [34.375, 35.15625, 32.8125]]], // prettier-ignore
    // Pressure 3, 1, 0, 0 of ranges 3, 2, 4, 0.
    ['ultimateOscillator', strategy.ultimateOscillator(1, 2, 3), MOVES.slice(0, 5), [_, _, _, 100 / 9, 1300 / 42]], // prettier-ignore
    ['accumulationDistribution', strategy.accumulationDistribution(), FLOWS, [0, 3, 1, 1]],
    ['cmf', strategy.cmf(2), FLOWS, [_, 3 / 8, 1 / 7, -2 / 13]],
    ['cmf without volume', strategy.cmf(1), flatBars([1, 2], [0, 1]), [_, 0]],
    ['vwma', strategy.vwma(2), barsOf([[12, 8, 10, 1], [30, 0, 20, 3], [30, 10, 30, 1]]), [_, 17.5, 22.5]], // prettier-ignore
    ['vwma without volume', strategy.vwma(1), flatBars([1, 2], [0, 1]), [_, 2]],
    ['aroon', strategy.aroon(2), barsOf([[5, 1, 3], [4, 2, 3], [5, 3, 3], [3, 4, 3], [3, 0, 3], [3, 5, 3]]), [[_, _, _], [_, _, _], [100, 0, 100], [50, 0, 50], [0, 100, -100], [100, 50, 50]]], // prettier-ignore
  ])('%s', (...[, indicator, given, known]) => {
    expectAnswers(answersTo(indicator, given), known);
  });

  test('parabolicSar', () => {
    const bars = barsOf([
      [10, 8, 9],
      [12, 9, 10], // rises: from 8 towards 12
      [14, 11, 12], // 8.4; towards 14, at a pace of 0.2
      [13, 7, 8], // below 9, the low before last: turns at 14
      [9, 6, 7], // 13.3 would be below the high before last
      [14, 8, 9], // above 13: turns at 6
    ]);
    expectAnswers(answersTo(strategy.parabolicSar(0.1, 0.2), bars), [_, 8, 8.4, 14, 14, 6]);
  });

  test('parabolicSar, which begins with a rise or a fall, and turns at once if bar 2 touches its stop', () => {
    const of = (high: number, low: number) =>
      answersTo(strategy.parabolicSar(), barsOf([[10, 8, 9], [high, low, 9]])).at(-1); // prettier-ignore
    expect([of(12, 9), of(9, 6), of(11, 6), of(13, 6)]).toEqual([8, 10, 6, 13]);
  });

  test('supertrend', () => {
    const bars = barsOf([
      [10, 8, 9], // 11 and 7
      [12, 10, 12], // 14 and 8: 11 stays, and the close is above it
      [13, 11, 12], // 14 and 10
      [12, 9, 9.5], // 13.5 and 7.5: 10 stays, and the close is below it
    ]);
    expectAnswers(answersTo(strategy.supertrend(1, 1), bars), [
      [11, -1],
      [8, 1],
      [10, 1],
      [13.5, -1],
    ]);
  });

  test('ichimoku', () => {
    const bars = barsOf([[4, 2, 3], [6, 4, 5], [8, 2, 5], [5, 3, 4]]); // prettier-ignore
    expectAnswers(answersTo(strategy.ichimoku(1, 2, 3), bars), [
      [3, _, _, _, _, _],
      [5, 4, _, _, 4.5, _],
      [5, 5, 4.5, _, 5, 5],
      [4, 5, 5, 5, 4.5, 5],
    ]);
  });

  test('heikinAshi', () => {
    const bars = [
      { open: 10, high: 14, low: 8, close: 12 },
      { open: 12, high: 13, low: 12, close: 13 },
      { open: 10, high: 10, low: 9, close: 9 },
    ];
    expectAnswers(answersTo(strategy.heikinAshi(), bars), [
      [11, 14, 8, 11],
      [11, 13, 11, 12.5],
      [11.75, 11.75, 9, 9.5],
    ]);
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

  test('adx, which is 0 in a market without moves', () => {
    expect(answersTo(adx(1), flatBars([1, 1, 1])).at(-1)).toEqual({ adx: 0, plus: 0, minus: 0 });
  });

  test.each([
    ['summer', '2026-07-15T13:30:00Z'],
    ['winter', '2026-01-14T14:30:00Z'],
  ])('vwap, which starts again with each session, pre-market included, in %s', (_season, open) => {
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

const pairsOf = (rows: readonly (readonly [number, number])[]): Pair[] =>
  rows.map(([value, reference]) => ({ value, reference }));
const against2 = (values: readonly number[]) => pairsOf(values.map((value) => [value, 2]));

describe('an indicator of pairs equals a result worked out on paper', () => {
  test.each<Of<Pair>>([
    // Returns 0.2 and 0.1, −0.2 and −0.1, 0.1 and 0, then 0.1 and 0 again.
    ['beta', strategy.beta(2), pairsOf([[10, 100], [12, 110], [9.6, 99], [10.56, 99], [11.616, 99]]), [_, _, 2, 3, _]], // prettier-ignore
    ['crossedAbove', strategy.crossedAbove(), against2([1, 2, 3, 3, 2, 4]), [_, 0, 1, 0, 0, 1]],
    ['crossedBelow', strategy.crossedBelow(), against2([3, 2, 1, NaN, 3, 1]), [_, 0, 1, _, _, 1]],
  ])('%s', (...[, indicator, given, known]) => {
    expectAnswers(answersTo(indicator, given), known);
  });
});
