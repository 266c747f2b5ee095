import type { Ticker } from '../../domain/instrument.ts';
import type { Shock } from './types.ts';

/** Key of a noise field: the same key and index always give the same number. */
export type NoiseKey = number;

/** Mixes two 32-bit numbers into 32 random bits; also the key of a derived field. */
export function mix(key: NoiseKey, index: number): NoiseKey {
  let hash = Math.imul(key ^ Math.imul(index, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A uniform number in [0, 1). */
export const uniform = (key: NoiseKey, index: number): number => mix(key, index) / 2 ** 32;

/** The square of a cubed uniform averages 1/7. */
const CUBE_SCALE = Math.sqrt(7);

/** Mean 0, standard deviation 1, within ±2.65: a cubed uniform, with tails slightly fatter than a normal's. */
export function bounded(key: NoiseKey, index: number): number {
  const centred = 2 * uniform(key, index) - 1;
  return CUBE_SCALE * centred * centred * centred;
}

/** Random numbers at the multiples of `span`, joined by straight lines. `at` may be fractional. */
export function lattice(key: NoiseKey, span: number, at: number): number {
  const left = Math.floor(at / span);
  const before = bounded(key, left);
  return before + (bounded(key, left + 1) - before) * (at / span - left);
}

const OCTAVES = 9;
/** Lattices of spans 1, 2, 4 … add up to steps of variance 4 c when their own variances are c, 2 c, 4 c … */
const AMPLITUDES = Array.from({ length: OCTAVES }, (_, octave) => 0.5 * Math.sqrt(2 ** octave));

/**
 * A random walk with direct access to every point. Its steps have a standard deviation of 1 and, within a few percent,
 * no memory; after about 256 steps its position is forgotten, and it is rarely further than 25 from 0.
 */
export function walk(key: NoiseKey, index: number): number {
  let sum = 0;
  for (let octave = 0; octave < OCTAVES; octave++) {
    const field = mix(key, octave);
    // Every lattice has its own offset: otherwise all would meet at multiples of the longest.
    sum += (AMPLITUDES[octave] ?? 0) * lattice(field, 2 ** octave, index + (field & 0x3ff));
  }
  return sum;
}

/** The shocks of one stock, combined. */
export type Shocks = Readonly<{
  /** Factor of prices at an instant. */
  factorAt(at: number): number;
  /** Instants of shocks after `start`, up to and including `end`. */
  within(start: number, end: number): readonly number[];
}>;

export const NO_SHOCKS: Shocks = { factorAt: () => 1, within: () => [] };

export function shocksOf(symbol: Ticker, all: readonly Shock[] = []): Shocks {
  const shocks = all.length === 0 ? all : all.filter((shock) => shock.symbol === symbol);
  if (shocks.length === 0) return NO_SHOCKS;
  return {
    factorAt: (at) => shocks.reduce((factor, shock) => (shock.at <= at ? factor * shock.factor : factor), 1),
    within: (start, end) => shocks.map((shock) => shock.at).filter((at) => at > start && at <= end),
  };
}
