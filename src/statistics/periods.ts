import { DAY_MS } from '../core/brand.ts';
import { dayOf, type Sample } from './sample.ts';

export type Period = 'week' | 'month' | 'quarter' | 'year';

/** Return of one period, named as `2026`, `2026-Q2`, `2026-05` or, for a week, the date of its Monday. */
export type PeriodReturn = Readonly<{ name: string; value: number }>;

type PeriodNames = Readonly<{
  keyOf: (date: string) => string | number;
  nameOf: (key: string | number) => string;
}>;

/** 1970-01-01 was a Thursday. */
const MONDAYS_BEFORE = 3;

const NAMING: Readonly<Record<Period, PeriodNames>> = {
  week: {
    keyOf: (date) => Math.floor((dayOf(date) + MONDAYS_BEFORE) / 7),
    nameOf: (week) => new Date((Number(week) * 7 - MONDAYS_BEFORE) * DAY_MS).toISOString().slice(0, 10),
  },
  month: { keyOf: (date) => date.slice(0, 7), nameOf: String },
  quarter: {
    keyOf: (date) => `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`,
    nameOf: String,
  },
  year: { keyOf: (date) => date.slice(0, 4), nameOf: String },
};

/** Returns by calendar period, oldest first; the first and last periods may be partial. */
export function periodReturns(
  { returns, dates }: Pick<Sample, 'returns' | 'dates'>,
  period: Period,
): PeriodReturn[] {
  const { keyOf, nameOf } = NAMING[period];
  const growths: { key: string | number; growth: number }[] = [];
  for (let index = 0; index < dates.length; index++) {
    const key = keyOf(dates[index] ?? '');
    const latest = growths.at(-1);
    if (latest?.key === key) latest.growth *= 1 + (returns[index] ?? 0);
    else growths.push({ key, growth: 1 + (returns[index] ?? 0) });
  }
  return growths.map(({ key, growth }) => ({ name: nameOf(key), value: growth - 1 }));
}

/** Year in a table of monthly returns. `months` are January to December, `null` where the run has no marks. */
export type YearOfMonths = Readonly<{ year: string; months: readonly (number | null)[]; total: number }>;

export function monthTable(sample: Pick<Sample, 'returns' | 'dates'>): YearOfMonths[] {
  const months = new Map(periodReturns(sample, 'month').map(({ name, value }) => [name, value]));
  return periodReturns(sample, 'year').map(({ name: year, value: total }) => ({
    year,
    total,
    months: Array.from(
      { length: 12 },
      (_, index) => months.get(`${year}-${String(index + 1).padStart(2, '0')}`) ?? null,
    ),
  }));
}
