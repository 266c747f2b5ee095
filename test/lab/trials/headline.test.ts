import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEADLINE, headlineOf } from '../../../src/lab/trials/headline.ts';
import { metricsOf } from '../../../src/statistics/metrics.ts';
import { dayOf } from '../../../src/statistics/sample.ts';

const DAY = 86_400_000;
const dateOf = (index: number) => new Date(Date.UTC(2020, 0, 1) + index * DAY).toISOString().slice(0, 10);

test('the headline metrics equal those of all metrics to nine digits', () => {
  const returns = fc.array(fc.oneof(fc.constant(0), fc.double({ min: -0.2, max: 0.2, noNaN: true })), {
    minLength: 1,
    maxLength: 150,
  });
  fc.assert(
    fc.property(returns, fc.constantFrom(0, 0.04), (values, riskFree) => {
      let equity = 100_000;
      const marks = values.map((value, index) => ({
        date: dateOf(index),
        at: index,
        equity: (equity *= 1 + value),
        positions: {},
      }));
      const { metrics } = metricsOf(
        { startEquity: 100_000, marks, trades: [], fills: [], benchmark: null },
        { riskFree },
      );
      const years = (dayOf(dateOf(values.length - 1)) - dayOf(dateOf(0))) / 365.25;
      const found = headlineOf(Float64Array.from(values), { years, marksPerYear: 252, riskFree });
      for (const name of HEADLINE) {
        const [value, expected] = [found[name], metrics[name]];
        if (expected === null || value === null) expect([name, value]).toEqual([name, expected]);
        else expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)));
      }
    }),
  );
});
