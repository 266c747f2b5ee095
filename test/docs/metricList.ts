import type { MetricEntry, MetricGroup, MetricUnit } from '../../src/statistics/metricEntries/entry.ts';

const COLUMNS = 118;

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

/** Text in lines of at most 118 columns, all but the first indented as the body of a list item. No line begins or ends with `<`. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/(?<!<) (?!<)/)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < COLUMNS)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines.join('\n');
}
