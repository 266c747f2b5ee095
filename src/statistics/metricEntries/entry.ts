import type { MetricName } from '../metrics.ts';

/** Unit of a metric. `percent`: fraction shown as a percentage; `money`: mUSD; `marks`: sessions, or weekly bars. */
export type MetricUnit = 'percent' | 'ratio' | 'money' | 'bps' | 'days' | 'marks' | 'count';

/** Row of the metrics table. The symbols of a formula are explained in `docs/statistics.md`. */
export type MetricEntry = Readonly<{
  label: string;
  unit: MetricUnit;
  /** Definition in words, of one or more sentences. */
  meaning: string;
  /** Conditions under which it is undefined; empty if it never is. */
  nullWhen: string;
  /** Exact definition, if the meaning leaves something open. */
  formula: string;
  /** True if a search minimises it. */
  isLessBetter: boolean;
}>;

export type MetricGroup = Readonly<Partial<Record<MetricName, MetricEntry>>>;

type Row = readonly [label: string, meaning: string, nullWhen: string, formula?: string];

const entryOf =
  (unit: MetricUnit, isLessBetter: boolean) =>
  (...[label, meaning, nullWhen, formula = '']: Row): MetricEntry => ({
    label,
    unit,
    meaning,
    nullWhen,
    formula,
    isLessBetter,
  });

/** Makes rows with a unit; `less` makes those for which less is better. */
const entries = (unit: MetricUnit) => Object.assign(entryOf(unit, false), { less: entryOf(unit, true) });

export const [percent, ratio, money] = [entries('percent'), entries('ratio'), entries('money')];
export const [bps, days, marks, count] = [
  entries('bps'),
  entries('days'),
  entries('marks'),
  entries('count'),
];
