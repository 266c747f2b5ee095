import { expect, test } from 'vitest';
import { DatedSeries, hashRows, rowsOf, seriesNamed } from '../../src/market/datedSeries.ts';

const COLUMNS = {
  known: [10, 20, 20, 30],
  numbers: { eps: [1, 2, 3, NaN] },
  texts: { symbol: ['A', 'A', 'B', 'A'] },
};

function opened(now: number) {
  const clock = { now };
  return { clock, series: new DatedSeries(COLUMNS, () => clock.now) };
}

test('a dated series shows only rows known by now, whichever way time moves', () => {
  const { clock, series } = opened(9);
  const { history } = series;
  const seen = (now: number) => {
    clock.now = now;
    return [history.length, history.at(0)?.number('eps'), history.latest()?.known];
  };
  expect(seen(9)).toEqual([0, undefined, undefined]);
  expect(seen(10)).toEqual([1, 1, 10]);
  expect(seen(29)).toEqual([3, 3, 20]);
  expect(seen(30)).toEqual([4, NaN, 30]);
  expect(seen(15)).toEqual([1, 1, 10]);
  expect(seen(Infinity)).toEqual([4, NaN, 30]);
});

test('a row of a dated series is found by its place and by its texts', () => {
  const { history } = opened(25).series;
  expect([0, 1, 2, 3, -1, 0.5].map((back) => history.at(back)?.number('eps'))).toEqual([
    3,
    2,
    1,
    undefined,
    undefined,
    undefined,
  ]);
  expect(history.latest({ symbol: 'A' })?.number('eps')).toBe(2);
  expect(history.latest({ symbol: 'C' })).toBeUndefined();
  expect(history.at(0)?.text('symbol')).toBe('B');
});

test('a column or a series that data() does not ask for is an error', () => {
  const { series } = opened(25);
  const row = series.history.at(0);
  expect(() => row?.number('symbol')).toThrow('no column "symbol" of this kind: data asks for eps');
  expect(() => row?.text('toString')).toThrow('no column "toString"');
  expect(() => series.history.latest({ eps: '1' })).toThrow('data asks for symbol');
  expect(() => seriesNamed(new Map([['earnings', series]]), 'vix')).toThrow(
    'no series "vix": data asks for earnings',
  );
});

test('the history of a dated series is frozen, and gives no access to later rows', () => {
  const { history } = opened(10).series;
  expect(Object.isFrozen(history)).toBe(true);
  expect(Object.keys(history)).toEqual(['length', 'at', 'latest']);
  expect(Object.keys(history.at(0) ?? {})).toEqual(['known', 'number', 'text']);
});

test('a row stays unchanged when its file is read again', () => {
  const { series } = opened(10);
  const row = series.history.at(0);
  series.replace({ ...COLUMNS, numbers: { eps: [7, 7, 7, 7] } });
  expect([row?.number('eps'), series.history.at(0)?.number('eps')]).toEqual([1, 7]);
});

test('the hash of a dated series depends on each value, and the hash of its first rows only on these', () => {
  const longer = {
    known: [...COLUMNS.known, 40],
    numbers: { eps: [1, 2, 3, NaN, 5] },
    texts: { symbol: ['A', 'A', 'B', 'A', 'B'] },
  };
  const others = [
    { ...COLUMNS, known: [10, 20, 21, 30] },
    { ...COLUMNS, numbers: { eps: [1, 2, 3, 4] } },
    { ...COLUMNS, texts: { symbol: ['A', 'A', 'A', 'A'] } },
    longer,
  ];
  expect(new Set([COLUMNS, ...others].map(hashRows)).size).toBe(5);
  expect(hashRows(rowsOf(longer, 0, 4))).toBe(hashRows(COLUMNS));
});
