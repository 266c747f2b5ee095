import { benchmarkMetrics, benchmarkReturns } from '../../statistics/benchmark.ts';
import { drawdownMetrics } from '../../statistics/drawdown.ts';
import {
  isNumber,
  missing,
  type Measure,
  type Missing,
  type RunFigures,
  type StatisticsOptions,
  type TradeFigures,
} from '../../statistics/figures.ts';
import { tradingOf, type MetricName } from '../../statistics/metrics.ts';
import { growthOf, quantileOf, sorted } from '../../statistics/moments.ts';
import { ratioMetrics } from '../../statistics/ratios.ts';
import { cagrOf } from '../../statistics/returns.ts';
import { ofReturns, sampleOf, type Sample } from '../../statistics/sample.ts';
import { tradeMetrics } from '../../statistics/trades.ts';
import { blockLengthOf, drawPlaces, DRAWS, valuesAt, type DrawOptions } from './resampling.ts';

/** Metrics that people look for first, and that can be computed for a resample. */
export const INTERVAL_METRICS = [
  'totalReturn',
  'cagr',
  'volatility',
  'sharpe',
  'sortino',
  'calmar',
  'maxDrawdown',
  'underwaterShare',
  'beta',
  'alpha',
  'winRate',
  'profitFactor',
  'expectancy',
] as const satisfies readonly MetricName[];

type IntervalMetric = (typeof INTERVAL_METRICS)[number];

/** Range from the 5th to the 95th percentile of the resamples, which contains nine in ten. */
export type Interval = Readonly<{ low: number; high: number }>;

/** Percentiles at the ends of an interval. */
const [LOW, HIGH] = [0.05, 0.95];
/** Minimum fraction of resamples in which a metric must be defined. */
const DEFINED_MIN = 0.9;

/**
 * Bootstrap intervals of a run's metrics: its sessions, with those of the benchmark, are drawn in blocks, its trades
 * separately, and every metric is recomputed by its own function. They show how much the metric varies between samples
 * from the same market, not how much selecting the best of many runs has inflated it.
 * Source: Efron and Tibshirani, "An introduction to the bootstrap", 1993, chapter 13 (percentiles), over the stationary
 * bootstrap of Politis and Romano, 1994.
 */
export function metricIntervals(
  figures: RunFigures,
  options: StatisticsOptions,
  { random, draws = DRAWS }: DrawOptions,
): Readonly<Record<IntervalMetric, Interval | Missing>> {
  const sample = sampleOf(figures, options);
  const run: Run = {
    figures,
    sample,
    benchmark: figures.benchmark ? benchmarkReturns(figures.benchmark) : [],
  };
  const trading = tradingOf(figures);
  const sessions = placesFrom(sample.returns, random);
  const trades = placesFrom(
    trading.trades.map(({ pnl }) => pnl),
    random,
  );
  const drawn = new Map<IntervalMetric, Measure[]>(INTERVAL_METRICS.map((name) => [name, []]));
  for (let draw = 0; draw < draws; draw++) {
    const measures: Record<string, Measure> = {
      ...sessionMeasures(run, sessions()),
      ...tradeMetrics({ ...trading, trades: tradesAt(trading.trades, trades()) }, UNKNOWN),
    };
    for (const [name, values] of drawn) values.push(measures[name] ?? UNKNOWN);
  }
  return Object.fromEntries([...drawn].map(([name, values]) => [name, intervalOf(values)])) as Readonly<
    Record<IntervalMetric, Interval | Missing>
  >;
}

const UNKNOWN = missing('a resample has no such metric');

/** Returns a function that draws indexes in blocks, of a length that suits the values. */
function placesFrom(values: readonly number[], random: DrawOptions['random']): () => Int32Array {
  const blockLength = values.length > 1 ? blockLengthOf([Float64Array.from(values)]) : 1;
  const places = new Int32Array(values.length);
  return () => drawPlaces(places, { random, blockLength });
}

const tradesAt = (trades: readonly TradeFigures[], places: Int32Array): TradeFigures[] =>
  Array.from(places).flatMap((place) => trades.slice(place, place + 1));

/** Run with its benchmark returns, null if unknown. */
type Run = Readonly<{ figures: RunFigures; sample: Sample; benchmark: readonly (number | null)[] }>;

function sessionMeasures({ figures, sample, benchmark }: Run, places: Int32Array): Record<string, Measure> {
  const drawn: Sample = { ...sample, returns: valuesAt(sample.returns, places) };
  const totalReturn = ofReturns(drawn, () => growthOf(drawn.returns) - 1);
  const cagr = cagrOf(drawn.returns, drawn);
  const { beta, alpha } = overBenchmark({ sample, benchmark }, places);
  return {
    totalReturn,
    cagr,
    beta,
    alpha,
    ...ratioMetrics(drawn, cagr, UNKNOWN),
    ...drawdownMetrics(figures, drawn, cagr),
  };
}

/** Metrics over the drawn sessions with a known benchmark return. */
function overBenchmark({ sample, benchmark }: Omit<Run, 'figures'>, places: Int32Array) {
  const known = places.filter((place) => typeof benchmark[place] === 'number');
  let value = 1;
  const closes = Array.from(known, (place) => (value *= 1 + (benchmark[place] ?? NaN)));
  const drawn: Sample = { ...sample, returns: valuesAt(sample.returns, known) };
  return benchmarkMetrics(drawn, {
    benchmark: benchmark.length > 0 ? { symbol: 'the benchmark', start: 1, closes } : null,
    totalReturn: UNKNOWN,
    cagr: UNKNOWN,
  });
}

function intervalOf(measures: readonly Measure[]): Interval | Missing {
  const values = measures.filter(isNumber).filter(Number.isFinite);
  if (values.length < measures.length * DEFINED_MIN)
    return measures.find((measure): measure is Missing => !isNumber(measure)) ?? UNKNOWN;
  const ascending = sorted(values);
  return { low: quantileOf(ascending, LOW), high: quantileOf(ascending, HIGH) };
}
