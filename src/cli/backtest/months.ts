import type { BacktestResult } from '../../backtest/result.ts';
import { monthTable } from '../../statistics/periods.ts';
import { sampleOf } from '../../statistics/sample.ts';
import type { coloursOf } from '../table.ts';

type Tones = Pick<ReturnType<typeof coloursOf>, 'bold' | 'green' | 'red'>;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Twelve of them, a year and its total fit into 80 columns. */
const CELL = 5;
const TOTAL = 8;
/** More years are for a report. */
const YEARS_MAX = 15;

/** Returns by month in percent; nothing for less than two months, or more years than fit. */
export function monthLines(
  { equity, marks }: Pick<BacktestResult, 'equity' | 'marks'>,
  tones: Tones,
): string[] {
  const years = monthTable(sampleOf({ startEquity: Number(equity.start), marks }));
  const months = years.flatMap((year) => year.months).filter((value) => value !== null);
  if (months.length < 2 || years.length > YEARS_MAX) return [];
  const head = `%   ${MONTHS.map((name) => name.padStart(CELL)).join('')}${'Year'.padStart(TOTAL)}`;
  return [
    '',
    tones.bold(head),
    ...years.map(
      ({ year, months: own, total }) =>
        `${year}${own.map((value) => cell(value, CELL, tones)).join('')}${cell(total, TOTAL, tones)}`,
    ),
  ];
}

function cell(value: number | null, width: number, { green, red }: Tones): string {
  if (value === null) return ' '.repeat(width);
  const percent = value * 100;
  const text = percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0).padStart(width);
  if (/^ *-?0(\.0)?$/.test(text)) return text.replace('-', ' ');
  return percent < 0 ? red(text) : green(text);
}
