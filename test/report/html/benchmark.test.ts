import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import { blockOf, slipsOf } from './reading.ts';
import { plainRecord } from './records.ts';

test.each([
  [
    'lists later',
    [null, null, ...Array.from({ length: 38 }, () => 2)],
    'NEW has no price at the first close of the run, and its line begins at the equity of its first day.',
  ],
  [
    'ends earlier',
    [...Array.from({ length: 38 }, () => 2), null, null],
    'NEW has no price at the last close of the run.',
  ],
])('a run is not compared with a benchmark that %s', (_what, closes, why) => {
  const { marks } = plainRecord(40);
  const told = pageOf(
    plainRecord(40, {
      marks: marks.map((mark, day) => ({ ...mark, equity: 1000 + day })),
      benchmark: { symbol: 'NEW', start: 1, closes },
    }),
  );
  expect(told).toContain(`. Holding NEW cannot be compared: ${why}`);
  expect(told).not.toContain('would have left');
  const held = blockOf(told, 'equity') as { columns: { values: (number | null)[] }[] };
  expect(held.columns[1]?.values.slice(0, 4)).toEqual(
    closes[0] === null ? [null, null, null, 2002] : [1000, 2000, 2000, 2000],
  );
  const years = blockOf(told, 'yearly') as { columns: { name: string; values: (number | null)[] }[] };
  expect(years.columns.find(({ name }) => name === 'Holding NEW')?.values).toEqual([null]);
  expect(slipsOf(told)).toEqual([]);
});
