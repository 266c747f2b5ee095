import { expect, test } from 'vitest';
import { listCsv } from '../../../src/cli/money/list.ts';

const cellOf = (reason: string | bigint) =>
  listCsv({ fields: ['reason'], rows: [{ reason }] }).split('reason\n')[1];

test.each([
  ['=HYPERLINK("http://x.test")', `"'=HYPERLINK(""http://x.test"")"`],
  ['+1', "'+1"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `'\\r=1`],
])('text that a spreadsheet would calculate, %j, is marked as text', (text, cell) => {
  expect(cellOf(text)).toBe(cell);
});

test('amounts below zero and ordinary text stay as they are', () => {
  expect([cellOf(-5n * 10n ** 17n), cellOf('below = average, "so"')]).toEqual([
    '-0.5',
    '"below = average, ""so"""',
  ]);
});
