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

/** Ten metrics that matter most: those at the top of the page. */
export const KEY_METRICS: ReadonlySet<string> = new Set<MetricName>([
  ...FIGURES.map(({ metric }) => metric),
  'trades',
  'fees',
]);

/** The most important figures, beside those of holding the benchmark. */
export function keyFigures({ record: { metrics, notes, totals }, benchmark }: RunView): Markup {
  const figures = FIGURES.map(({ label, metric, format, isSigned }) => {
    const [value, held] = [metrics[metric] ?? null, benchmark?.metrics?.[metric] ?? null];
    if (value === null) return box(label, 'N/A', notes[metric]);
    const text = (of: number) => (isSigned ? signed(of, format) : written(of, format));
    return box(label, text(value), held === null ? undefined : `${benchmark?.symbol ?? ''} ${text(held)}`);
  });
  return markup`<dl class="kpis">${[
    box('Profit, mUSD', signed(Number(totals.pnl), 'money'), paidText(totals)),
    ...figures,
    box('Closed trades', written(totals.trades, 'round')),
  ]}</dl>`;
}

const paidText = ({ fees, slippage }: RunRecord['totals']): string =>
  slippage === undefined
    ? `${written(Number(fees), 'money')} fees paid`
    : `${written(Number(fees), 'money')} fees and ${written(Number(slippage), 'money')} slippage paid`;

const box = (label: string, value: string, small?: string): Markup =>
  markup`<div><dt>${label}</dt><dd>${value}${small === undefined ? null : markup`<small>${small}</small>`}</dd></div>`;
