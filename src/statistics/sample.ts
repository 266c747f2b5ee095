import { DAY_MS } from '../core/brand.ts';
import { type MarkFigures, type StatisticsOptions, missing, type Measure } from './figures.ts';

/** Returns of a run, one per mark, with the data to annualise them. */
export type Sample = Readonly<{
  /** Time-weighted: deposits and withdrawals are excluded. */
  returns: readonly number[];
  /** Session date of each return. The start is the open of the first session. */
  dates: readonly string[];
  /** Calendar days from the first date to each. */
  days: readonly number[];
  /** Time from the first date to the last, in years of 365.25 days. */
  years: number;
  marksPerYear: number;
  /** Risk-free rate per year, and per mark. */
  riskFree: number;
  riskFreeOfMark: number;
}>;

const YEAR_DAYS = 365.25;
const MARKS_PER_YEAR = 252;

/** Time from one date, such as `2026-03-09`, to another, in years. */
export const yearsBetween = (first: string, last: string): number => (dayOf(last) - dayOf(first)) / YEAR_DAYS;

/** Minimum number of returns for statements about their distribution. */
export const RETURNS_MIN = 20;

/** Fields of a mark that its return needs. */
type EquityMark = Pick<MarkFigures, 'date' | 'equity' | 'flow' | 'flowEquities'>;

/** Returns of a run, ending with the first mark at which no equity is left and no deposit follows. */
export function sampleOf(
  { startEquity, marks }: Readonly<{ startEquity: number; marks: readonly EquityMark[] }>,
  { riskFree = 0, marksPerYear = MARKS_PER_YEAR }: StatisticsOptions = {},
): Sample {
  const [returns, dates]: [number[], string[]] = [[], []];
  let before = startEquity;
  for (const [index, mark] of marks.entries()) {
    if (before <= 0 && !marks.slice(index).some(({ flow = 0 }) => flow > 0)) break;
    returns.push(growthTo(mark, before) - 1);
    dates.push(mark.date);
    before = mark.equity;
  }
  const first = dayOf(dates[0] ?? '1970-01-01');
  const days = dates.map((date) => dayOf(date) - first);
  return {
    returns,
    dates,
    days,
    years: (days.at(-1) ?? 0) / YEAR_DAYS,
    marksPerYear,
    riskFree,
    riskFreeOfMark: (1 + riskFree) ** (1 / marksPerYear) - 1,
  };
}

/** Growth factor up to a mark, in parts between its flows. A flow with unknown equities counts at the mark. */
function growthTo({ equity, flow = 0, flowEquities = [] }: EquityMark, start: number): number {
  let [growth, base, left] = [1, start, flow];
  for (const { before, after } of flowEquities) {
    if (base > 0) growth *= before / base;
    base = after;
    left -= after - before;
  }
  return base > 0 ? (growth * (equity - left)) / base : growth;
}

/** Days from 1970-01-01 to a date, `YYYY-MM-DD`. */
export const dayOf = (date: string): number =>
  Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / DAY_MS;

/** Metric that requires a sample of at least 20 returns. */
export function ofReturns({ returns }: Pick<Sample, 'returns'>, measure: () => Measure): Measure {
  return returns.length < RETURNS_MIN
    ? missing(`${returns.length} returns, but it needs ${RETURNS_MIN}`)
    : measure();
}
