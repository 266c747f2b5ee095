import { expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { PlotHistory, POINTS_MAX } from '../../src/domain/plots.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-06-15T13:30:00Z');

/** Plots a value each minute, as a backtest's events bring them. */
function historyOf(count: number, name = 'a'): PlotHistory {
  const history = new PlotHistory();
  for (let from = 0; from < count; from += 390) {
    const minutes = Array.from({ length: Math.min(390, count - from) }, (_, index) => from + index);
    const at = minutes.map((minute) => epochMs(START + minute * MINUTE));
    history.take('solo', [{ name, at, values: minutes }]);
  }
  return history;
}

test('plots keep series apart by strategy, name, stock and panel', () => {
  const history = new PlotHistory();
  const point = { at: [epochMs(0)], values: [1] };
  history.take('one', [
    { name: 'a', ...point },
    { name: 'a', symbol: 'X', ...point },
  ]);
  history.take('two', [
    { name: 'a', ...point },
    { name: 'a', panel: 'X', ...point },
  ]);
  expect(history.records.map(({ strategy, symbol, panel }) => [strategy, symbol, panel])).toEqual([
    ['one', null, null],
    ['one', 'X', null],
    ['two', null, null],
    ['two', null, 'X'],
  ]);
});

test('plots keep the later of two values of one minute', () => {
  const history = new PlotHistory();
  history.take('solo', [{ name: 'a', at: [epochMs(0)], values: [1] }]);
  history.take('solo', [{ name: 'a', at: [epochMs(59_000), epochMs(60_000)], values: [2, null] }]);
  expect(history.records).toMatchObject([{ at: [59_000, 60_000], values: [2, null] }]);
});

test('plots keep every minute up to the limit', () => {
  expect(historyOf(POINTS_MAX).records[0]?.at).toHaveLength(POINTS_MAX);
});

test.each([POINTS_MAX + 1, 3 * POINTS_MAX, 40 * POINTS_MAX])(
  'plots of %i points keep the last value of each longer interval',
  (count) => {
    const { at = [], values = [] } = historyOf(count).records[0] ?? {};
    expect(at.length).toBeLessThanOrEqual(POINTS_MAX);
    expect(at.length).toBeGreaterThan(POINTS_MAX / 2 - 1);
    expect(values).toHaveLength(at.length);
    expect(values.at(-1)).toBe(count - 1);
    expect(at.map((when) => (when - START) / MINUTE)).toEqual(values);
    const steps = new Set(at.slice(1, -1).map((when, index) => when - (at[index] ?? 0)));
    expect(steps.size).toBeLessThanOrEqual(2);
  },
);
