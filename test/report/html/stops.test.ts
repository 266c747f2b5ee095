import { expect, test } from 'vitest';
import { parseRunRecord } from '../../../src/report/runRecord.ts';
import { pageOf } from './pageOf.ts';
import { blockOf, slipsOf } from './reading.ts';
import { candlesOf, plainRecord } from './records.ts';
import type { ChartData } from '../../../src/figures/chartData.ts';

const at = (time: string): number => Date.parse(`2026-03-${time}:00Z`);
const stop = (name: string, symbol: string, points: [string, number | null][]) => ({
  strategy: 'idle',
  name,
  symbol,
  panel: null,
  at: points.map(([time]) => at(time)),
  values: points.map(([, price]) => price),
});

const record = plainRecord(4, {
  candles: [candlesOf('X', 4), candlesOf('Y', 4)],
  stops: [
    stop('trail-1', 'X', [
      ['02T16:07', 99],
      ['03T14:30', 100.5],
      ['04T17:45', null],
    ]),
    stop('trail-2', 'X', [['05T14:30', 102]]),
  ],
});

test('stops are drawn over the candles of their stock step by step, up to their trigger or the end', () => {
  const page = pageOf(parseRunRecord(JSON.stringify(record), 'a.json'));
  const { columns, drawing } = blockOf(page, 'candles-1') as ChartData;
  expect(drawing).toMatchObject({
    segments: [
      // 97 of 390 minutes after the open.
      [0.249, 99, 1, 99, 'stop loss'],
      [1, 100.5, 2.5, 100.5, 'stop loss'],
      [3, 102, 3.999, 102, 'stop loss'],
    ],
  });
  expect(columns.find(({ name }) => name === 'Stops')?.values).toEqual([
    'stop at 99.00, order trail-1',
    'stop at 100.50, order trail-1',
    'no stop any more, order trail-1',
    'stop at 102.00, order trail-2',
  ]);
  expect(page).toContain('<path class="line stop loss" d="M0.249 ');
  expect(page).toContain('<i class="key loss dashed"></i>stop');
  expect(slipsOf(page)).toEqual([]);
});

test('a stock without stops has neither line nor key for them', () => {
  const page = pageOf({ ...record, stops: [] });
  expect(page).not.toContain('stop loss"');
  expect(page).not.toContain('</i>stop<');
});
