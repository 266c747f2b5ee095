import { expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { hashColumns } from '../../src/market/columns.ts';
import { generateMinutes, type GenerateOptions } from '../../src/market/generateBars.ts';
import { inspectBars } from '../../src/market/inspectBars.ts';
import { resample } from '../../src/market/resample.ts';

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

test('generated days have the requested volatility, with gaps over night', () => {
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
