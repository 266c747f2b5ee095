import { NOTHING } from './measure.ts';
import { covarianceOf, deviationOf, meanOf } from './moments.ts';
import type { Sample } from './sample.ts';

/** One value a mark: of the last `window` returns; null before there are so many, and where it is undefined. */
export type Rolling = readonly (number | null)[];

const roll = (length: number, window: number, of: (from: number, to: number) => number): Rolling =>
  Array.from({ length }, (_, last) => {
    const value = last + 1 < window ? NaN : of(last + 1 - window, last + 1);
    return Number.isFinite(value) ? value : null;
  });

const over = (dividend: number, divisor: number): number => (divisor > NOTHING ? dividend / divisor : NaN);

export const rollingSharpe = (sample: Sample, window: number): Rolling =>
  roll(sample.returns.length, window, (from, to) => {
    const part = sample.returns.slice(from, to);
    return over(meanOf(part) - sample.riskFreeOfMark, deviationOf(part)) * Math.sqrt(sample.marksPerYear);
  });

/** A year. */
export const rollingVolatility = ({ returns, marksPerYear }: Sample, window: number): Rolling =>
  roll(returns.length, window, (from, to) => deviationOf(returns.slice(from, to)) * Math.sqrt(marksPerYear));

/** @param benchmark its returns, one a mark; null where there is none, and so is every window with it */
export const rollingBeta = (
  { returns }: Pick<Sample, 'returns'>,
  benchmark: readonly (number | null)[],
  window: number,
): Rolling =>
  roll(returns.length, window, (from, to) => {
    const part = benchmark.slice(from, to).map((value) => value ?? NaN);
    return over(covarianceOf(returns.slice(from, to), part), covarianceOf(part, part));
  });
