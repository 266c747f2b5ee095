import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tickWriter, written } from '../../src/figures/format.ts';
import { escapeText, markup } from '../../src/figures/markup.ts';
import { areaTo, line, linearScale, logScale, ticksOf } from '../../src/figures/scale.ts';
import { sessionTicks } from '../../src/figures/axis.ts';
import { draw } from '../../src/figures/drawing.ts';
import { keptPoints } from '../../src/figures/thinning.ts';
import type { ChartData } from '../../src/figures/chartData.ts';

const finite = fc.double({ min: -1e9, max: 1e9, noNaN: true });

describe('a scale', () => {
  test('has round ends and ticks', () => {
    expect(linearScale([3, 97])).toMatchObject({ low: 0, high: 100, ticks: [0, 20, 40, 60, 80, 100] });
    expect(linearScale([101, 119], { zero: true })).toMatchObject({ low: 0, high: 150 });
    expect(ticksOf(0.1, 0.4, 3)).toEqual([0.1, 0.2, 0.3, 0.4]);
  });

  test('places every value of its range within the plot, larger ones higher', () => {
    fc.assert(
      fc.property(finite, finite, (one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const scale = linearScale([low, high]);
        expect(scale.place(low)).toBeLessThanOrEqual(1000.001);
        expect(scale.place(high)).toBeGreaterThanOrEqual(-0.001);
        expect(scale.ticks.length).toBeGreaterThanOrEqual(2);
        expect(scale.ticks.length).toBeLessThanOrEqual(8);
      }),
    );
  });

  test('by logarithms gives equal ratios equal heights', () => {
    const { place, ticks } = logScale([10, 1000]);
    expect(place(10) - place(100)).toBeCloseTo(place(100) - place(1000));
    expect(ticks).toEqual([10, 30, 100, 300, 1000]);
  });

  test('of a single value, or of none, still has two ends', () => {
    for (const range of [[5, 5], [0, 0], [-3, -3], null] as const) {
      const { low, high } = linearScale(range);
      expect(low).toBeLessThan(high);
    }
  });
});

describe('the label of a tick', () => {
  test.each([
    [[0, 0.05, 0.1], 'percent', ['0%', '5%', '10%']],
    [[0, 0.025, 0.05], 'percent', ['0.0%', '2.5%', '5.0%']],
    [[1_000_000, 1_002_000, 1_004_000], 'money', ['1.000M', '1.002M', '1.004M']],
    [[0, 20_000, 40_000], 'money', ['0', '20K', '40K']],
    [[19_999.5, 20_000], 'money', ['19,999.5', '20,000.0']],
    [[19_995, 20_000], 'money', ['19,995', '20,000']],
    [[0, 500_000, 1_000_000], 'money', ['0', '0.5M', '1.0M']],
    [[-500, 0, 500], 'money', ['−500', '0', '500']],
    [[-0.5, 0, 0.5], 'ratio', ['−0.5', '0.0', '0.5']],
  ] as const)('for %j as %s is as listed', (ticks, format, texts) => {
    expect(ticks.map(tickWriter(ticks, format))).toEqual(texts);
  });

  test('is a dash for a missing number', () => {
    expect([null, undefined, NaN, Infinity].map((value) => written(value, 'money'))).toEqual([
      '–',
      '–',
      '–',
      '–',
    ]);
    expect(written(-1234.5, 'money')).toBe('−1,234.50');
  });
});

test('the axis of a long run has years and months, that of a short one days', () => {
  const dates = (count: number) =>
    Array.from({ length: count }, (_, day) =>
      new Date(Date.UTC(2024, 10, 1 + day)).toISOString().slice(0, 10),
    );
  expect(sessionTicks(dates(100)).map(({ label }) => label)).toEqual(['Dec', '2025', 'Feb']);
  expect(sessionTicks(dates(3)).map(({ label }) => label)).toEqual(['Nov 1', 'Nov 2', 'Nov 3']);
  expect(sessionTicks(dates(4000)).map(({ label }) => label)).toEqual(
    Array.from({ length: 11 }, (_, year) => String(2025 + year)),
  );
  expect(sessionTicks([])).toEqual([]);
});

test('thinning keeps the ends, and the lowest and highest value of every part', () => {
  fc.assert(
    fc.property(fc.array(finite, { minLength: 61, maxLength: 400 }), (values) => {
      const kept = keptPoints([values], 60);
      const left = kept.map((index) => values[index] ?? NaN);
      expect(kept.length).toBeLessThanOrEqual(62);
      expect([left[0], left.at(-1)]).toEqual([values[0], values.at(-1)]);
      expect([Math.min(...left), Math.max(...left)]).toEqual([Math.min(...values), Math.max(...values)]);
    }),
  );
});

describe('a line', () => {
  const scale = linearScale([0, 100]);

  test('breaks where there is no value', () => {
    const points = [0, 50, null, 100, NaN, 0, 20].map((value, at) => [at, value] as const);
    expect(line(points, scale, 's1').markup).toBe(
      '<path class="line s1" d="M0 1000L1 500M3 0h0M5 1000L6 800"/>',
    );
    expect(areaTo(points.slice(0, 2), 0, { scale, style: 's1' }).markup).toContain(
      'd="M0 1000L1 500L1 1000L0 1000Z"',
    );
    expect(line([], scale, 's1').markup).toBe('');
  });
});

test('a markup template escapes everything but markup', () => {
  const inner = markup`<b>${'<i>'}</b>`;
  expect(markup`${inner}${['<', 1, null]}`.markup).toBe('<b>&lt;i&gt;</b>&lt;1');
  expect(escapeText(`"'&`)).toBe('&quot;&#39;&amp;');
});

describe('a chart that is thinned', () => {
  const values = Array.from({ length: 10_000 }, (_, index) => (index < 5_000 ? 1 + (index % 2) : 1e6));
  const data: ChartData = {
    kind: 'line',
    span: values.length,
    of: 'Session',
    labels: values.map(String),
    columns: [{ name: 'Value', values }],
  };
  const drawing = { kind: 'lines', lines: [{ column: 0, style: 's1' }] } as const;

  test('has every point and its own scale in an enlarged part', () => {
    const { scale, area } = draw(data, drawing, { from: 100, to: 200 });
    expect([scale.low, scale.high].every((level) => level >= 0 && level <= 3)).toBe(true);
    expect(area.markup.split(/[ML]/).length).toBeGreaterThan(100);
    expect(area.markup.split(/[ML]/).length).toBeLessThan(110);
  });

  test('has fewer points as a whole', () => {
    const { scale, area } = draw(data, drawing, { from: 0, to: values.length });
    expect(scale.high).toBeGreaterThanOrEqual(1e6);
    expect(area.markup.split(/[ML]/).length).toBeLessThan(1_600);
  });
});
