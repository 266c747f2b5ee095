import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromExactJson, toExactJson } from '../../../src/lab/queue/exactJson.ts';
import { keyed } from '../../../src/lab/queue/slices.ts';

const leaf = fc.oneof(fc.double(), fc.bigInt(), fc.string(), fc.boolean(), fc.constant(null));
const anything = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), fc.array(leaf)));

test('exact JSON gives back any value to the last bit', () => {
  fc.assert(
    fc.property(anything, (value) => {
      expect(fromExactJson(toExactJson(value))).toStrictEqual(
        typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value,
      );
    }),
  );
});

test('exact JSON refuses text in any other format', () => {
  expect(() => fromExactJson('{')).toThrow('a text of another drover version');
});

test('the key of a trial contains everything that decides its outcome, in any order of parameters', () => {
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
