import type { MetricName } from '../../statistics/metrics.ts';
import type { RunRecord } from '../runRecord.ts';
import { signed, written, type Format } from '../../figures/format.ts';
import { markup, type Markup } from '../../figures/markup.ts';
import type { RunView } from './runView.ts';

type Figure = Readonly<{ label: string; metric: MetricName; format: Format; isSigned?: boolean }>;

const FIGURES: readonly Figure[] = [
  { label: 'Total return', metric: 'totalReturn', format: 'percent', isSigned: true },
  { label: 'CAGR', metric: 'cagr', format: 'percent', isSigned: true },
  { label: 'Sharpe ratio', metric: 'sharpe', format: 'ratio' },
  { label: 'Maximum drawdown', metric: 'maxDrawdown', format: 'percent' },
  { label: 'Volatility', metric: 'volatility', format: 'percent' },
  { label: 'Exposure time', metric: 'exposureTime', format: 'percent0' },
  { label: 'Win rate', metric: 'winRate', format: 'percent1' },
  { label: 'Profit factor', metric: 'profitFactor', format: 'ratio' },
];

/** The ten most important metrics, shown at the top of the page. */
export const KEY_METRICS: ReadonlySet<string> = new Set<MetricName>([
  ...FIGURES.map(({ metric }) => metric),
  'trades',
  'fees',
]);

/** Figure that people look for first. `small`: text below it. */
export type KeyFigure = Readonly<{ label: string; text: string; small?: string | undefined }>;

/** Most important figures, next to those of holding the benchmark. */
export function keyFigures({ record: { metrics, notes, totals }, benchmark }: RunView): KeyFigure[] {
  const figures = FIGURES.map(({ label, metric, format, isSigned }): KeyFigure => {
    const [value, held] = [metrics[metric] ?? null, benchmark?.metrics?.[metric] ?? null];
    if (value === null) return { label, text: 'N/A', small: notes[metric] };
    const text = (of: number) => (isSigned ? signed(of, format) : written(of, format));
    const small = held === null ? undefined : `${benchmark?.symbol ?? ''} ${text(held)}`;
    return { label, text: text(value), small };
  });
  return [
    { label: 'Profit, mUSD', text: signed(Number(totals.pnl), 'money'), small: paidText(totals) },
    ...figures,
    { label: 'Closed trades', text: written(totals.trades, 'round') },
  ];
}

const paidText = ({ fees, slippage }: RunRecord['totals']): string =>
  slippage === undefined
    ? `${written(Number(fees), 'money')} fees paid`
    : `${written(Number(fees), 'money')} fees and ${written(Number(slippage), 'money')} slippage paid`;

/** Boxes with the most important figures. */
export const keyFigureBoxes = (view: RunView): Markup =>
  markup`<dl class="kpis">${keyFigures(view).map(
    ({ label, text, small }) =>
      markup`<div><dt>${label}</dt><dd>${text}${small === undefined ? null : markup`<small>${small}</small>`}</dd></div>`,
  )}</dl>`;
