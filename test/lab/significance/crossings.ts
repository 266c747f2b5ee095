import { seededRandom } from '../../../src/core/seededRandom.ts';
import type { Study } from '../../../src/lab/significance/evidence.ts';
import { sharpeOf } from '../../../src/lab/significance/trialReturns.ts';
import { normal, normals, YEAR } from './series.ts';

type Market = Readonly<{
  seed: number;
  sessions: number;
  /** Yearly Sharpe ratio of buying and holding. */
  drift: number;
  /** Size of a hidden trend as a share of the deviation of a session; 0: nothing can be predicted. */
  trend: number;
  /** True for returns with fat tails, of a t distribution with 4 degrees of freedom. */
  isFat?: boolean;
}>;

const DEVIATION = 0.28 / Math.sqrt(YEAR);
/** Share of the trend that remains a session later: half of it after 34 sessions. */
const LASTING = 0.98;
/** Sessions before the first one of a study, for the longest average. */
const BEFORE = 250;
const COST = 0.0005;
const FAST = [3, 5, 8, 11, 15, 20, 26, 33, 41, 50];
const SLOW = [60, 70, 82, 96, 110, 128, 148, 170, 195, 220];

function marketReturns({ seed, sessions, drift, trend, isFat = false }: Market): Float64Array {
  const random = seededRandom(seed);
  const wild = () => normal(random) / Math.sqrt(normals(4, random).reduce((sum, z) => sum + z * z, 0) / 2);
  let hidden = normal(random);
  return Float64Array.from({ length: BEFORE + sessions }, () => {
    hidden = LASTING * hidden + Math.sqrt(1 - LASTING ** 2) * normal(random);
    return DEVIATION * (drift / Math.sqrt(YEAR) + trend * hidden + (isFat ? wild() : normal(random)));
  });
}

/**
 * Study of 100 crossings of two moving averages on one stock: long while the fast average is above the slow one, 5 bps paid for
 * each change. Chosen is the one with the highest Sharpe ratio against cash, as a trader would. A walk-forward chooses on a quarter
 * of the sessions and trades the tenth after it, again and again.
 */
export function crossings(market: Market): Study {
  const all = marketReturns(market);
  const sums = [0];
  let price = 100;
  for (const value of all) sums.push((sums.at(-1) ?? 0) + (price *= 1 + value));
  const average = (length: number, at: number) =>
    ((sums[at + 1] ?? NaN) - (sums[at + 1 - length] ?? NaN)) / length;
  const benchmark = all.slice(BEFORE);
  const runs = FAST.flatMap((fast) =>
    SLOW.map((slow) => {
      const positions = benchmark.map((_, at) =>
        average(fast, BEFORE + at - 1) > average(slow, BEFORE + at - 1) ? 1 : 0,
      );
      const returns = benchmark.map(
        (value, at) =>
          (positions[at] ?? 0) * value - COST * Math.abs((positions[at] ?? 0) - (positions[at - 1] ?? 0)),
      );
      return { params: { fast, slow }, positions, returns };
    }),
  );
  const chosen = bestIn(runs, 0, market.sessions);
  const positions = runs[chosen]?.positions ?? new Float64Array();
  return {
    trials: runs,
    chosen,
    trades: positions.filter((held, at) => held === 0 && positions[at - 1] === 1).length,
    benchmark,
    holding: { returns: benchmark, positions },
    outOfSample: walkedForward(runs, benchmark),
  };
}

type Run = Readonly<{ returns: Float64Array }>;

function bestIn(runs: readonly Run[], from: number, to: number): number {
  const ratios = runs.map(({ returns }) => sharpeOf(returns.subarray(from, to)));
  return ratios.indexOf(Math.max(...ratios));
}

function walkedForward(runs: readonly Run[], benchmark: Float64Array): Study['outOfSample'] {
  const [past, part] = [Math.floor(benchmark.length / 4), Math.floor(benchmark.length / 10)];
  const returns: number[] = [];
  for (let at = past; at < benchmark.length; at += part)
    returns.push(...(runs[bestIn(runs, at - past, at)]?.returns.subarray(at, at + part) ?? []));
  return { returns: Float64Array.from(returns), benchmark: benchmark.slice(past) };
}
