import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochMs, epochSeconds, toIso, toMs, toSeconds } from '../../src/core/brand.ts';

test.each<[number, string]>([
  [0, '1970-01-01T00:00:00Z'],
  [1_700_000_000_000, '2023-11-14T22:13:20Z'],
  [1_700_000_000_001, '2023-11-14T22:13:20.001Z'],
  [1_700_000_000_100, '2023-11-14T22:13:20.100Z'],
  [-1_000, '1969-12-31T23:59:59Z'],
])('toIso prints %d ms as %s', (ms, iso) => {
  expect(toIso(epochMs(ms))).toBe(iso);
});

test('a text from toIso reads back as the same instant', () => {
  const instant = fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31') });
  fc.assert(
    fc.property(instant, (ms) => {
      expect(Date.parse(toIso(epochMs(ms)))).toBe(ms);
    }),
  );
});

test('epochSeconds rounds milliseconds down, before 1970 too', () => {
  expect([1_999, 2_000, -1].map((ms) => toSeconds(epochMs(ms)))).toEqual([1, 2, -1]);
  expect(toMs(epochSeconds(2))).toBe(2_000);
});
