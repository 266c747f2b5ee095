import { normalBelow, normalQuantile } from '../../statistics/normal.ts';
import type { Random } from '../../core/random.ts';
import {
  countOf,
  isUnordered,
  placeOf,
  valueAt,
  valueFrom,
  type Dimension,
  type ParamSet,
  type Space,
} from './space.ts';

/** Number of candidates; the one most favoured by good trials is used. */
const CANDIDATES = 24;
/** Fraction of trials that count as good, and their maximum number. */
const GOOD_SHARE = 0.1;
const GOOD_MAX = 25;
/** Minimum width of a kernel around a trial, as a fraction of the dimension. */
const WIDTH_MIN = 0.02;

/**
 * Proposes a set by tree-structured Parzen estimators (Bergstra, Bardenet, Bengio and Kégl 2011): for each parameter,
 * one density of the good trials and one of the others, as mixtures of kernels (or of counts, for values without an
 * order) with a uniform prior; of several draws from the first, the one with the highest density ratio.
 * @param ranked earlier sets, best first
 */
export function proposeByTpe(space: Space, ranked: readonly ParamSet[], random: Random): ParamSet {
  const count = Math.min(Math.max(1, Math.ceil(GOOD_SHARE * ranked.length)), GOOD_MAX);
  const [good, others] = [ranked.slice(0, count), ranked.slice(count)];
  return Object.fromEntries(
    space.map((dimension) => {
      const valuesOf = (sets: readonly ParamSet[]) => sets.map((params) => params[dimension.name] ?? 0);
      const [best, rest] = [estimatorOf(dimension, valuesOf(good)), estimatorOf(dimension, valuesOf(others))];
      const draws = Array.from({ length: CANDIDATES }, () => best.draw(random));
      const ratio = (value: number) => best.density(value) / rest.density(value);
      const place = draws.reduce((chosen, draw) => (ratio(draw) > ratio(chosen) ? draw : chosen));
      return [
        dimension.name,
        isUnordered(dimension) ? listed(dimension, place) : valueFrom(dimension, place),
      ];
    }),
  );
}

const listed = (dimension: Dimension, index: number) =>
  dimension.kind === 'choice' ? valueAt(dimension, index) : valueFrom(dimension, index);

/** Density over a dimension: of positions from 0 to 1, or of indexes for values without an order. */
type Estimator = Readonly<{ draw(random: Random): number; density(value: number): number }>;

const estimatorOf = (dimension: Dimension, values: readonly ParamSet[string][]): Estimator =>
  dimension.kind === 'choice' && isUnordered(dimension)
    ? countEstimator(
        values.map((value) => dimension.values.indexOf(value)),
        countOf(dimension),
      )
    : bellEstimator(values.map((value) => placeOf(dimension, value)));

function countEstimator(indices: readonly number[], count: number): Estimator {
  const weights = Array.from(
    { length: count },
    (_, value) => 1 + indices.filter((index) => index === value).length,
  );
  const total = indices.length + count;
  return {
    density: (index) => (weights[index] ?? 1) / total,
    draw(random) {
      let left = random.next() * total;
      const found = weights.findIndex((weight) => (left -= weight) < 0);
      return Math.max(found, 0);
    },
  };
}

/** Normal kernel truncated to 0 to 1; `share` is the probability mass in between. */
type Bell = Readonly<{ center: number; width: number; low: number; share: number }>;

/** Kernels as wide as the larger gap to a neighbour, plus one over the whole dimension as the prior. */
function bellEstimator(places: readonly number[]): Estimator {
  const sorted = [...places].sort((a, b) => a - b);
  const narrowest = Math.max(WIDTH_MIN, 1 / (1 + Math.min(100, places.length)) / 4);
  const bells = sorted.map((center, index) => {
    const [before, after] = [sorted[index - 1] ?? 0, sorted[index + 1] ?? 1];
    const gap = Math.max(center - before, after - center);
    return bellOf(center, Math.min(Math.max(gap, narrowest), 1));
  });
  bells.push(bellOf(0.5, 1));
  return {
    density: (place) => bells.reduce((sum, bell) => sum + densityOf(bell, place), 0) / bells.length,
    draw(random) {
      const bell = bells[Math.floor(random.next() * bells.length)];
      return bell ? drawFrom(bell, random) : 0.5;
    },
  };
}

function bellOf(center: number, width: number): Bell {
  const low = normalBelow(-center / width);
  return { center, width, low, share: normalBelow((1 - center) / width) - low };
}

const densityOf = ({ center, width, share }: Bell, place: number): number =>
  Math.exp(-0.5 * ((place - center) / width) ** 2) / (width * Math.sqrt(2 * Math.PI) * share);

/** Largest position: the last value of a dimension begins below 1. */
const BELOW_ONE = 1 - 1e-12;

function drawFrom({ center, width, low, share }: Bell, random: Random): number {
  const place = center + width * normalQuantile(Math.max(low + random.next() * share, 1e-12));
  return Math.min(Math.max(place, 0), BELOW_ONE);
}
