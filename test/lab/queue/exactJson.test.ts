import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromExactJson, toExactJson } from '../../../src/lab/queue/exactJson.ts';
import { keyed } from '../../../src/lab/queue/slices.ts';

const leaf = fc.oneof(fc.double(), fc.bigInt(), fc.string(), fc.boolean(), fc.constant(null));
const anything = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), fc.array(leaf)));

test('what one machine writes, another reads, to the last bit', () => {
  fc.assert(
    fc.property(anything, (value) => {
      expect(fromExactJson(toExactJson(value))).toStrictEqual(
        typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value,
      );
    }),
  );
});

test('a text of somebody else is refused', () => {
  expect(() => fromExactJson('{')).toThrow('that no drover of this version wrote');
});

test('the key of a trial is everything that decides its outcome, whatever the order of its parameters', () => {
  const span = { from: -Infinity, to: 5 };
  const { trial } = keyed({ params: { fast: 1, slow: 2 }, span });
  expect(keyed({ params: { slow: 2, fast: 1 }, span }).trial).toBe(trial);
  const others = [
    { params: { fast: 1, slow: 3 }, span },
    { params: { fast: 1, slow: 2 }, span: { from: 0, to: 5 } },
    { params: { fast: 1, slow: 2 }, span, stop: { below: 0 } },
  ].map((task) => keyed(task).trial);
  expect(new Set([trial, ...others]).size).toBe(4);
});
