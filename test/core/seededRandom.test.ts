import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chanceOf, hash32, seededRandom } from '../../src/core/seededRandom.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const seed = fc.oneof(fc.integer(), fc.string());
const draw = (from: number | string) => {
  const random = seededRandom(from);
  return Array.from({ length: 20 }, (_, index) => (index % 3 === 0 ? random.uuid() : random.next()));
};

describe('seededRandom', () => {
  test('gives the same stream for the same seed', () => {
    fc.assert(
      fc.property(seed, (from) => {
        expect(draw(from)).toEqual(draw(from));
      }),
    );
  });

  test('keeps its stream across versions, so that a recorded seed still means the same', () => {
    const random = seededRandom('drover');
    expect([random.next(), random.next(), random.uuid()]).toMatchInlineSnapshot(`
      [
        0.6842162315733731,
        0.35443076048977673,
        "3a56df7e-1c21-4cde-9438-47d2bfbca118",
      ]
    `);
  });

  test('gives another stream for another seed', () => {
    const streams = Array.from({ length: 1_000 }, (_, index) => draw(index).join());
    expect(new Set(streams).size).toBe(1_000);
    expect(draw('1')).not.toEqual(draw('2'));
  });

  test('gives numbers in [0, 1) that are spread evenly', () => {
    const random = seededRandom(7);
    const tenths = new Array<number>(10).fill(0);
    for (let count = 0; count < 100_000; count++) {
      const tenth = Math.floor(random.next() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths).toHaveLength(10);
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

test('gives uuids that have the form of version 4 and do not repeat', () => {
  const random = seededRandom(3);
  const uuids = Array.from({ length: 2_000 }, () => random.uuid());
  expect(uuids.filter((uuid) => !UUID_V4.test(uuid))).toEqual([]);
  expect(new Set(uuids).size).toBe(2_000);
});

describe('hash32 and chanceOf', () => {
  test('give the same value for the same text, and chanceOf one in [0, 1)', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(hash32(text)).toBe(hash32(text));
        expect(chanceOf(text) >= 0 && chanceOf(text) < 1).toBe(true);
      }),
    );
  });

  test('spread texts that are nearly alike: hash32 rarely repeats and fills both halves', () => {
    const hashes = Array.from({ length: 10_000 }, (_, index) => hash32(`AAPL ${index}`));
    expect(new Set(hashes).size).toBeGreaterThan(9_990);
    const low = hashes.filter((hash) => hash < 2 ** 31).length;
    expect(Math.abs(low - 5_000)).toBeLessThan(250);
  });
});
