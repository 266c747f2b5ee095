import { missing, type Missing } from '../../statistics/figures.ts';
import { quantileOf, sorted } from '../../statistics/moments.ts';
import type { ParamSet } from '../search/space.ts';

/** Trial with its objective: higher is better, and 0 means no gain, as for a Sharpe ratio or a return. */
export type TrialValue = Readonly<{ params: ParamSet; value: number }>;

export type Plateau = Readonly<{
  /** Median of the neighbours as a fraction of the best: 0 for a lonely peak, 1 for neighbours that are as good. */
  score: number;
  /** Trials adjacent to the best, by index. */
  neighbours: readonly number[];
  /** Parameters for which the best trial has the lowest or highest value tried. */
  edges: readonly string[];
  text: string;
}>;

/** Score from which the best counts as on a plateau; below it is a lonely peak. */
export const PLATEAU_MIN = 0.6;
const PEAK_MAX = 0.3;
/** Minimum number of values of a parameter for its lowest and highest to count as edges. */
const EDGE_VALUES_MIN = 3;

/**
 * Plateau around the best trial: the median of its neighbours over its own value. If small parameter changes ruin the
 * result, it rests on chance: future years differ more than that. Trials without a value (NaN) are ignored.
 * Source of the idea: Pardo, "The evaluation and optimization of trading strategies", 2008. The score is our own.
 *
 * @param logarithmic parameters whose distances are logarithmic
 */
export function plateauOf(
  trials: readonly TrialValue[],
  best: number,
  logarithmic?: ReadonlySet<string>,
): Plateau | Missing {
  const known = trials.flatMap(({ value }, place) => (Number.isFinite(value) ? [place] : []));
  if (!known.includes(best)) return missing('the best trial has no value');
  const space = parameterSpace(
    trials.map(({ params }) => params),
    logarithmic,
  );
  const valueOf = (place: number) => trials[place]?.value ?? NaN;
  const neighboursOf = (place: number) =>
    space.neighboursOf(place).filter((other) => Number.isFinite(valueOf(other)));
  const neighbours = neighboursOf(best);
  if (neighbours.length === 0) return missing('no trial is beside the best one');
  const ratio = quantileOf(sorted(neighbours.map(valueOf)), 0.5) / valueOf(best);
  const score = valueOf(best) > 0 ? Math.min(Math.max(ratio, 0), 1) : 0;
  const params = trials[best]?.params ?? {};
  const edges = space.axes.filter((axis) => isEdge(axis, params)).map(({ name }) => name);
  return { score, neighbours, edges, text: textOf(score, neighbours.length, edges) };
}

const isEdge = ({ name, values }: NumericAxis, params: ParamSet): boolean =>
  values.length >= EDGE_VALUES_MIN && (params[name] === values[0] || params[name] === values.at(-1));

function textOf(score: number, neighbours: number, edges: readonly string[]): string {
  const share = `${Math.round(score * 100)} % of its result`;
  const beside =
    neighbours === 1 ? 'its one neighbour reaches' : `the median of its ${neighbours} neighbours reaches`;
  const kind =
    score >= PLATEAU_MIN ? 'is on a plateau' : score < PEAK_MAX ? 'is a lonely peak' : 'is on a slope';
  const edge = edges.length === 0 ? '' : `; it lies at the edge of ${edges.join(' and ')}: try values beyond`;
  return `the best set ${kind}: ${beside} ${share}${edge}`;
}

/** Numeric parameter with the distinct values tried, ascending. */
type NumericAxis = Readonly<{ name: string; values: Float64Array; isLogarithmic: boolean }>;

type ParameterSpace = Readonly<{
  axes: readonly NumericAxis[];
  /** Trials adjacent to one, by index. */
  neighboursOf(place: number): number[];
}>;

/** Maximum number of grid points per trial: with more it is no grid, even if constraints excluded some of it. */
const GRID_PLACES_MAX = 4;
/** Neighbours per parameter without a grid: one up and one down. */
const NEAREST_PER_AXIS = 2;

/**
 * Space of the parameters tried. On a grid, neighbours are at most one step away in each parameter; otherwise they are
 * the nearest trials with all parameters scaled to 0 to 1 (logarithmically if searched that way), two for each.
 * Non-numeric parameters must be equal.
 */
function parameterSpace(
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

/** Distinct values of a parameter, ascending; null if one is not a number. */
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
