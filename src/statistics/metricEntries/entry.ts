import type { MetricName } from '../metrics.ts';

/** Unit of a metric. `percent` is a fraction (0.1) that people read as a percentage (10 %); `money` is mUSD; `marks` are sessions, or weeks of weekly bars. */
export type MetricUnit = 'percent' | 'ratio' | 'money' | 'bps' | 'days' | 'marks' | 'count';

/** Row of the table of metrics. The symbols of a formula are explained in `docs/statistics.md`. */
export type MetricEntry = Readonly<{
  label: string;
  unit: MetricUnit;
  /** Definition in words: a sentence, or several. */
  meaning: string;
  /** Conditions under which it is undefined; empty when it never is. */
  nullWhen: string;
  /** Exact definition, where the meaning leaves something open. */
  formula: string;
  /** True where a search makes it as small as it can. */
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

/** Makes rows of a unit; `less` those of which less is better. */
const entries = (unit: MetricUnit) => Object.assign(entryOf(unit, false), { less: entryOf(unit, true) });

export const [percent, ratio, money] = [entries('percent'), entries('ratio'), entries('money')];
export const [bps, days, marks, count] = [
  entries('bps'),
  entries('days'),
  entries('marks'),
  entries('count'),
];
