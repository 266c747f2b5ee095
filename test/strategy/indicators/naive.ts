import fc from 'fast-check';
import { expect } from 'vitest';
import type { Candle, Indicator } from '../../../src/strategy/index.ts';
import { answersTo, barsOf, type Answer } from './catalogue.ts';
import { runs } from '../../runs.ts';

const DIGITS = 6;
const price = fc.double({ min: 0.01, max: 1e4, noNaN: true });
export const values = fc.array(price, { minLength: 1, maxLength: 120, size: 'max' });
export const series = fc
  .array(fc.tuple(price, price, price, fc.integer({ min: 1, max: 9 })), {
    minLength: 1,
    maxLength: 120,
    size: 'max',
  })
  .map((rows) =>
    barsOf(rows.map(([a, b, c, volume]) => [Math.max(a, b, c), Math.min(a, b, c), b, volume] as const)),
  );
const lengths = fc.integer({ min: 2, max: 20 });

export const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
export const mean = (all: readonly number[]) => sum(all) / all.length;
export const deviation = (all: readonly number[]) =>
  Math.sqrt(mean(all.map((each) => (each - mean(all)) ** 2)));
export const typical = ({ high, low, close }: Candle) => (high + low + close) / 3;
export const highs = (bars: readonly Candle[]) => Math.max(...bars.map(({ high }) => high));
export const lows = (bars: readonly Candle[]) => Math.min(...bars.map(({ low }) => low));

/** By its closed form: the seed and each later value, every one faded by all that came after it. */
export function faded(all: readonly number[], length: number, weight: number): number {
  const later = all.slice(length);
  const seed = mean(all.slice(0, length)) * (1 - weight) ** later.length;
  return seed + sum(later.map((each, index) => weight * each * (1 - weight) ** (later.length - 1 - index)));
}

export const wilder = (all: readonly number[], length: number) => faded(all, length, 1 / length);

export const changes = (all: readonly number[]) =>
  all.slice(1).map((each, index) => each - (all[index] ?? NaN));

export const ranges = (bars: readonly Candle[]) =>
  bars.map(({ high, low }, index) => {
    const before = bars[index - 1]?.close;
    return before === undefined
      ? high - low
      : Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
  });

export type Case<Input> = readonly [
  name: string,
  make: (length: number) => Indicator<Input, Answer>,
  /** The whole answer after all of `seen`, of which there are enough. */
  naive: (seen: readonly Input[], length: number) => number | readonly number[],
];

export function expectNaive<Input>([, make, naive]: Case<Input>, inputs: fc.Arbitrary<Input[]>): void {
  fc.assert(
    fc.property(lengths, inputs, (length, given) => {
      const indicator = make(length);
      answersTo(indicator, given).forEach((answer, at) => {
        if (at + 1 < indicator.warmUp) return;
        const found = typeof answer === 'number' ? [answer] : Object.values(answer);
        [naive(given.slice(0, at + 1), length)].flat().forEach((expected, place) => {
          if (Number.isNaN(expected)) expect(found[place]).toBeNaN();
          else expect(found[place]).toBeCloseTo(expected, DIGITS);
        });
      });
    }),
    { numRuns: runs(40) },
  );
}
