import type { Random } from './random.ts';

/** 32-bit hash of a text, used as a seed for values that depend on a name rather than on a stream. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Number in [0, 1) derived from the text alone. */
export const chanceOf = (text: string): number => hash32(text) / 2 ** 32;

const HEX = '0123456789abcdef';

/** Repeatable random stream (mulberry32) for a seed. */
export function seededRandom(seed: number | string): Random {
  let state = typeof seed === 'number' ? seed | 0 : hash32(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits: number): string => {
    let text = '';
    for (let index = 0; index < digits; index++) text += HEX[Math.floor(next() * 16)] ?? '';
    return text;
  };
  return {
    next,
    uuid: () =>
      `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + Math.floor(next() * 4)).toString(16)}${hex(3)}-${hex(12)}`,
  };
}
