import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { metricsOf } from '../../../src/statistics/metrics.ts';
import { plainRecord } from './records.ts';

const DAYS = 60;
/** The equity of the run falls while the benchmark rises, by other steps. */
const marks = plainRecord(DAYS).marks.map((mark, day) => ({ ...mark, equity: 1000 - day + (day % 3) }));
const closes = marks.map((_, day) => 50 + day / 2 - (day % 4));

function recorded(benchmark: RunRecord['benchmark']): RunRecord {
  const record = plainRecord(DAYS, { marks, benchmark });
  return { ...record, ...metricsOf({ startEquity: 1000, ...record }) };
}

/** Cells of a metric's row. */
const cellsOf = (page: string, label: string) => {
  const row =
    new RegExp(`<tr[^>]*><th scope="row"><span [^>]*>${label}</span>.*?</tr>`, 's').exec(page)?.[0] ?? '';
  return [...row.matchAll(/<td[^>]*>([^<]*)/g)].map(([, cell]) => cell);
};

test('the metrics of returns are next to those of the held benchmark, by the same formulas', () => {
  const page = pageOf(recorded({ symbol: 'SPY', start: 49, closes }));
  const held = metricsOf({
    startEquity: 1000,
    marks: marks.map(({ date, at }, day) => ({
      date,
      at,
      equity: (1000 * (closes[day] ?? NaN)) / 49,
      positions: {},
    })),
    trades: [],
    fills: [],
    benchmark: null,
  }).metrics;
  const percent = (value: number | null) => `${((value ?? NaN) * 100).toFixed(2).replace('-', '−')}%`;
  expect(cellsOf(page, 'Total return')[1]).toBe(percent(held.totalReturn));
  expect(cellsOf(page, 'Maximum drawdown')[1]).toBe(percent(held.maxDrawdown));
  expect(cellsOf(page, 'Sharpe')[1]).toBe((held.sharpe ?? NaN).toFixed(2).replace('-', '−'));
  expect(cellsOf(page, 'Win rate')).toHaveLength(1);
  expect(page.match(/<th scope="col">SPY<\/th>/g)).toHaveLength(4);
  expect(page).toContain(`<small>SPY +${percent(held.totalReturn)}</small>`);
});

test('a benchmark that does not cover the whole run has no column of metrics', () => {
  const late = { symbol: 'SPY', start: 49, closes: closes.map((close, day) => (day < 3 ? null : close)) };
  for (const benchmark of [null, late]) {
    const page = pageOf(recorded(benchmark));
    expect(cellsOf(page, 'Total return')).toHaveLength(1);
    expect(page).not.toContain('<th scope="col">SPY</th>');
  }
});

test('ten metrics are marked: those at the top of the page, and fees', () => {
  const page = pageOf(recorded(null));
  const main = [...page.matchAll(/<tr class="main"><th scope="row"><span [^>]*>(.*?)<\/span>/g)].map(
    ([, name]) => name,
  );
  expect(main).toEqual([
    'Total return',
    'Growth a year (CAGR)',
    'Volatility a year',
    'Sharpe',
    'Maximum drawdown',
    'Closed trades',
    'Win rate',
    'Profit factor',
    'Sessions with a position',
    'Fees',
  ]);
});
