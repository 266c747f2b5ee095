import * as strategy from '../../../src/strategy/index.ts';
import type { Bar, Candle, Indicator, Pair } from '../../../src/strategy/index.ts';

export type Answer = number | Readonly<Record<string, number>>;

/** Any indicator, as a function of its lengths and widths. */
type Make = (...params: number[]) => Indicator<never, Answer>;

export type Reads = 'values' | 'bars' | 'pairs';

/** An indicator of the package, with its input and lengths that a short series can fill; `widths` are the places of the others. */
export type Listed = Readonly<{
  name: string;
  make: Make;
  reads: Reads;
  params: readonly number[];
  widths?: readonly number[];
}>;

export const INDICATORS: readonly Listed[] = [
  { name: 'sma', make: strategy.sma, reads: 'values', params: [4] },
  { name: 'ema', make: strategy.ema, reads: 'values', params: [4] },
  { name: 'wma', make: strategy.wma, reads: 'values', params: [4] },
  { name: 'rsi', make: strategy.rsi, reads: 'values', params: [4] },
  { name: 'macd', make: strategy.macd, reads: 'values', params: [2, 5, 3] },
  { name: 'bollinger', make: strategy.bollinger, reads: 'values', params: [4, 2], widths: [1] },
  { name: 'standardDeviation', make: strategy.standardDeviation, reads: 'values', params: [4] },
  { name: 'zScore', make: strategy.zScore, reads: 'values', params: [4] },
  { name: 'highest', make: strategy.highest, reads: 'values', params: [4] },
  { name: 'lowest', make: strategy.lowest, reads: 'values', params: [4] },
  { name: 'slope', make: strategy.slope, reads: 'values', params: [4] },
  { name: 'roc', make: strategy.roc, reads: 'values', params: [4] },
  { name: 'atr', make: strategy.atr, reads: 'bars', params: [4] },
  { name: 'adx', make: strategy.adx, reads: 'bars', params: [4] },
  { name: 'stochastic', make: strategy.stochastic, reads: 'bars', params: [4, 2, 3] },
  { name: 'cci', make: strategy.cci, reads: 'bars', params: [4] },
  { name: 'williamsR', make: strategy.williamsR, reads: 'bars', params: [4] },
  { name: 'obv', make: strategy.obv, reads: 'bars', params: [] },
  { name: 'mfi', make: strategy.mfi, reads: 'bars', params: [4] },
  { name: 'vwap', make: strategy.vwap, reads: 'bars', params: [] },
  { name: 'rollingVwap', make: strategy.rollingVwap, reads: 'bars', params: [4] },
  { name: 'donchian', make: strategy.donchian, reads: 'bars', params: [4] },
  { name: 'keltner', make: strategy.keltner, reads: 'bars', params: [4, 2, 3], widths: [1] },
  { name: 'dema', make: strategy.dema, reads: 'values', params: [3] },
  { name: 'tema', make: strategy.tema, reads: 'values', params: [3] },
  { name: 'trix', make: strategy.trix, reads: 'values', params: [3] },
  { name: 'kama', make: strategy.kama, reads: 'values', params: [4, 2, 9] },
  { name: 'hma', make: strategy.hma, reads: 'values', params: [6] },
  { name: 'ppo', make: strategy.ppo, reads: 'values', params: [2, 5, 3] },
  { name: 'momentum', make: strategy.momentum, reads: 'values', params: [4] },
  { name: 'stochRsi', make: strategy.stochRsi, reads: 'values', params: [4, 2, 3] },
  { name: 'percentRank', make: strategy.percentRank, reads: 'values', params: [4] },
  { name: 'trueRange', make: strategy.trueRange, reads: 'bars', params: [] },
  { name: 'natr', make: strategy.natr, reads: 'bars', params: [4] },
  { name: 'parabolicSar', make: strategy.parabolicSar, reads: 'bars', params: [0.02, 0.2], widths: [0, 1] },
  { name: 'supertrend', make: strategy.supertrend, reads: 'bars', params: [4, 2], widths: [1] },
  { name: 'ichimoku', make: strategy.ichimoku, reads: 'bars', params: [2, 4, 7] },
  { name: 'aroon', make: strategy.aroon, reads: 'bars', params: [4] },
  { name: 'heikinAshi', make: strategy.heikinAshi, reads: 'bars', params: [] },
  { name: 'kdj', make: strategy.kdj, reads: 'bars', params: [4, 2, 3] },
  { name: 'ultimateOscillator', make: strategy.ultimateOscillator, reads: 'bars', params: [2, 3, 5] },
  {
    name: 'accumulationDistribution',
    make: strategy.accumulationDistribution,
    reads: 'bars',
    params: [],
  },
  { name: 'cmf', make: strategy.cmf, reads: 'bars', params: [4] },
  { name: 'vwma', make: strategy.vwma, reads: 'bars', params: [4] },
  { name: 'beta', make: strategy.beta, reads: 'pairs', params: [4] },
  { name: 'crossedAbove', make: strategy.crossedAbove, reads: 'pairs', params: [] },
  { name: 'crossedBelow', make: strategy.crossedBelow, reads: 'pairs', params: [] },
];

/** A Wednesday, 09:30 New York. */
const OPEN = Date.parse('2026-07-15T13:30:00Z');
const MINUTE_MS = 60_000;

/** All that indicators of bars read. */
export type TestBar = Candle & Pick<Bar, 'open'>;

/** A bar a minute from the open: high, low, close and volume. Each opens half way between its high and low. */
export const barsOf = (rows: readonly (readonly [number, number, number, number?])[]): TestBar[] =>
  rows.map(([high, low, close, volume = 1], index) => ({
    start: OPEN + index * MINUTE_MS,
    open: (high + low) / 2,
    high,
    low,
    close,
    volume,
  }));

const pairOf = ({ open, close }: TestBar): Pair => ({ value: close, reference: open });

/** What an indicator reads of a bar: itself, its close, or close and open as a pair. */
export const inputOf = (reads: Reads, bar: TestBar): number | TestBar | Pair =>
  reads === 'bars' ? bar : reads === 'pairs' ? pairOf(bar) : bar.close;

/** Bars without moves inside: for indicators that use the typical price. */
export const flatBars = (closes: readonly number[], volumes: readonly number[] = []): TestBar[] =>
  barsOf(closes.map((close, index) => [close, close, close, volumes[index] ?? 1]));

/** The answers to each input, copied. */
export const answersTo = <Input>(indicator: Indicator<Input, Answer>, inputs: readonly Input[]): Answer[] =>
  inputs.map((input) => {
    const answer = indicator.next(input);
    return typeof answer === 'number' ? answer : { ...answer };
  });
