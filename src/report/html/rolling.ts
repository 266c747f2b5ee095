import {
  rollingBeta,
  rollingSharpe,
  rollingSortino,
  rollingVolatility,
  type Rolling,
} from '../../statistics/ratios.ts';
import { missing, type Missing } from '../../figures/figure.ts';
import { written, type Format } from '../../figures/format.ts';
import type { Markup } from '../../figures/markup.ts';
import type { RunView } from './runView.ts';
import { sessionChart } from '../../figures/sessionChart.ts';

const WINDOWS = [63, 126] as const;
const STYLES = ['s1', 's2 dashed'];

type Measure = Readonly<{
  id: string;
  title: string;
  unit: string;
  format: Format;
  of: (window: number) => Rolling;
}>;

/** Sharpe and Sortino ratio, volatility and beta over the last 63 and 126 sessions, at each session. */
export function rollingCharts(view: RunView): (Markup | Missing)[] {
  const { sample, benchmark } = view;
  const measures: Measure[] = [
    {
      id: 'rolling-sharpe',
      title: 'Rolling Sharpe ratio',
      unit: 'a year',
      format: 'ratio',
      of: (window) => rollingSharpe(sample, window),
    },
    {
      id: 'rolling-sortino',
      title: 'Rolling Sortino ratio',
      unit: 'a year',
      format: 'ratio',
      of: (window) => rollingSortino(sample, window),
    },
    {
      id: 'rolling-volatility',
      title: 'Rolling volatility',
      unit: 'a year',
      format: 'percent',
      of: (window) => rollingVolatility(sample, window),
    },
  ];
  if (benchmark) {
    const { returns, symbol } = benchmark;
    measures.push({
      id: 'rolling-beta',
      title: `Rolling beta to ${symbol}`,
      unit: 'of its return',
      format: 'ratio',
      of: (window) => rollingBeta(sample, returns, window),
    });
  }
  return [
    ...measures.map((measure) => rollingChart(measure, view)),
    ...(benchmark ? [] : [missing('Rolling beta', 'the run has no benchmark')]),
  ];
}

function rollingChart({ id, title, unit, format, of }: Measure, { dates, mark }: RunView): Markup | Missing {
  const lines = WINDOWS.map((window, index) => ({
    name: `${window} ${mark}s`,
    style: STYLES[index] ?? 's1',
    values: of(window),
  }));
  const known = lines.filter(({ values }) => values.some((value) => value !== null));
  if (known.length === 0)
    return missing(
      title,
      dates.length < WINDOWS[0]
        ? `it needs ${WINDOWS[0]} ${mark}s, but there ${dates.length === 1 ? 'is' : 'are'} ${dates.length}`
        : 'it has no value over any of the windows',
    );
  const last = known.map(
    ({ name, values }) =>
      `${written(
        values.findLast((value) => value !== null),
        format,
      )} over ${name}`,
  );
  return sessionChart({
    id,
    title,
    unit,
    format,
    dates,
    mark,
    lines: known,
    zero: true,
    summary: `At the end ${last.join(', ')}.`,
  });
}
