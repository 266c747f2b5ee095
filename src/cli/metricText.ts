import { METRIC_ENTRIES, type MetricUnit } from '../statistics/catalogue.ts';

/** With commas; what rounds to 0 has no sign. */
function fixed(value: number, digits: number): string {
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return /[1-9]/.test(text) ? text : text.replace('-', '');
}

const FORMS: Readonly<Record<MetricUnit, (value: number) => string>> = {
  percent: (value) => `${fixed(value * 100, 2)} %`,
  ratio: (value) => fixed(value, 2),
  money: (value) => fixed(value, 2),
  bps: (value) => `${fixed(value, 1)} bps`,
  days: (value) =>
    Math.abs(value) < 2 ? `${fixed(value * 24, 1)} h` : `${fixed(value, Number.isInteger(value) ? 0 : 1)} d`,
  marks: (value) => `${fixed(value, 0)} sessions`,
  count: (value) => fixed(value, 0),
};

const entryOf = (name: string) =>
  (METRIC_ENTRIES as Readonly<Record<string, (typeof METRIC_ENTRIES)[keyof typeof METRIC_ENTRIES]>>)[name];

/** What people call a metric; its own name where nobody has given it another. */
export const metricLabel = (name: string): string => entryOf(name)?.label ?? name;

/** A metric for people, a dash where it is undefined. */
export function metricText(name: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return FORMS[entryOf(name)?.unit ?? 'ratio'](value);
}

/** mUSD with two places and commas. */
export const moneyText = (value: number): string => fixed(value, 2);

/** Parts of 1 as percent, with their sign. */
export const changeText = (value: number): string => `${value > 0 ? '+' : ''}${FORMS.percent(value)}`;
