import { DAY_MS, parseDay, weekdayOf } from '../calendar/days.ts';
import type { Sample } from './sample.ts';

export type Period = 'week' | 'month' | 'quarter' | 'year';

/** The return of one period, named as `2026`, `2026-Q2`, `2026-05` or, for a week, the date of its Monday. */
export type PeriodReturn = Readonly<{ name: string; value: number }>;

const NAMES: Readonly<Record<Period, (date: string) => string>> = {
  week: mondayOf,
  month: (date) => date.slice(0, 7),
  quarter: (date) => `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`,
  year: (date) => date.slice(0, 4),
};

function mondayOf(date: string): string {
  const day = parseDay(date);
  return new Date(day - weekdayOf(day) * DAY_MS).toISOString().slice(0, 10);
}

/** Returns by calendar period, oldest first; the first and the last one as far as they go. */
export function periodReturns(
  { returns, dates }: Pick<Sample, 'returns' | 'dates'>,
  period: Period,
): PeriodReturn[] {
  const growths = new Map<string, number>();
  for (const [index, date] of dates.entries()) {
    const name = NAMES[period](date);
    growths.set(name, (growths.get(name) ?? 1) * (1 + (returns[index] ?? 0)));
  }
  return [...growths].map(([name, growth]) => ({ name, value: growth - 1 }));
}

/** A year of a table of months. `months` are January to December, `null` where the run was not there. */
export type YearOfMonths = Readonly<{ year: string; months: readonly (number | null)[]; total: number }>;

export function monthTable(sample: Pick<Sample, 'returns' | 'dates'>): YearOfMonths[] {
  const months = new Map(periodReturns(sample, 'month').map(({ name, value }) => [name, value]));
  return periodReturns(sample, 'year').map(({ name: year, value: total }) => ({
    ...{ year, total },
    months: Array.from(
      { length: 12 },
      (_, index) => months.get(`${year}-${String(index + 1).padStart(2, '0')}`) ?? null,
    ),
  }));
}
