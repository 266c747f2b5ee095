import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessOf, isNestedDeeper, outlineOf, parseBounded } from '../../src/core/nesting.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test('parseBounded parses text within the depth limit as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseBounded(text, 64)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['lists', nested(9)],
  ['objects', '{"a":'.repeat(9) + '1' + '}'.repeat(9)],
  ['endlessly nested lists', '['.repeat(9)],
  ['lists after a text with quotes and backslashes', `["\\\\\\"[","\\\\",${nested(8)}]`],
])('parseBounded refuses nesting beyond the limit before parsing: %s', (_name, text) => {
  expect(() => parseBounded(text, 8)).toThrow(/nested deeper than 8 levels/);
});

test.each([
  ['brackets in a text', JSON.stringify([`${'[{'.repeat(20)}"\\`])],
  ['brackets that are already closed', JSON.stringify(Array.from({ length: 30 }, () => [[{}]]))],
])('parseBounded does not count %s', (_name, text) => {
  expect(parseBounded(text, 8)).toEqual(JSON.parse(text));
});

test('isNestedDeeper depends on the depth of a text, however many brackets it opens', () => {
  const deep = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(deep, fc.string(), ([levels, beside], word) => {
      const text = `[${`${JSON.stringify(word)},[{}],`.repeat(beside)}${nested(levels)}]`;
      const isTooDeep = Math.max(levels + 1, beside > 0 ? 3 : 0) > 8;
      expect(isNestedDeeper(text, 8)).toBe(isTooDeep);
    }),
  );
});

test('excessOf checks a value up to 64 levels and up to a size', () => {
  expect(excessOf(JSON.parse(nested(64)))).toBeNull();
  expect(excessOf(JSON.parse(nested(65)))).toBe('nested deeper than 64 levels');
  expect(excessOf(JSON.parse(nested(19_000)))).toBe('nested deeper than 64 levels');
  expect(excessOf({ a: 'x'.repeat(90) }, 100)).toBeNull();
  expect(excessOf({ a: 'x'.repeat(100) }, 100)).toBe('larger than 100 characters');
  expect(
    excessOf(
      Array.from({ length: 20 }, () => 1),
      100,
    ),
  ).toBe('larger than 100 characters');
});

test('outlineOf shows the upper levels of a value, with each text and list cut', () => {
  const wide = Array.from({ length: 1_000 }, (_, index) => index);
  const outline = outlineOf({ txHash: '0xab', deep: JSON.parse(nested(6_000)) as unknown, wide });
  expect(outline).toEqual({ txHash: '0xab', deep: [['…']], wide: wide.slice(0, 50) });
});
