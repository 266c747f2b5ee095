import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBars } from '../../src/app/backtest/barFiles.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { allHours } from '../../src/calendar/phaseHours.ts';
import { bytesOf } from '../../src/market/columns.ts';
import { columnsOfRows } from '../../src/market/mergeBars.ts';
import { joinHours, splitHours } from '../../src/market/outsideBars.ts';
import { runs } from '../runs.ts';
import { row } from './columns.ts';

const at = (date: string, time: string) => tradingCalendar.newYorkTime(date, time);
const barsAt = (...times: readonly (readonly [date: string, time: string])[]) =>
  columnsOfRows(times.map(([date, time]) => row(at(date, time))));

describe('bars by their phase', () => {
  test('a bar belongs to the regular session from its open to before its close', () => {
    const bars = barsAt(
      ['2026-06-14', '20:00'],
      ['2026-06-15', '04:00'],
      ['2026-06-15', '09:29'],
      ['2026-06-15', '09:30'],
      ['2026-06-15', '15:59'],
      ['2026-06-15', '16:00'],
      ['2026-11-27', '12:59'],
      ['2026-11-27', '13:00'],
    );
    const { regular, outside } = splitHours(bars, tradingCalendar);
    expect([...regular.start]).toEqual([3, 4, 6].map((index) => bars.start[index]));
    expect([...outside.start]).toEqual([0, 1, 2, 5, 7].map((index) => bars.start[index]));
  });

  test('splitting and joining gives the same bars again, whatever they are', () => {
    const hours = allHours(tradingCalendar).sessions('2026-03-05', '2026-03-13');
    const minutes = hours.flatMap(({ open, close }) =>
      Array.from({ length: (close - open) / 900_000 }, (_, index) => open + index * 900_000),
    );
    fc.assert(
      fc.property(fc.subarray(minutes), (starts) => {
        const bars = columnsOfRows(
          starts.map((start, index) => ({ ...row(start), close: 100 + index / 100 })),
        );
        const { regular, outside } = splitHours(bars, tradingCalendar);
        expect(regular.start.length + outside.start.length).toBe(starts.length);
        expect(joinHours(regular, outside)).toEqual(bars);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('files with bars of all phases', () => {
  let cwd = '';
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'drover-outside-'))));
  afterEach(() => rmSync(cwd, { recursive: true }));

  const HEADER = 'ts,open,high,low,close,volume';
  const write = (name: string, rows: readonly string[]) =>
    writeFileSync(join(cwd, name), `${[HEADER, ...rows.map((ts) => `${ts},10,11,9,10,5`)].join('\n')}\n`);
  const read = (name: string, more: Partial<Parameters<typeof readBars>[1]> = {}) => {
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    const bars = readBars(`X=${name}`, { interval: '1h', calendar: tradingCalendar, cwd, warn, ...more });
    return { bars, warnings };
  };
  const DAY = [
    '2026-06-15T00:00:00Z',
    '2026-06-15T13:00:00Z',
    '2026-06-15T13:30:00Z',
    '2026-06-15T20:00:00Z',
  ];

  test('are read once, into regular bars and bars of the other phases', () => {
    write('x.csv', DAY);
    const { bars, warnings } = read('x.csv', { sessions: 'all' });
    expect([...bars.start]).toEqual([at('2026-06-15', '09:30')]);
    expect([...(bars.outside?.start ?? [])]).toEqual([
      at('2026-06-14', '20:00'),
      at('2026-06-15', '09:00'),
      at('2026-06-15', '16:00'),
    ]);
    // The regular session lacks its hours from 10:30 on; in the other phases nothing is missed.
    expect(warnings).toEqual([
      expect.stringMatching(/^.*x\.csv:5: 6 bars are missing between .*14:30:00Z and .*20:00/),
    ]);
  });

  test('are refused without the option, by an error that names the flag', () => {
    write('x.csv', DAY);
    expect(() => read('x.csv')).toThrow(/x\.csv:2: .*--interval 1d instead of 1h.*--sessions all/);
    write('x.csv', DAY.slice(1));
    expect(() => read('x.csv')).toThrow(
      /x\.csv:2: .*13:00:00Z is wrong: outside the regular sessions.*--sessions all/,
    );
    write('x.csv', ['2026-06-20T13:00:00Z']);
    expect(() => read('x.csv', { sessions: 'all' })).toThrow(
      /x\.csv:2: .*outside the regular sessions and all other phases\. Leave it out(?!.*--sessions)/,
    );
  });

  test('give null if nothing is outside, and are refused if nothing is inside', () => {
    write('x.csv', DAY.slice(2, 3));
    expect(read('x.csv', { sessions: 'all' }).bars.outside).toBeNull();
    expect('outside' in read('x.csv').bars).toBe(false);
    write('x.csv', DAY.slice(0, 2));
    expect(() => read('x.csv', { sessions: 'all' })).toThrow(/x\.csv has no bar of a regular session/);
  });

  test('are counted from the beginning of each phase', () => {
    write('x.csv', ['2026-06-15T08:30:00Z', '2026-06-15T13:30:00Z']);
    expect(() => read('x.csv', { sessions: 'all' })).toThrow(
      /x\.csv:2: .*not a multiple of 1h after the open/,
    );
  });

  test('of daily bars are refused, even if their midnights fall into the night', () => {
    write('x.csv', DAY);
    expect(() => read('x.csv', { sessions: 'all', interval: '1d' })).toThrow(
      /a bar of 1d covers only regular sessions/,
    );
    for (const days of [
      ['2026-06-15', '2026-06-16'],
      ['2026-06-15T00:00:00Z', '2026-06-16T00:00:00Z'],
      ['2026-06-15T04:00:00Z', '2026-06-16T04:00:00Z'],
    ]) {
      write('days.csv', days);
      expect(() => read('days.csv', { sessions: 'all' })).toThrow(/--interval 1d instead of 1h/);
    }
  });

  test('in columns are checked before they are split', () => {
    const [night, weekend] = [row(at('2026-06-15', '05:00')), row(at('2026-06-20', '12:00'))];
    const inside = row(at('2026-06-15', '10:30'));
    writeFileSync(join(cwd, 'x.f64'), bytesOf(columnsOfRows([night, inside])));
    expect(read('x.f64', { sessions: 'all' }).bars.outside?.start).toHaveLength(1);
    writeFileSync(join(cwd, 'x.f64'), bytesOf(columnsOfRows([night, inside, weekend])));
    expect(() => read('x.f64', { sessions: 'all' })).toThrow(
      /2026-06-20T16:00:00Z is wrong: .*all other phases/,
    );
  });
});
