import { labelOf, METRIC_ENTRIES, type MetricUnit } from '../../statistics/catalogue.ts';
import type { MarkName } from '../../statistics/markName.ts';

/** With commas; what rounds to 0 has no sign. */
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

const entryOf = (name: string) =>
  (METRIC_ENTRIES as Readonly<Record<string, (typeof METRIC_ENTRIES)[keyof typeof METRIC_ENTRIES]>>)[name];

/** What people call a metric; its own name where nobody has given it another. */
export function metricLabel(name: string, mark: MarkName): string {
  const entry = entryOf(name);
  return entry ? labelOf(entry, mark) : name;
}

/** A metric for people, a dash where it is undefined. */
export function metricText(
  name: string,
  value: number | null | undefined,
  mark: MarkName = 'session',
): string {
  if (value === null || value === undefined) return '–';
  return FORMS[entryOf(name)?.unit ?? 'ratio'](value, mark);
}

/** mUSD with two places and commas. */
export const moneyText = (value: number): string => fixed(value, 2);

/** Parts of 1 as percent, with their sign. */
export const changeText = (value: number): string => `${value > 0 ? '+' : ''}${percentText(value)}`;
