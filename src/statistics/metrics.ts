import { benchmarkMetrics } from './benchmark.ts';
import { costMetrics } from './costs.ts';
import { drawdownMetrics } from './drawdown.ts';
import { excursionMetrics, durationMetrics, tradeMetrics } from './trades.ts';
import { exposureMetrics } from './exposure.ts';
import { type RunFigures, type StatisticsOptions, isNumber, missing, type Measure } from './figures.ts';
import { lotMetrics, openDays, tradeMetricsFrom, type TradeMetricsFrom } from './lots.ts';
import { ratioMetrics } from './ratios.ts';
import { returnMetrics } from './returns.ts';
import { sampleOf } from './sample.ts';
import { sharpeTests } from './sharpeTests.ts';
import { riskOfRuin } from './simulation.ts';
import { tailMetrics } from './tail.ts';

export type MetricName = keyof ReturnType<typeof measuresOf>;

export type Metrics = Readonly<{
  /** `null` where a metric is undefined. */
  metrics: Readonly<Record<MetricName, number | null>>;
  /** Reasons for undefined metrics. */
  notes: Readonly<Partial<Record<MetricName, string>>>;
  /** Source of the trade metrics. `trades` itself is always the number of round trips. */
  tradeMetricsFrom: TradeMetricsFrom;
}>;

/** All metrics of a run. The same input gives the same digits. */
export function metricsOf(figures: RunFigures, options: StatisticsOptions = {}): Metrics {
  const measures = Object.entries<Measure>(measuresOf(figures, options)).map(
    ([name, measure]) => [name, finite(measure)] as const,
  );
  return {
    metrics: Object.fromEntries(
      measures.map(([name, measure]) => [name, isNumber(measure) ? measure : null]),
    ),
    notes: Object.fromEntries(
      measures.flatMap(([name, measure]) => (isNumber(measure) ? [] : [[name, measure.reason]])),
    ),
    tradeMetricsFrom: tradeMetricsFrom(figures),
  } as Metrics;
}

const finite = (measure: Measure): Measure =>
  isNumber(measure) && !Number.isFinite(measure) ? missing('it exceeds the range of numbers') : measure;

function measuresOf(figures: RunFigures, { seed = 0, ...options }: StatisticsOptions) {
  const sample = sampleOf(figures, options);
  const returns = returnMetrics(figures, sample);
  const { totalReturn, cagr } = returns;
  const exposure = exposureMetrics(figures, sample.marksPerYear);
  const tail = tailMetrics(sample);
  const trading = tradingOf(figures);
  return {
    ...returns,
    ...benchmarkMetrics(sample, { benchmark: figures.benchmark, totalReturn, cagr }),
    ...ratioMetrics(sample, cagr, exposure.exposureTime),
    ...sharpeTests(sample, options.trials),
    ...drawdownMetrics(figures, sample, cagr),
    ...tail,
    riskOfRuin: riskOfRuin(sample, seed),
    trades: figures.trades.length,
    ...lotMetrics(figures),
    ...tradeMetrics(trading, tail.tailRatio),
    ...durationMetrics(trading, tradeMetricsFrom(figures) === 'lots' ? openDays(figures) : []),
    ...excursionMetrics(trading),
    ...exposure,
    ...costMetrics(figures, sample, cagr),
  };
}

/** Input with the trades to which the trade metrics refer: round trips, or closed lots instead. */
export const tradingOf = (figures: RunFigures): RunFigures & Readonly<{ noun?: string }> =>
  tradeMetricsFrom(figures) === 'lots'
    ? { ...figures, trades: figures.lots?.closed ?? [], noun: 'closed lots' }
    : figures;
