import type { Random } from '../../../src/core/random.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import type { TrialReturns } from '../../../src/lab/significance/trialReturns.ts';

/** Draws of a standard normal distribution (Box and Muller). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

export const normals = (count: number, random: Random): Float64Array =>
  Float64Array.from({ length: count }, () => normal(random));

type Market = Readonly<{
  seed: number;
  sessions?: number;
  /** Yearly Sharpe ratio of buying and holding. */
  drift?: number;
  /** Size of the trend that lasts, as a part of the standard deviation of a session; 0: none. */
  trend?: number;
  shape?: 'normal' | 'fat';
  cost?: number;
  shorts?: boolean;
}>;

const DEVIATION = 0.28 / Math.sqrt(252);
/** Part of a trend that is left a session later: half of it after 34 sessions. */
const LASTING = 0.98;
const WARM_UP = 250;
const COST = 0.0005;

/** Returns of a stock, with a hidden trend that changes slowly, or without any. */
export function marketReturns({
  seed,
  sessions = 2_520,
  drift = 0.4,
  trend = 0,
  shape = 'normal',
}: Market): Float64Array {
  const random = seededRandom(seed);
  let hidden = normal(random);
  const draw =
    shape === 'normal'
      ? () => normal(random)
      : () => {
          let c = 0;
          for (let i = 0; i < 4; i++) c += normal(random) ** 2;
          return normal(random) / Math.sqrt(c / 4) / Math.SQRT2;
        };
  return Float64Array.from({ length: WARM_UP + sessions }, () => {
    hidden = LASTING * hidden + Math.sqrt(1 - LASTING ** 2) * normal(random);
    return DEVIATION * (drift / Math.sqrt(252) + trend * hidden + draw());
  });
}

const FAST = [3, 5, 8, 11, 15, 20, 26, 33, 41, 50];
const SLOW = [60, 70, 82, 96, 110, 128, 148, 170, 195, 220];

/** Study of 100 crossings of two moving averages on one stock: long while the fast one is above the slow one, costs paid. */
export function crossings(
  market: Market,
): Readonly<{ trials: TrialReturns[]; benchmark: Float64Array; positions: Float64Array[] }> {
  const all = marketReturns(market);
  const cost = market.cost ?? COST;
  const sums = [0];
  let price = 100;
  for (const value of all) sums.push((sums.at(-1) ?? 0) + (price *= 1 + value));
  const mean = (length: number, at: number) =>
    ((sums[at + 1] ?? NaN) - (sums[at + 1 - length] ?? NaN)) / length;
  const benchmark = all.slice(WARM_UP);
  const positions: Float64Array[] = [];
  const trials = FAST.flatMap((fast) =>
    SLOW.map((slow) => {
      let held = 0;
      const position = new Float64Array(benchmark.length);
      const returns = benchmark.map((value, at) => {
        const before = WARM_UP + at - 1;
        const wanted = mean(fast, before) > mean(slow, before) ? 1 : market.shorts ? -1 : 0;
        const paid = wanted === held ? 0 : cost * Math.abs(wanted - held);
        held = wanted;
        position[at] = held;
        return held * value - paid;
      });
      positions.push(position);
      return { params: { fast, slow }, returns };
    }),
  );
  return { trials, benchmark, positions };
}
