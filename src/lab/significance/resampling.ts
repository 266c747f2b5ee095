import type { Random } from '../../core/random.ts';
import { NOTHING } from '../../statistics/figures.ts';
import { meanOf } from '../../statistics/moments.ts';
import type { Columns } from './trialReturns.ts';

/** Randomness and mean block length, in sessions and at least 1, for drawing a sample of the same length. */
type Resampling = Readonly<{ random: Random; blockLength: number }>;

/**
 * Draws the indexes of one resample into `places`, which it returns: blocks start anywhere, have a geometric length,
 * and wrap around at the end. Source: Politis and Romano, "The stationary bootstrap", Journal of the American
 * Statistical Association 89, 1994.
 */
export function drawPlaces(places: Int32Array, { random, blockLength }: Resampling): Int32Array {
  const count = places.length;
  const ending = 1 / blockLength;
  let place = 0;
  for (let at = 0; at < count; at++) {
    place = at === 0 || random.next() < ending ? Math.floor(random.next() * count) : (place + 1) % count;
    places[at] = place;
  }
  return places;
}

/** Indexes 0, 1, … in order. */
export const placesOf = (count: number): Int32Array =>
  Int32Array.from({ length: count }, (_, place) => place);

/** Shuffles indexes in place, with equal probability for every order (Fisher–Yates), and returns them. */
export function shuffle(places: Int32Array, random: Random): Int32Array {
  for (let last = places.length - 1; last > 0; last--) {
    const other = Math.floor(random.next() * (last + 1));
    const kept = places[last] ?? 0;
    places[last] = places[other] ?? 0;
    places[other] = kept;
  }
  return places;
}

/** Values at the given indexes, as a new list. */
export const valuesAt = (values: ArrayLike<number>, places: Int32Array): number[] =>
  Array.from(places, (place) => values[place] ?? NaN);

/** Default number of draws of a test or interval. */
export const DRAWS = 1_000;

/** Randomness of a test, with its number of draws. */
export type DrawOptions = Readonly<{ random: Random; draws?: number | undefined }>;

/** Mean of the optimal block lengths of all columns, so that one draw of indexes serves all of them. */
export const blockLengthOf = (columns: Columns): number => meanOf(columns.map(bestBlockLength));

/** Minimum number of consecutive lags that must be uncorrelated. */
const QUIET_LAGS_MIN = 5;

/**
 * Best mean block length of the stationary bootstrap: (2g²/(2·s²))^⅓·n^⅓, from 1 to min(3√n, n/3), where s =
 * Σλ(k/M)R(k), g = Σλ(k/M)·|k|·R(k) over k = −M … M, R is the autocovariance, λ is flat up to ½ and falls to 0 at 1. M
 * is twice the lag that starts five or more correlations within ±2√(log₁₀n/n). Sources: Politis and White, "Automatic
 * block-length selection for the dependent bootstrap", Econometric Reviews 23(1), 2004; its correction with Patton,
 * 28(4), 2009; the first quiet lag counts as in Patton's own program.
 */
export function bestBlockLength(column: Float64Array): number {
  const count = column.length;
  const quietLags = Math.max(QUIET_LAGS_MIN, Math.floor(Math.log10(count)));
  const lagMax = Math.ceil(Math.sqrt(count)) + quietLags;
  const covariances = autocovariances(column, Math.min(lagMax, count - 1));
  const variance = covariances[0] ?? 0;
  if (Math.sqrt(variance) <= NOTHING) return 1;
  const bound = 2 * Math.sqrt(Math.log10(count) / count) * variance;
  const bandwidth = Math.min(2 * firstQuietLag(covariances, bound, quietLags), lagMax);
  let [spectrum, slope] = [variance, 0];
  for (let lag = 1; lag <= bandwidth; lag++) {
    const weighted = 2 * Math.min(1, 2 * (1 - lag / bandwidth)) * (covariances[lag] ?? 0);
    spectrum += weighted;
    slope += lag * weighted;
  }
  const length = Math.cbrt((slope / spectrum) ** 2 * count);
  return Math.min(Math.max(length, 1), Math.ceil(Math.min(3 * Math.sqrt(count), count / 3)));
}

/** First lag that starts a run of that many autocovariances within the bound; the last lag if there is none. */
function firstQuietLag(covariances: Float64Array, bound: number, quietLags: number): number {
  let quiet = 0;
  for (let lag = 1; lag < covariances.length; lag++) {
    quiet = Math.abs(covariances[lag] ?? NaN) < bound ? quiet + 1 : 0;
    if (quiet === quietLags) return lag - quietLags + 1;
  }
  return covariances.length - 1;
}

/** Autocovariances over n, from lag 0. */
function autocovariances(column: Float64Array, lagMax: number): Float64Array {
  const mean = meanOf(column);
  const centred = column.map((value) => value - mean);
  return Float64Array.from({ length: lagMax + 1 }, (_, lag) => {
    let sum = 0;
    for (let at = lag; at < centred.length; at++) sum += (centred[at] ?? NaN) * (centred[at - lag] ?? NaN);
    return sum / centred.length;
  });
}

/** Weight, relative to that of the first lag, below which a later lag is ignored. */
const WEIGHT_MIN = 1e-12;

/**
 * Variance of √n times the mean of a resample, with p = 1/blockLength: R(0) + 2Σ((1 − k/n)(1 − p)^k + (k/n)(1 − p)^(n −
 * k))·R(k). The second weight makes it circular, as Σ(1 − k/n)(1 − p)^k·(R(k) + R(n − k)), which needs few lags.
 * Source: Politis and Romano, as above, lemma 1; Hansen (2005) studentises by it.
 */
export function bootstrapVariance(column: Float64Array, blockLength: number): number {
  const count = column.length;
  const mean = meanOf(column);
  const centred = column.map((value) => value - mean);
  const going = 1 - 1 / blockLength;
  let variance = 0;
  for (let lag = 0, weight = 1; lag < count && weight > WEIGHT_MIN; lag++, weight *= going) {
    let sum = 0;
    for (let at = 0, later = lag; at < count; at++, later++) {
      if (later === count) later = 0;
      sum += (centred[at] ?? NaN) * (centred[later] ?? NaN);
    }
    variance += ((lag === 0 ? 1 : 2) * (1 - lag / count) * weight * sum) / count;
  }
  return variance;
}
