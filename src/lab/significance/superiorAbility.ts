import { missing, type Missing } from '../../statistics/figures.ts';
import { meanOf } from '../../statistics/moments.ts';
import { blockLengthOf, bootstrapVariance, drawPlaces, DRAWS, type DrawOptions } from './resampling.ts';
import { movingOf, type Columns } from './trialReturns.ts';

export type SuperiorAbility = Readonly<{
  /** Probability of a best trial this good if none beats the standard: White's, and Hansen's consistent version. */
  realityCheck: number;
  superiorAbility: number;
  draws: number;
  /** Mean length of the blocks drawn, in sessions. */
  blockLength: number;
}>;

/**
 * White's reality check and Hansen's test of superior predictive ability (consistent version), on one stationary
 * bootstrap: is the best trial better than luck explains? Columns hold returns in excess of cash, or `activeReturns`.
 *
 * Reality check: max √n·d̄ₖ against max √n·(d̄*ₖ − d̄ₖ). Hansen: max(0, max √n·d̄ₖ/ωₖ) against the same of d̄*ₖ − gₖ,
 * with gₖ = d̄ₖ, or 0 if √n·d̄ₖ/ωₖ < −√(2 ln ln n): hopeless trials do not weaken the test. Probabilities are (1 +
 * draws at or above)/(1 + draws), never 0 (Davison and Hinkley, "Bootstrap methods", 1997, section 4.2).
 * Sources: White, "A reality check for data snooping", Econometrica 68(5), 2000; Hansen, "A test for superior
 * predictive ability", Journal of Business & Economic Statistics 23(4), 2005.
 */
export function superiorAbilityOf(
  columns: Columns,
  { random, draws = DRAWS }: DrawOptions,
): SuperiorAbility | Missing {
  const moving = movingOf(columns);
  if (moving.length === 0) return missing('no trial has traded');
  const length = blockLengthOf(moving);
  const trials = moving.map((column) => trialOf(column, length));
  const best = { white: -Infinity, hansen: 0 };
  for (const { mean, deviation } of trials) {
    best.white = Math.max(best.white, mean);
    best.hansen = Math.max(best.hansen, mean / deviation);
  }
  const above = { white: 1, hansen: 1 };
  const places = new Int32Array(moving[0]?.length ?? 0);
  const weights = new Float64Array(places.length);
  for (let draw = 0; draw < draws; draw++) {
    weights.fill(0);
    for (const place of drawPlaces(places, { random, blockLength: length }))
      weights[place] = (weights[place] ?? 0) + 1;
    const drawn = bestOfDraw(trials, weights);
    if (drawn.white >= best.white) above.white++;
    if (drawn.hansen >= best.hansen) above.hansen++;
  }
  return {
    realityCheck: above.white / (draws + 1),
    superiorAbility: above.hansen / (draws + 1),
    draws,
    blockLength: length,
  };
}

/** Column, its mean, the value that Hansen subtracts from a resample's mean, and its deviation times √n. */
type Trial = Readonly<{ column: Float64Array; mean: number; centre: number; deviation: number }>;

function trialOf(column: Float64Array, blockLength: number): Trial {
  const count = column.length;
  const mean = meanOf(column);
  const deviation = Math.sqrt(bootstrapVariance(column, blockLength));
  const bound = -Math.sqrt(2 * Math.log(Math.log(count)));
  return { column, mean, centre: (Math.sqrt(count) * mean) / deviation < bound ? 0 : mean, deviation };
}

/** Best of all trials in a draw. @param weights number of times that the draw has each session */
function bestOfDraw(trials: readonly Trial[], weights: Float64Array) {
  const best = { white: -Infinity, hansen: 0 };
  for (const { column, mean, centre, deviation } of trials) {
    const drawn = productOf(weights, column) / weights.length;
    best.white = Math.max(best.white, drawn - mean);
    best.hansen = Math.max(best.hansen, (drawn - centre) / deviation);
  }
  return best;
}

/** Sum of products, with four parallel sums, because in a single one each addition would wait for the previous one. */
function productOf(first: Float64Array, second: Float64Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = first.length - (first.length % 4);
  for (let at = 0; at < whole; at += 4) {
    a += (first[at] ?? NaN) * (second[at] ?? NaN);
    b += (first[at + 1] ?? NaN) * (second[at + 1] ?? NaN);
    c += (first[at + 2] ?? NaN) * (second[at + 2] ?? NaN);
    d += (first[at + 3] ?? NaN) * (second[at + 3] ?? NaN);
  }
  for (let at = whole; at < first.length; at++) a += (first[at] ?? NaN) * (second[at] ?? NaN);
  return a + b + c + d;
}
