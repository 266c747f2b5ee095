import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRIC_ENTRIES } from '../../src/statistics/catalogue.ts';

test('the page on statistics has every metric once, and no other', () => {
  const rows = readFileSync('docs/statistics.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(named.sort()).toEqual(Object.keys(METRIC_ENTRIES).sort());
});
