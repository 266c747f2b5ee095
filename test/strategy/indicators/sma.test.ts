import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sma } from '../../../src/strategy/index.ts';

const run = (length: number, values: readonly number[]) => {
  const average = sma(length);
  return values.map((value) => average.next(value));
};

test.each([
  {
    rule: 'the first result comes with the third value',
    length: 3,
    given: [3, 6, 9, 12, 0],
    means: [NaN, NaN, 6, 9, 7],
  },
  { rule: 'of one value is that value', length: 1, given: [4, -2, 8], means: [4, -2, 8] },
  { rule: 'a NaN is forgotten in time', length: 2, given: [1, NaN, 3, 5, 7], means: [NaN, NaN, NaN, 4, 6] },
])('sma: $rule', ({ length, given, means }) => {
  expect(run(length, given)).toEqual(means);
});

test('sma is the mean of the last values, however long the series', () => {
  const prices = fc.array(fc.double({ min: 0.01, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), prices, (length, values) => {
      run(length, values).forEach((average, index) => {
        const window = values.slice(index + 1 - length, index + 1);
        if (index + 1 < length) expect(average).toBeNaN();
        else expect(average).toBeCloseTo(window.reduce((sum, each) => sum + each, 0) / length, 6);
      });
    }),
  );
});

test('sma has no rounding errors that add up', () => {
  const average = sma(7);
  for (let index = 0; index < 1_000_000; index++) average.next(1e9 + 0.1 * (index % 10));
  for (let index = 0; index < 14; index++) average.next(0.1);
  expect(average.next(0.1)).toBeCloseTo(0.1, 15);
});

test.each([0, -1, 1.5, NaN])('sma refuses a length of %s', (length) => {
  expect(() => sma(length)).toThrow('whole number');
});
