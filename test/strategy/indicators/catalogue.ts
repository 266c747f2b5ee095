import * as strategy from '../../../src/strategy/index.ts';
import type { Candle, Indicator } from '../../../src/strategy/index.ts';

export type Answer = number | Readonly<Record<string, number>>;

/** Any indicator, as a function of its lengths and widths. */
type Make = (...params: number[]) => Indicator<never, Answer>;

/** All of the package, with what each reads and lengths that a short series can fill. */
export const INDICATORS: readonly Readonly<{
  name: string;
  make: Make;
  reads: 'values' | 'bars';
  params: readonly number[];
}>[] = [
  { name: 'sma', make: strategy.sma, reads: 'values', params: [4] },
  { name: 'ema', make: strategy.ema, reads: 'values', params: [4] },
  { name: 'wma', make: strategy.wma, reads: 'values', params: [4] },
  { name: 'rsi', make: strategy.rsi, reads: 'values', params: [4] },
  { name: 'macd', make: strategy.macd, reads: 'values', params: [2, 5, 3] },
  { name: 'bollinger', make: strategy.bollinger, reads: 'values', params: [4, 2] },
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
  { name: 'keltner', make: strategy.keltner, reads: 'bars', params: [4, 2, 3] },
];

/** A Wednesday, 09:30 New York. */
const OPEN = Date.parse('2026-07-15T13:30:00Z');
const MINUTE_MS = 60_000;

/** A bar a minute from the open: high, low, close and volume. */
export const barsOf = (rows: readonly (readonly [number, number, number, number?])[]): Candle[] =>
  rows.map(([high, low, close, volume = 1], index) => ({
    start: OPEN + index * MINUTE_MS,
    high,
    low,
    close,
    volume,
  }));

/** Bars that do not move inside: for what reads the typical price. */
export const flatBars = (closes: readonly number[], volumes: readonly number[] = []): Candle[] =>
  barsOf(closes.map((close, index) => [close, close, close, volumes[index] ?? 1]));

/** The answers to each input, copied. */
export const answersTo = <Input>(indicator: Indicator<Input, Answer>, inputs: readonly Input[]): Answer[] =>
  inputs.map((input) => {
    const answer = indicator.next(input);
    return typeof answer === 'number' ? answer : { ...answer };
  });
