import type { MetricEntry, MetricGroup, MetricUnit } from '../../src/statistics/metricEntries/entry.ts';
import { wrapped } from './wrapped.ts';

const UNITS: Readonly<Record<MetricUnit, string>> = {
  percent: 'fraction',
  ratio: 'ratio',
  money: 'mUSD',
  bps: 'bps',
  days: 'days',
  marks: 'marks',
  count: 'count',
};

/** Metrics of a group as a Markdown list: name, unit, label, meaning, formula and when it is null. */
export const metricList = (group: MetricGroup): string =>
  Object.entries<MetricEntry>(group).map(itemOf).join('\n');

function itemOf([name, { label, unit, meaning, nullWhen, formula }]: [string, MetricEntry]): string {
  const parts = [
    `- \`${name}\` (${UNITS[unit]}), **${label}**: ${meaning}`,
    formula === '' ? '' : `Formula: ${formula}.`,
    nullWhen === '' ? 'Never null.' : `Null: ${nullWhen}.`,
  ];
  return wrapped(parts.filter((part) => part !== '').join(' '));
}
