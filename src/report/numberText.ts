import { written } from '../figures/format.ts';
import { labelOf, METRIC_TABLE } from '../statistics/metricTable.ts';
import type { MetricEntry, MetricUnit } from '../statistics/metricEntries/entry.ts';
import type { MarkName } from '../statistics/markName.ts';

/** Number with thousands separators; no sign if it rounds to 0. */
function fixed(value: number, digits: number): string {
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return /[1-9]/.test(text) ? text : text.replace('-', '');
}

const percentText = (value: number): string => `${fixed(value * 100, 2)} %`;

const FORMS: Readonly<Record<MetricUnit, (value: number, mark: MarkName) => string>> = {
  percent: percentText,
  ratio: (value) => fixed(value, 2),
  money: (value) => fixed(value, 2),
  bps: (value) => `${fixed(value, 1)} bps`,
  days: (value) =>
    Math.abs(value) < 2 ? `${fixed(value * 24, 1)} h` : `${fixed(value, Number.isInteger(value) ? 0 : 1)} d`,
  marks: (value, mark) => `${fixed(value, 0)} ${mark}s`,
  count: (value) => fixed(value, 0),
};

const entryOf = (name: string) => (METRIC_TABLE as Readonly<Record<string, MetricEntry>>)[name];

/** Label of a metric; its name if the table does not have it (another version). */
export function metricLabel(name: string, mark: MarkName): string {
  const entry = entryOf(name);
  return entry ? labelOf(entry, mark) : name;
}

/** Formatted value of a metric; a dash if it is undefined. */
export function metricText(
  name: string,
  value: number | null | undefined,
  mark: MarkName = 'session',
): string {
  if (value === null || value === undefined) return '–';
  return FORMS[entryOf(name)?.unit ?? 'ratio'](value, mark);
}

/** Amount in mUSD with cents and thousands separators. */
export const moneyText = (value: number): string => fixed(value, 2);

/** Number of shares, in order steps. */
export const sharesText = (value: number): string => written(value, 'shares');

/** Price in mUSD, in ticks. */
export const priceText = (value: number): string => written(value, 'price');

/** Basis points with two decimals; a dash if undefined. */
export const bpsText = (value: number | null): string => (value === null ? '–' : `${fixed(value, 2)} bps`);

/** Fraction as a percentage with its sign. */
export const changeText = (value: number): string => `${value > 0 ? '+' : ''}${percentText(value)}`;
