import { type BenchmarkFigures, from, missing, quotient, type Measure } from './figures.ts';
import { betaOf, correlationOf, deviationOf, growthOf, meanOf } from './moments.ts';
import { difference } from './returns.ts';
import { ofReturns, type Sample } from './sample.ts';

/** Returns of buy and hold, one per mark; null if one of its two prices is unknown. */
export function benchmarkReturns({ start, closes }: BenchmarkFigures): (number | null)[] {
  let before: number | null = start;
  return closes.map((close) => {
    const value = close === null || before === null || !(before > 0) ? null : close / before - 1;
    before = close;
    return value;
  });
}

/** Buy and hold over the whole run; the return of a shorter span would not be comparable with the run. */
export function benchmarkReturn({ symbol, start, closes }: BenchmarkFigures): Measure {
  const [first, last] = [closes[0] ?? null, closes.at(-1) ?? null];
  if (first === null) return missing(`${symbol} has no price at the first close of the run`);
  if (last === null) return missing(`${symbol} has no price at the last close of the run`);
  return quotient(last - start, start, 'its first price');
}

/** Returns of the run and the benchmark where both are known. */
type Pairs = Readonly<{ own: readonly number[]; other: readonly number[] }>;

const NONE = missing('the run has no benchmark');

type Figures = Readonly<{ benchmark: BenchmarkFigures | null; totalReturn: Measure; cagr: Measure }>;

export function benchmarkMetrics(sample: Sample, { benchmark, totalReturn, cagr }: Figures) {
  const pairs = benchmark ? pairsOf(sample, benchmark) : null;
  const of = (measure: (pairs: Pairs) => Measure): Measure =>
    pairs ? ofReturns({ returns: pairs.own }, () => measure(pairs)) : NONE;
  const beta = of(({ own, other }) => betaOf(own, other));
  const total = benchmark ? benchmarkReturn(benchmark) : NONE;
  const active = ({ own, other }: Pairs) => own.map((value, index) => value - (other[index] ?? NaN));
  const trackingError = of((both) => deviationOf(active(both)) * Math.sqrt(sample.marksPerYear));
  const correlation = of(({ own, other }) => correlationOf(own, other));
  const [upCapture, downCapture] = [of((both) => capture(both, 1)), of((both) => capture(both, -1))];
  return {
    benchmarkReturn: total,
    excessReturn: difference(totalReturn, total),
    beta,
    alpha: of(({ own, other }) => from(beta, (slope) => alpha(sample, slope, [meanOf(own), meanOf(other)]))),
    correlation,
    rSquared: from(correlation, (value) => value ** 2),
    trackingError,
    informationRatio: of((both) =>
      from(trackingError, (error) =>
        quotient(meanOf(active(both)) * sample.marksPerYear, error, 'the tracking error'),
      ),
    ),
    treynor: from(cagr, (growth) => from(beta, (slope) => quotient(growth - sample.riskFree, slope, 'beta'))),
    upCapture,
    downCapture,
    captureRatio: from(upCapture, (up) =>
      from(downCapture, (down) => quotient(up, down, 'the down capture')),
    ),
  };
}

function pairsOf({ returns }: Sample, benchmark: BenchmarkFigures): Pairs {
  const [own, other]: [number[], number[]] = [[], []];
  const all = benchmarkReturns(benchmark);
  for (const [index, value] of returns.entries()) {
    const its = all[index] ?? null;
    if (its === null) continue;
    own.push(value);
    other.push(its);
  }
  return { own, other };
}

const alpha = (
  { marksPerYear, riskFreeOfMark }: Sample,
  beta: number,
  [own, other]: readonly [number, number],
): number => marksPerYear * (own - riskFreeOfMark - beta * (other - riskFreeOfMark));

/** Capture ratio over the marks at which the benchmark rose (1) or fell (-1). */
function capture({ own, other }: Pairs, sign: 1 | -1): Measure {
  const places = other.flatMap((value, index) => (value * sign > 0 ? [index] : []));
  const mean = (values: readonly number[]) =>
    growthOf(places.map((place) => values[place] ?? NaN)) ** (1 / places.length) - 1;
  if (places.length === 0) return missing(`the benchmark never ${sign === 1 ? 'rose' : 'fell'}`);
  return quotient(mean(own), mean(other), 'the return of the benchmark');
}
