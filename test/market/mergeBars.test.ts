import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOfRows, countBefore, cutTo, mergeBars } from '../../src/market/mergeBars.ts';
import { row, rowsOf } from './columns.ts';

const starts = fc.uniqueArray(fc.nat(40), { maxLength: 20 });

test('a merge has every bar once, in order', () => {
  fc.assert(
    fc.property(starts, starts, (stored, found) => {
      const { columns, added, differences } = mergeBars(
        columnsOfRows(stored.map((at) => row(at))),
        columnsOfRows(found.map((at) => row(at))),
      );
      const all = [...new Set([...stored, ...found])].sort((a, b) => a - b);
      expect(rowsOf(columns)).toEqual(all.map((at) => Object.values(row(at))));
      expect(added).toBe(all.length - stored.length);
      expect(differences).toEqual([]);
    }),
  );
});

test('a merge reports a bar that differs and keeps the stored one; overwrite takes the new one', () => {
  const stored = columnsOfRows([row(1), row(2), row(3)]);
  const found = columnsOfRows([row(2, 100, { volume: 11 }), row(3), row(4)]);
  const kept = mergeBars(stored, found);
  expect([...kept.columns.volume]).toEqual([10, 10, 10, 10]);
  expect(kept.differences).toEqual([
    { start: 2, stored: [100, 101, 99, 100, 10], found: [100, 101, 99, 100, 11] },
  ]);
  const taken = mergeBars(stored, found, true);
  expect([...taken.columns.volume]).toEqual([10, 11, 10, 10]);
  expect(taken.differences).toHaveLength(1);
});

test('rows become columns in order, each start once', () => {
  expect(rowsOf(columnsOfRows([row(3), row(1), row(3, 200), row(2)]))).toEqual(
    [1, 2, 3].map((at) => Object.values(row(at))),
  );
});

test('bars are counted and cut by their start', () => {
  const columns = columnsOfRows([row(10), row(20), row(30)]);
  expect([5, 10, 11, 30, 31].map((at) => countBefore(columns.start, at))).toEqual([0, 0, 1, 2, 3]);
  expect([...cutTo(columns, 1, 3).start]).toEqual([20, 30]);
});
