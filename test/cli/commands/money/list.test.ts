import { expect, test } from 'vitest';
import { listCsv } from '../../../../src/cli/commands/money/list.ts';

const cellOf = (reason: string | bigint) =>
  listCsv({ fields: ['reason'], rows: [{ reason }] }).split('reason\n')[1];

test.each([
  ['=HYPERLINK("http://x.test")', `"'=HYPERLINK(""http://x.test"")"`],
  ['+1', "'+1"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `'\\r=1`],
])('a CSV cell with %j, which a spreadsheet would calculate, is marked as text', (text, cell) => {
  expect(cellOf(text)).toBe(cell);
});

test('a CSV cell with a negative amount or ordinary text is unchanged', () => {
  expect([cellOf(-5n * 10n ** 17n), cellOf('below = average, "so"')]).toEqual([
    '-0.5',
    '"below = average, ""so"""',
  ]);
});
