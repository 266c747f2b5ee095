import { counted } from '../../core/counted.ts';
import { ConfigError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seededRandom.ts';
import type { Constraint } from './constraint.ts';
import { rankOf, type ParamScore } from './pareto.ts';
import { SOBOL_DIMENSIONS, sobolPoints } from './sobol.ts';
import {
  countOf,
  keyOf,
  sizeOf,
  valueAt,
  valueFrom,
  type Dimension,
  type ParamSet,
  type ParamValue,
  type Space,
} from './space.ts';
import { proposeByTpe } from './tpe.ts';

export const METHODS = ['grid', 'random', 'sobol', 'tpe'] as const;
export type Method = (typeof METHODS)[number];

/**
 * Source of parameter sets. Proposals depend only on space, seed and finished generations, never on the order in which
 * trials end: a search that was killed continues with the same trials.
 */
export interface Sampler {
  /** True if finished trials influence later proposals. */
  readonly isAdaptive: boolean;
  /** Next generation, given all finished trials by number; empty at the end. */
  next(history: readonly ParamScore[]): readonly ParamSet[];
}

export type SamplerOptions = Readonly<{
  space: Space;
  method: Method;
  /** Maximum number of parameter sets; a grid ignores it. */
  trials: number;
  seed: number;
  /** Filter for parameter sets. */
  accepts: Constraint;
}>;

/** Number of trials proposed at once by adaptive methods. */
const GENERATION = 8;
/** Number of trials per batch for other methods, so that a long search needs no long list. */
const CHUNK = 512;
/** Number of evenly spread trials before results influence proposals. */
const BEGINNING = 2 * GENERATION;
/** Number of consecutive draws without a new set after which a finite space is enumerated. */
const DRAWS_MAX = 20_000;
/** Maximum size of a space that is enumerated. */
const GRID_MAX = 1_000_000;

/** @throws {ConfigError} for an infinite grid, or a space with more parameters than the method supports */
export function samplerOf(options: SamplerOptions): Sampler {
  const { space, method } = options;
  if (method === 'grid') return new GridSampler(gridSets(options));
  if (method === 'random') return new DrawSampler(randomSets(options), options);
  if (space.length > SOBOL_DIMENSIONS)
    throw new ConfigError(
      `${method} takes at most ${SOBOL_DIMENSIONS} parameters, and the space has ${space.length}. Use --method random`,
    );
  return method === 'sobol' ? new DrawSampler(evenSets(options), options) : new TpeSampler(options);
}

/** All accepted sets, with the last parameter changing first. @throws {ConfigError} for a range, or too many sets */
function gridSets({ space, accepts }: SamplerOptions): Iterator<ParamSet, undefined> {
  const range = space.find(({ kind }) => kind === 'range');
  if (range)
    throw new ConfigError(
      `a grid needs steps: give ${range.name} a step, or use --method sobol, random or tpe`,
    );
  const size = sizeOf(space);
  if (size > GRID_MAX)
    throw new ConfigError(
      `the grid has ${size} sets, more than ${GRID_MAX}: take wider steps, or --method sobol, random or tpe with --trials`,
    );
  return acceptedSets(space, accepts);
}

/** All accepted sets of a finite space, however many in a row are rejected. */
function* acceptedSets(space: Space, accepts: Constraint): Generator<ParamSet, undefined> {
  const columns = space.map((dimension) => ({ name: dimension.name, values: valuesOf(dimension) }));
  const size = sizeOf(space);
  for (let number = 0; number < size; number++) {
    let width = size;
    const set: Record<string, ParamValue> = {};
    for (const { name, values } of columns) {
      width /= values.length;
      set[name] = values[Math.floor(number / width) % values.length] ?? 0;
    }
    if (accepts(set)) yield set;
  }
}

const valuesOf = (dimension: Dimension): readonly ParamValue[] =>
  dimension.kind === 'range'
    ? [dimension.min]
    : Array.from({ length: countOf(dimension) }, (_, index) => valueAt(dimension, index));

/**
 * Number of trials that a search will make: for a grid, the accepted sets; for any other method at most the number
 * given, and exactly that if the space is too large to enumerate.
 */
export function trialsOf({ space, method, trials, accepts }: SamplerOptions): number {
  if (method !== 'grid' && sizeOf(space) > GRID_MAX) return trials;
  const most = method === 'grid' ? Infinity : trials;
  let count = 0;
  for (const sets = acceptedSets(space, accepts); count < most && sets.next().done !== true;) count++;
  return count;
}

/**
 * Accepted sets of a space in a seeded order: the remaining ones, when draws find nothing new.
 * @throws {ConfigError} for a space too large to enumerate; `found`: number of sets that draws have found in it
 */
function leftSets(options: SamplerOptions, found: number): ParamSet[] {
  const { space, accepts } = options;
  if (sizeOf(space) > GRID_MAX)
    throw new ConfigError(
      `${found === 0 ? 'no set' : `only ${counted(found, 'set')}`} of the space found that may be tried: ${DRAWS_MAX} more draws in a row ` +
        'did not fit the constraint and the parameters of the strategy, and the space is too large to go through. ' +
        `Narrow it, or give it steps so that it has at most ${GRID_MAX} sets${found === 0 ? '' : `, or ask for --trials ${found}`}`,
    );
  const random = streamOf(options, 'left');
  return [...acceptedSets(space, accepts)]
    .map((set) => [random.next(), set] as const)
    .sort(([a], [b]) => a - b)
    .map(([, set]) => set);
}

const setAt = (space: Space, places: readonly number[]): ParamSet =>
  Object.fromEntries(
    space.map((dimension, index) => [dimension.name, valueFrom(dimension, places[index] ?? 0)]),
  );

const streamOf = ({ seed }: SamplerOptions, name: string): Random => seededRandom(`${seed} ${name}`);

function* randomSets(options: SamplerOptions): Generator<ParamSet, undefined> {
  const random = streamOf(options, 'random');
  for (;;)
    yield setAt(
      options.space,
      options.space.map(() => random.next()),
    );
}

function* evenSets(options: SamplerOptions): Generator<ParamSet, undefined> {
  for (const places of sobolPoints(options.space.length, streamOf(options, 'sobol')))
    yield setAt(options.space, places);
}

/** All sets of a grid. */
class GridSampler implements Sampler {
  readonly isAdaptive = false;
  readonly #sets: Iterator<ParamSet, undefined>;

  constructor(sets: Iterator<ParamSet, undefined>) {
    this.#sets = sets;
  }

  next(): readonly ParamSet[] {
    const sets: ParamSet[] = [];
    while (sets.length < CHUNK) {
      const drawn = this.#sets.next();
      if (drawn.done === true) break;
      sets.push(drawn.value);
    }
    return sets;
  }
}

/** Distinct accepted sets of an endless stream; once draws find nothing new, the remaining sets of the space. */
class DrawSampler implements Sampler {
  readonly isAdaptive = false;
  readonly #draws: Iterator<ParamSet, undefined>;
  readonly #options: SamplerOptions;
  readonly #seen = new Set<string>();
  #left: ParamSet[] | null = null;

  constructor(draws: Iterator<ParamSet, undefined>, options: SamplerOptions) {
    [this.#draws, this.#options] = [draws, options];
  }

  next(): readonly ParamSet[] {
    return this.take(CHUNK);
  }

  take(count: number): ParamSet[] {
    const sets: ParamSet[] = [];
    while (sets.length < count && this.#seen.size < this.#options.trials) {
      const set = this.#draw();
      if (!set) break;
      this.#seen.add(keyOf(set));
      sets.push(set);
    }
    return sets;
  }

  #draw(): ParamSet | undefined {
    const isNew = (set: ParamSet) => !this.#seen.has(keyOf(set));
    for (let draws = 0; draws < DRAWS_MAX && !this.#left; draws++) {
      const set = this.#draws.next().value;
      if (set && isNew(set) && this.#options.accepts(set)) return set;
    }
    this.#left ??= leftSets(this.#options, this.#seen.size).filter(isNew);
    return this.#left.pop();
  }
}

/** Evenly spread trials first, then generations from tree-structured Parzen estimators. */
class TpeSampler implements Sampler {
  readonly isAdaptive = true;
  readonly #options: SamplerOptions;
  readonly #beginning: DrawSampler;
  readonly #random: Random;
  #left: readonly ParamSet[] | null = null;

  constructor(options: SamplerOptions) {
    this.#options = options;
    const trials = Math.min(options.trials, BEGINNING);
    this.#beginning = new DrawSampler(evenSets(options), { ...options, trials });
    this.#random = streamOf(options, 'tpe');
  }

  next(history: readonly ParamScore[]): readonly ParamSet[] {
    if (history.length === 0) return this.#beginning.take(BEGINNING);
    const count = Math.min(GENERATION, this.#options.trials - history.length);
    const seen = new Set(history.map(({ params }) => keyOf(params)));
    const ranked = rankOf(history);
    const sets: ParamSet[] = [];
    while (sets.length < count) {
      const set = this.#draw(ranked, seen);
      if (!set) break;
      seen.add(keyOf(set));
      sets.push(set);
    }
    return sets;
  }

  /** New set from the estimators; after many repeated sets, a random one, and finally one of the remaining ones. */
  #draw(ranked: readonly ParamSet[], seen: ReadonlySet<string>): ParamSet | undefined {
    const { space, accepts } = this.#options;
    const isNew = (set: ParamSet) => !seen.has(keyOf(set));
    const most = this.#left ? GENERATION : DRAWS_MAX;
    for (let draws = 0; draws < most; draws++) {
      const set =
        draws < GENERATION
          ? proposeByTpe(space, ranked, this.#random)
          : setAt(
              space,
              space.map(() => this.#random.next()),
            );
      if (isNew(set) && accepts(set)) return set;
    }
    this.#left ??= leftSets(this.#options, seen.size);
    return this.#left.find(isNew);
  }
}
