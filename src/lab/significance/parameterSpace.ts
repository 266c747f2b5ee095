import type { ParamSet } from '../search/space.ts';

/** Numeric parameter with the different values that were tried, ascending. */
export type NumericAxis = Readonly<{ name: string; values: Float64Array; isLogarithmic: boolean }>;

export type ParameterSpace = Readonly<{
  axes: readonly NumericAxis[];
  /** Trials beside one, by their place in the list. */
  neighboursOf(place: number): number[];
}>;

/** Maximum number of places of a grid for each trial: fewer trials are no grid, even where constraints left some of it out. */
const GRID_PLACES_MAX = 4;
/** Neighbours for each parameter if there is no grid: one up and one down. */
const NEAREST_PER_AXIS = 2;

/**
 * Space of the parameters that were tried. On a grid neighbours are at most one step away in each parameter; elsewhere they are
 * the nearest of the space whose parameters all go from 0 to 1, by their logarithms where they were searched so, two for each.
 * Parameters that are no numbers are the same.
 */
export function parameterSpace(
  trials: readonly ParamSet[],
  logarithmic: ReadonlySet<string> = new Set(),
): ParameterSpace {
  const names = Object.keys(trials[0] ?? {});
  const axes = names.flatMap((name): NumericAxis[] => {
    const values = numbersOf(trials, name);
    return values ? [{ name, values, isLogarithmic: logarithmic.has(name) }] : [];
  });
  const others = names.filter((name) => !axes.some((axis) => axis.name === name));
  const groups = trials.map((params) => JSON.stringify(others.map((name) => params[name])));
  const steps = trials.map((params) => axes.map(({ name, values }) => values.indexOf(Number(params[name]))));
  const points = trials.map((params) => axes.map((axis) => shareOf(axis, Number(params[axis.name]))));
  const places = axes.reduce((product, { values }) => product * values.length, new Set(groups).size);
  const isGrid = places <= GRID_PLACES_MAX * trials.length;
  return {
    axes,
    neighboursOf: (place) => {
      const group = trials.flatMap((_, other) =>
        other !== place && groups[other] === groups[place] ? [other] : [],
      );
      if (axes.length === 0) return [];
      if (isGrid) return group.filter((other) => Math.max(...differences(steps[place], steps[other])) === 1);
      return group
        .map((other) => ({ other, distance: distance(points[place], points[other]) }))
        .sort((a, b) => a.distance - b.distance)
        .slice(0, NEAREST_PER_AXIS * axes.length)
        .map(({ other }) => other);
    },
  };
}

/** Different values of a parameter, ascending; null if one is not a number. */
function numbersOf(trials: readonly ParamSet[], name: string): Float64Array | null {
  const values = trials.map((params) => params[name]);
  return values.every((value) => typeof value === 'number')
    ? Float64Array.from(new Set(values)).sort()
    : null;
}

function shareOf({ values, isLogarithmic }: NumericAxis, value: number): number {
  const scaled = isLogarithmic ? Math.log : Number;
  const [least, greatest] = [scaled(values[0] ?? NaN), scaled(values.at(-1) ?? NaN)];
  return greatest > least ? (scaled(value) - least) / (greatest - least) : 0;
}

type Coordinates = readonly number[] | undefined;

const differences = (first: Coordinates = [], second: Coordinates = []): number[] =>
  first.map((value, axis) => Math.abs(value - (second[axis] ?? NaN)));

const distance = (first: Coordinates, second: Coordinates): number =>
  Math.hypot(...differences(first, second));
