import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { allHours, outsideHours, type PhaseHours } from '../../src/calendar/phaseHours.ts';
import { epochMs } from '../../src/core/brand.ts';
import { hashColumns } from '../../src/market/columns.ts';
import { generateMinutes, type GenerateOptions } from '../../src/market/generateBars.ts';
import { inspectBars } from '../../src/market/inspectBars.ts';
import { splitHours } from '../../src/market/outsideBars.ts';
import { resample } from '../../src/market/resample.ts';
import type { BarColumns } from '../../src/domain/barColumns.ts';

const GIVEN = { symbol: 'X', seed: 1, from: '2023-01-01', to: '2024-12-31', calendar: tradingCalendar };
const made = (more: Partial<GenerateOptions> = {}) => generateMinutes({ ...GIVEN, ...more });
const TWO_YEARS = made();

test('generated bars are the same for the same options, and differ by seed, symbol or price', () => {
  const short = { to: '2023-01-31' };
  const hash = hashColumns(made(short));
  expect(hash).toBe('d6ea537c596ffea8d2aacf71ef9a3035');
  expect(hashColumns(made(short))).toBe(hash);
  for (const other of [{ seed: 2 }, { symbol: 'Y' }, { price: 50 }])
    expect(hashColumns(made({ ...short, ...other }))).not.toBe(hash);
});

test('generated bars have every minute of every session, and are sound', () => {
  const sessions = tradingCalendar.sessions(GIVEN.from, GIVEN.to);
  expect(TWO_YEARS.start).toHaveLength(
    sessions.reduce((sum, { open, close }) => sum + (close - open) / 60_000, 0),
  );
  expect(inspectBars(TWO_YEARS, { interval: '1m', calendar: tradingCalendar, actions: null })).toEqual([]);
});

const deviation = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
};

test('generated days have the requested volatility, with overnight gaps', () => {
  const { open, close } = resample(TWO_YEARS, { from: '1m', to: '1d', calendar: tradingCalendar }).columns;
  const days = Array.from(close.slice(1), (price, day) => Math.log(price / (close[day] ?? NaN)));
  const nights = Array.from(open.slice(1), (price, day) => Math.log(price / (close[day] ?? NaN)));
  expect(deviation(days) * Math.sqrt(252)).toBeGreaterThan(0.18);
  expect(deviation(days) * Math.sqrt(252)).toBeLessThan(0.45);
  expect(deviation(nights) / deviation(days)).toBeGreaterThan(0.3);
  expect(deviation(nights) / deviation(days)).toBeLessThan(0.75);
});

test('generated minutes are most volatile at the open, and most traded at both ends of a session', () => {
  const byMinute = (from: number, to: number) => {
    const [moves, volumes]: [number[], number[]] = [[], []];
    for (let index = 0; index < TWO_YEARS.start.length; index++) {
      const session = tradingCalendar.sessionAt(TWO_YEARS.start[index] as never);
      const minute = ((TWO_YEARS.start[index] ?? 0) - (session?.open ?? 0)) / 60_000;
      if (session?.early || minute < from || minute >= to) continue;
      moves.push(Math.log((TWO_YEARS.close[index] ?? 1) / (TWO_YEARS.open[index] ?? 1)));
      volumes.push(TWO_YEARS.volume[index] ?? 0);
    }
    return { moves: deviation(moves), volume: volumes.reduce((sum, each) => sum + each, 0) / volumes.length };
  };
  const [open, noon, close] = [byMinute(0, 15), byMinute(180, 210), byMinute(380, 390)];
  expect(open.moves).toBeGreaterThan(1.5 * noon.moves);
  expect(close.moves).toBeGreaterThan(1.1 * noon.moves);
  expect(open.moves).toBeGreaterThan(close.moves);
  expect(open.volume).toBeGreaterThan(2 * noon.volume);
  expect(close.volume).toBeGreaterThan(2 * noon.volume);
});

test('a span without sessions is refused', () => {
  expect(() => made({ from: '2026-06-20', to: '2026-06-21' })).toThrow(
    /no session from 2026-06-20 to 2026-06-21/,
  );
});

describe('bars generated for all sessions', () => {
  const all = made({ from: '2023-11-01', to: '2024-03-31', sessions: 'all' });
  const hours = allHours(tradingCalendar).sessions('2023-11-01', '2024-03-31');
  const moves = (of: PhaseHours['phase']) =>
    hours
      .filter(({ phase }) => phase === of)
      .map(({ open, close }) => {
        const [first, last] = [all.start.indexOf(open), all.start.indexOf(close - 60_000)];
        return Math.log((all.close[last] ?? NaN) / (all.open[first] ?? NaN));
      });

  test('have every minute of every phase of half days, holidays and changes of the clock, and no other', () => {
    const minutes = hours.flatMap(({ open, close }) =>
      Array.from({ length: (close - open) / 60_000 }, (_, index) => open + index * 60_000),
    );
    expect([...all.start]).toEqual(minutes);
    const weekend = {
      from: tradingCalendar.newYorkTime('2023-11-03', '20:00'),
      to: tradingCalendar.newYorkTime('2023-11-05', '20:00'),
    };
    expect(all.start.some((at) => at >= weekend.from && at < weekend.to)).toBe(false);
    // Thanksgiving: nothing from Wednesday 20:00 to Thursday 20:00, and on Friday post ends at 17:00.
    expect(
      [...all.start].filter(
        (at) => at >= Date.parse('2023-11-23T01:00Z') && at < Date.parse('2023-11-24T01:00Z'),
      ),
    ).toEqual([]);
    expect(all.start.indexOf(tradingCalendar.newYorkTime('2023-11-24', '16:59'))).toBeGreaterThan(0);
    expect(all.start.indexOf(tradingCalendar.newYorkTime('2023-11-24', '17:00'))).toBe(-1);
  });

  test('are one walk: each minute opens at the close before it, and the bars of both parts are sound', () => {
    expect(all.open.slice(1)).toEqual(all.close.slice(0, -1));
    const { regular, outside } = splitHours(all, tradingCalendar);
    const of = { interval: '1m', actions: null } as const;
    expect(inspectBars(regular, { ...of, calendar: tradingCalendar })).toEqual([]);
    expect(inspectBars(outside, { ...of, calendar: outsideHours(tradingCalendar) })).toEqual([]);
  });

  test('are quieter and thinner outside: a fifth of the variance, a few percent of the volume', () => {
    const variance = (phase: PhaseHours['phase']) => deviation(moves(phase)) ** 2;
    const outside = variance('overnight') + variance('pre') + variance('post');
    const share = outside / (outside + variance('regular'));
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.35);
    const volume = ({ volume: each }: BarColumns) => each.reduce((sum, one) => sum + one, 0);
    const { regular, outside: other } = splitHours(all, tradingCalendar);
    expect(volume(other) / volume(regular)).toBeGreaterThan(0.02);
    expect(volume(other) / volume(regular)).toBeLessThan(0.08);
  });

  test('are moved by news only in the first minute of a night', () => {
    const { outside } = splitHours(made({ sessions: 'all' }), tradingCalendar);
    const { open, close, start } = outside;
    const large = start.filter(
      (_, index) => Math.abs(Math.log((close[index] ?? NaN) / (open[index] ?? NaN))) > 0.015,
    );
    expect(large.length).toBeGreaterThan(2);
    for (const since of large)
      expect(tradingCalendar.phaseAt(epochMs(since))).toMatchObject({ phase: 'overnight', since });
  });

  test('leave the bars of the regular sessions unchanged', () => {
    expect(hashColumns(made({ to: '2023-01-31', sessions: 'regular' }))).toBe(
      'd6ea537c596ffea8d2aacf71ef9a3035',
    );
  });
});
