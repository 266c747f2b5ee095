import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seededRandom.ts';
import { bounded, lattice, mix, type NoiseKey } from './noise.ts';
import { keepRecent } from './recent.ts';
import type { Day } from './timetable.ts';

/** Distribution of a session's volatility and volume over its minutes. */
export type Rhythm = Readonly<{
  /** Share of the session's variance that has elapsed at each minute boundary: 0 first, 1 last. */
  clock: Float64Array;
  /** Standard deviation of each minute, relative to the session's. */
  unrest: Float64Array;
  /** Each minute's share of the session's volume. */
  volume: Float64Array;
}>;

/** Both are highest at the open, fall within half an hour, and rise again before the close; volume rises more. */
function rhythmOf(minutes: number): Rhythm {
  const variance = new Float64Array(minutes);
  const trade = new Float64Array(minutes);
  for (let minute = 0; minute < minutes; minute++) {
    const left = minutes - 1 - minute;
    variance[minute] = 1 + 5 * Math.exp(-minute / 18) + 1.2 * Math.exp(-left / 25);
    trade[minute] = 1 + 3 * Math.exp(-minute / 22) + 3.5 * Math.exp(-left / 15);
  }
  const clock = runningSums(variance);
  const total = clock[minutes] ?? 1;
  const [shares = 1] = runningSums(trade).slice(-1);
  return {
    clock: clock.map((sum) => sum / total),
    unrest: variance.map((share) => Math.sqrt(share / total)),
    volume: trade.map((weight) => weight / shares),
  };
}

/** Running sums, starting with 0: one more than there are values. */
function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) sums[index + 1] = (sums[index] ?? 0) + value;
  return sums;
}

/** Number of session lengths cached: full, early close, and the odd late open. */
const RHYTHMS_KEPT = 16;
export const rhythm = keepRecent(RHYTHMS_KEPT, rhythmOf);

/** Approximately normal: the sum of three uniforms. Mean 0, standard deviation 1. */
const normal = (random: Random): number => 2 * (random.next() + random.next() + random.next() - 1.5);

/** Fraction of a minute's move that the next minute repeats; negative on days when it reverts. */
const REPEATS_MIN = -0.2;
const REPEATS_MAX = 0.25;

/** A random path from 0 back to 0 through the minute boundaries of a session, with its volatility. */
export function bridge(key: NoiseKey, { clock, unrest }: Rhythm): Float64Array {
  const random = seededRandom(key);
  const repeats = REPEATS_MIN + (REPEATS_MAX - REPEATS_MIN) * random.next();
  const path = new Float64Array(clock.length);
  let move = 0;
  let sum = 0;
  for (let minute = 0; minute < unrest.length; minute++) {
    move = (1 - repeats) * normal(random) * (unrest[minute] ?? 0) + repeats * move;
    path[minute + 1] = sum += move;
  }
  for (let boundary = 1; boundary < path.length; boundary++)
    path[boundary] = (path[boundary] ?? 0) - sum * (clock[boundary] ?? 0);
  return path;
}

/** Volatility of a day relative to the usual: a slow component over weeks, and one for the day itself. */
export const unrestOf = (key: NoiseKey, day: Day): number =>
  Math.exp(0.15 * lattice(key, 10, day) + 0.2 * bounded(mix(key, 1), day));
