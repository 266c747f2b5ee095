import { ConfigError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seededRandom.ts';
import type { Constraint } from './constraint.ts';
import { rankOf } from './pareto.ts';
import { SOBOL_DIMENSIONS, sobolPoints } from './sobol.ts';
import { countOf, keyOf, sizeOf, valueAt, valueFrom, type ParamSet, type Space } from './space.ts';
import { proposeByTpe } from './tpe.ts';

export const METHODS = ['grid', 'random', 'sobol', 'tpe'] as const;
export type Method = (typeof METHODS)[number];

/** Finished trial as a search sees it: each objective, the higher the better; null where it is undefined or failed. */
export type Scored = Readonly<{ params: ParamSet; objectives: readonly (number | null)[] }>;

/**
 * Source of parameter sets. What it proposes depends on space, seed and the finished generations alone, never on the order in
 * which trials end: a search that was killed goes on to the same trials.
 */
export interface Sampler {
  /** True where finished trials decide what comes next. */
  readonly isAdaptive: boolean;
  /** The next generation, given all finished trials in the order of their numbers; empty at the end. */
  next(history: readonly Scored[]): readonly ParamSet[];
}

export type SamplerOptions = Readonly<{
  space: Space;
  method: Method;
  /** Most parameter sets; a grid takes all of its own. */
  trials: number;
  seed: number;
  /** Sets that may be tried at all. */
  accepts: Constraint;
}>;

/** Trials that are proposed at once where results decide what comes next. */
const GENERATION = 8;
/** Trials of other methods in one go, so that a long search needs no long list. */
const CHUNK = 512;
/** Trials that are spread evenly before results decide. */
const BEGINNING = 2 * GENERATION;
/** Draws without a new set after which there is none left. */
const DRAWS_MAX = 20_000;
const GRID_MAX = 1_000_000;

/** @throws {ConfigError} for a grid without an end, or a space of more parameters than the method takes */
export function samplerOf(options: SamplerOptions): Sampler {
  const { space, method } = options;
  if (method === 'grid') return new ChunkSampler(gridSets(space), options, Infinity);
  if (method === 'random') return new ChunkSampler(randomSets(options), options, options.trials);
  if (space.length > SOBOL_DIMENSIONS)
    throw new ConfigError(
      `${method} takes at most ${SOBOL_DIMENSIONS} parameters, and the space has ${space.length}. Use --method random`,
    );
  const even = new ChunkSampler(evenSets(options), options, options.trials);
  return method === 'sobol' ? even : new TpeSampler(options);
}

/** Every set of a space, the last parameter changing first. @throws {ConfigError} for a range, or too many */
function gridSets(space: Space): Iterator<ParamSet, undefined> {
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
  return gridFrom(space, size);
}

function* gridFrom(space: Space, size: number): Generator<ParamSet, undefined> {
  for (let number = 0; number < size; number++) {
    let rest = number;
    const values = [...space].reverse().map((dimension) => {
      const count = countOf(dimension);
      const index = rest % count;
      rest = Math.floor(rest / count);
      return [
        dimension.name,
        dimension.kind === 'range' ? dimension.min : valueAt(dimension, index),
      ] as const;
    });
    yield Object.fromEntries(values.reverse());
  }
}

/** Number of trials that a search will make: of a grid those that may be tried, of any other at most so many as it was given. */
export function trialsOf({ space, method, trials, accepts }: SamplerOptions): number {
  if (method !== 'grid') return Math.min(trials, sizeOf(space));
  let count = 0;
  for (const set of gridFrom(space, sizeOf(space))) if (accepts(set)) count++;
  return count;
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

/** Distinct sets of a stream that may be tried. */
class ChunkSampler implements Sampler {
  readonly isAdaptive = false;
  readonly #sets: Iterator<ParamSet, undefined>;
  readonly #accepts: Constraint;
  readonly #seen = new Set<string>();
  readonly #trials: number;

  constructor(sets: Iterator<ParamSet, undefined>, { accepts }: SamplerOptions, trials: number) {
    [this.#sets, this.#accepts, this.#trials] = [sets, accepts, trials];
  }

  next(): readonly ParamSet[] {
    return this.take(CHUNK);
  }

  take(count: number): ParamSet[] {
    const sets: ParamSet[] = [];
    for (let draws = 0; draws < DRAWS_MAX && sets.length < count && this.#seen.size < this.#trials; draws++) {
      const drawn = this.#sets.next();
      if (drawn.done === true) break;
      const key = keyOf(drawn.value);
      if (this.#seen.has(key) || !this.#accepts(drawn.value)) continue;
      this.#seen.add(key);
      draws = 0;
      sets.push(drawn.value);
    }
    return sets;
  }
}

/** Evenly spread trials first, then generations by tree-structured Parzen estimators. */
class TpeSampler implements Sampler {
  readonly isAdaptive = true;
  readonly #options: SamplerOptions;
  readonly #beginning: ChunkSampler;
  readonly #random: Random;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#beginning = new ChunkSampler(evenSets(options), options, Math.min(options.trials, BEGINNING));
    this.#random = streamOf(options, 'tpe');
  }

  next(history: readonly Scored[]): readonly ParamSet[] {
    if (history.length === 0) return this.#beginning.take(BEGINNING);
    const count = Math.min(GENERATION, this.#options.trials - history.length);
    const seen = new Set(history.map(({ params }) => keyOf(params)));
    const ranked = rankOf(history);
    const sets: ParamSet[] = [];
    for (let draws = 0; draws < DRAWS_MAX / GENERATION && sets.length < count; draws++) {
      const set = this.#draw(ranked, draws);
      const key = keyOf(set);
      if (seen.has(key) || !this.#options.accepts(set)) continue;
      seen.add(key);
      draws = 0;
      sets.push(set);
    }
    return sets;
  }

  /** By the estimators; after many draws of what was tried, by chance. */
  #draw(ranked: readonly ParamSet[], draws: number): ParamSet {
    const { space } = this.#options;
    if (draws < GENERATION) return proposeByTpe(space, ranked, this.#random);
    return setAt(
      space,
      space.map(() => this.#random.next()),
    );
  }
}
