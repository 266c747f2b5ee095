import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import { blockOf, missingOf, slipsOf } from './reading.ts';
import { plainRecord } from './records.ts';

/** A run of which the equity moves on one session of each five. */
function mostlyFlat(days: number, falls = 2): string {
  let equity = 1000;
  const marks = plainRecord(days).marks.map((mark, day) => {
    if (day % 5 === 0) equity *= 1 + ((day % falls === 0 ? -1 : 1) * (1 + (day % 13))) / 1000;
    return { ...mark, equity };
  });
  return pageOf(plainRecord(days, { marks }));
}

type Bins = { labels: string[]; columns: { name: string; values: number[] }[] };

test('the distribution of a mostly flat run leaves out sessions without a change, and says so', () => {
  const page = mostlyFlat(400);
  const { columns } = blockOf(page, 'distribution') as Bins;
  const [counts, normal] = columns.map(({ values }) => values);
  expect(counts?.reduce((sum, count) => sum + count, 0)).toBe(80);
  expect(counts?.filter((count) => count > 0).length).toBeGreaterThan(4);
  expect(Math.max(...(normal ?? []))).toBeLessThan(80);
  expect(page).toContain('320 sessions of 400 did not change the equity and are left out.');
  expect(slipsOf(page)).toEqual([]);
});

test('the distribution of too few sessions with a change says so', () => {
  expect(missingOf(mostlyFlat(50))).toMatchObject({
    'Distribution of session returns': '10 sessions with a change, but it needs 20',
  });
});

test('the distribution marks no value at risk if too few sessions lost', () => {
  const page = mostlyFlat(400, 100);
  expect(page).toContain('at most one session in twenty lost');
  expect(page).not.toMatch(/VaR 5% −?0\.00%/);
});

test('the label of a value at risk near the left edge of its chart is right of its line', () => {
  let equity = 1000;
  const marks = plainRecord(100).marks.map((mark, day) => {
    equity *= day % 10 === 0 ? 0.98 : 1 + (day % 7) / 1000;
    return { ...mark, equity };
  });
  const page = pageOf(plainRecord(100, { marks }));
  const labels = [...page.matchAll(/<text class="(\w+)" x="([\d.]+)%"[^>]*>(VaR \d%)/g)];
  expect(labels.map(([, side, , name]) => [name, side])).toEqual([
    ['VaR 5%', 'after'],
    ['VaR 1%', 'after'],
  ]);
});
