import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatted } from '../formatted.ts';
import { METRIC_GROUPS, METRIC_TABLE } from '../../src/statistics/metricTable.ts';
import { metricList } from './metricList.ts';

const FILE = 'docs/statistics.md';
const LISTS = /(<!-- metrics: (.+) -->\n)[^]*?(<!-- end of metrics -->)/g;
const page = readFileSync(FILE, 'utf8');

/** After a change of the table: `npm run docs`. */
test('docs/statistics.md lists every group of metrics as the table has it', async () => {
  const groups: string[] = [];
  const written = page.replace(LISTS, (...[, begin, group, end]: string[]) => {
    groups.push(group ?? '');
    return `${begin}\n${metricList(METRIC_GROUPS[group as keyof typeof METRIC_GROUPS])}\n\n${end}`;
  });
  expect(groups).toEqual(Object.keys(METRIC_GROUPS));
  await expect(await formatted(FILE, written)).toMatchFileSnapshot(`../../${FILE}`);
});

test('every metric is in one group and has a meaning', () => {
  const names = Object.values(METRIC_GROUPS).flatMap((group) => Object.keys(group));
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  expect(names.toSorted()).toEqual(Object.keys(METRIC_TABLE).toSorted());
  for (const { label, meaning, formula, nullWhen } of Object.values(METRIC_TABLE)) {
    expect(label).not.toBe('');
    expect(meaning).toMatch(/^[A-Z0-9].*\.$/);
    expect(formula + nullWhen).not.toMatch(/\.$/);
  }
});
