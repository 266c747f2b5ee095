import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashHex, systemRandom } from '../../src/core/random.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('uuids of systemRandom have the form of version 4 and do not repeat', () => {
  const uuids = Array.from({ length: 2_000 }, () => systemRandom.uuid());
  expect(uuids.filter((uuid) => !UUID_V4.test(uuid))).toEqual([]);
  expect(new Set(uuids).size).toBe(2_000);
  expect(systemRandom.next()).toBeLessThan(1);
});

test('hashHex is the same for the same text and differs when a character is added', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(hashHex(text)).toBe(hashHex(text));
      expect(hashHex(text)).toMatch(/^0x[0-9a-f]{64}$/);
      expect(hashHex(`${text} `)).not.toBe(hashHex(text));
    }),
  );
});
