import type { RunRecord } from '../runRecord.ts';
import { signed, written, type Format } from './format.ts';
import { markup, type Markup } from './markup.ts';

type Figure = Readonly<{ label: string; metric: string; format: Format; isSigned?: boolean }>;

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

/** The figures that are asked for first. */
export function keyFigures({ metrics, notes, totals }: RunRecord): Markup {
  const figures = FIGURES.map(({ label, metric, format, isSigned }) => {
    const value = metrics[metric] ?? null;
    if (value === null) return box(label, 'N/A', notes[metric]);
    return box(label, isSigned ? signed(value, format) : written(value, format));
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
