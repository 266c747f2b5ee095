import { beforeAll, expect, test } from 'vitest';
import { levelAt } from '../../../src/figures/levels.ts';
import { parseRunRecord, type RunRecord } from '../../../src/report/runRecord.ts';
import { fiveMinutes } from './fiveMinutes.ts';
import { pageOf } from './pageOf.ts';
import { blockOf, slipsOf } from './reading.ts';
import type { ChartData } from '../../../src/figures/chartData.ts';

let record: RunRecord;
let page = '';
beforeAll(async () => {
  record = await fiveMinutes();
  page = pageOf(record);
});

test('a report has the exact intraday bars that were played', () => {
  expect(record.intraday?.map(({ symbol, minutes, start }) => [symbol, minutes, start.length])).toEqual([
    ['X', 5, 60 * 78],
  ]);
  expect(parseRunRecord(JSON.stringify(record), 'a.json').intraday).toEqual(record.intraday);
  const level = levelAt(blockOf(page, 'candles-1') as ChartData, { from: 7, to: 9 });
  const [given] = record.intraday ?? [];
  for (const [index, name] of (['open', 'high', 'low', 'close'] as const).entries())
    expect(level?.data.columns[index]?.values.map((value) => Number(value).toFixed(2))).toEqual(
      given?.[name].map((value) => value.toFixed(2)),
    );
  expect(slipsOf(page)).toEqual([]);
});

test('fills and trades are drawn at the candles of their times', () => {
  const data = blockOf(page, 'candles-1') as ChartData;
  const { data: level, trades } = levelAt(data, { from: 7, to: 9 }) ?? {};
  const told = level?.columns.at(-1)?.values.slice(7 * 78, 8 * 78) ?? [];
  const times = level?.times?.slice(7 * 78, 8 * 78) ?? [];
  expect(
    told.flatMap((text, index) => (text === null ? [] : [[times[index], String(text).slice(0, 15)]])),
  ).toEqual([
    ['10:05', '03-11 10:05 buy'],
    ['14:15', '03-11 14:15 sel'],
  ]);
  // The latest trade is the first.
  expect(trades?.[52]?.[0]).toBeCloseTo(7 + 7.5 / 78, 9);
  expect(trades?.[52]?.[2]).toBeCloseTo(7 + 57.5 / 78, 9);
});

test('each trade of the list leads to its own line', () => {
  const { places, columns } = blockOf(page, 'trades') as {
    places: [string, number][];
    columns: { head: string; values: number[] }[];
  };
  expect(places[0]).toEqual(['candles-1', 0]);
  const entries = columns.find(({ head }) => head === 'Bought at')?.values ?? [];
  const { intraday } = blockOf(page, 'candles-1') as ChartData;
  for (const [row, [, index]] of places.entries())
    expect(intraday?.trades[index]?.[1]).toBeCloseTo(entries[row] ?? NaN, 3);
});

test('a trade row leads to the line of its trade without scripts', () => {
  const targets = [...page.matchAll(/<path id="(trade-\d+)"/g)].map(([, id]) => id);
  const links = [...page.matchAll(/<td class="text"><a href="#(trade-\d+)">X<\/a>/g)].map(([, id]) => id);
  expect(links).toHaveLength(50);
  expect(new Set(targets)).toEqual(new Set(links));
  expect(page).toMatch(/<path id="trade-1" class="line target" d="M59\.5 \d+L59\.5 \d+h0"/);
});
