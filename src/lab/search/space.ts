import { ConfigError } from '../../core/errors.ts';
import { suggest } from '../../core/suggest.ts';

/** Value of a parameter that a search may vary. */
export type ParamValue = number | string | boolean;

/** Values of the searched parameters, by name. */
export type ParamSet = Readonly<Record<string, ParamValue>>;

/**
 * One searched parameter. `choice`: listed values; `steps`: `min`, `min + step` and so on; `range`: any number from
 * `min` to `max`, on a logarithmic scale with `log`.
 */
export type Dimension = Readonly<{ name: string }> &
  Readonly<
    | { kind: 'choice'; values: readonly ParamValue[] }
    | { kind: 'steps'; min: number; step: number; count: number }
    | { kind: 'range'; min: number; max: number; log: boolean }
  >;

/** Searched parameters, in the order in which they were named. */
export type Space = readonly Dimension[];

/** Part of a JSON Schema that describes one parameter. `search` comes from `.meta({ search })` of the strategy. */
type ParamSchema = Readonly<{
  type?: string;
  enum?: readonly ParamValue[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  search?: unknown;
}>;

/** Parameters of a strategy as JSON Schema: the output of `z.toJSONSchema` for its `params`. */
export type ParamsSchema = Readonly<{ properties?: Readonly<Record<string, ParamSchema>> }>;

const FORMS = '[5, 10, 20] or {"min": 5, "max": 20, "step": 5}';

/** Number of values of a dimension; Infinity for a range. */
export const countOf = (dimension: Dimension): number => {
  if (dimension.kind === 'choice') return dimension.values.length;
  return dimension.kind === 'steps' ? dimension.count : Infinity;
};

/** Number of parameter sets in a space; Infinity if it has a range. */
export const sizeOf = (space: Space): number =>
  space.reduce((size, dimension) => size * countOf(dimension), 1);

export function valueAt(dimension: Exclude<Dimension, { kind: 'range' }>, index: number): ParamValue {
  if (dimension.kind === 'choice') return dimension.values[index] ?? '';
  const { min, step } = dimension;
  return Number((min + index * step).toFixed(Math.max(placesOf(min), placesOf(step))));
}

/** Value of a dimension for a position in [0, 1). */
export function valueFrom(dimension: Dimension, place: number): ParamValue {
  if (dimension.kind !== 'range') return valueAt(dimension, Math.floor(place * countOf(dimension)));
  const { min, max, log } = dimension;
  return log ? min * (max / min) ** place : min + place * (max - min);
}

/** Position of a value, 0 to 1: the middle of its share of the dimension. */
export function placeOf(dimension: Dimension, value: ParamValue): number {
  if (dimension.kind === 'choice') return middle(dimension.values.indexOf(value), dimension.values.length);
  const number = Number(value);
  const { min } = dimension;
  if (dimension.kind === 'steps') return middle(Math.round((number - min) / dimension.step), dimension.count);
  const { max, log } = dimension;
  return log ? Math.log(number / min) / Math.log(max / min) : (number - min) / (max - min);
}

const middle = (index: number, count: number): number => (index + 0.5) / count;

/** True for listed values without an order, such as texts, for which distance has no meaning. */
export const isUnordered = (dimension: Dimension): boolean =>
  dimension.kind === 'choice' && dimension.values.some((value) => typeof value !== 'number');

/** Text that is equal for equal parameter sets. */
export const keyOf = (params: ParamSet): string =>
  JSON.stringify(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)));

const DIGITS = 3;

/** Formatted value of a parameter: integers in full, other numbers with three digits. */
export const valueText = (value: ParamValue): string =>
  typeof value === 'number' && !Number.isInteger(value)
    ? String(Number(value.toPrecision(DIGITS)))
    : String(value);

/** Formatted parameter set: `fast 5, slow 30`. */
export const setText = (params: ParamSet): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ');

const placesOf = (value: number): number => {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
};

/**
 * Parses a space: `{ "fast": [5, 10], "slow": { "min": 30, "max": 100, "step": 10 } }`.
 * @throws {ConfigError} naming a parameter that the strategy does not have, or one with an empty or infinite form
 */
export function spaceOf(given: unknown, schema: ParamsSchema): Space {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigError(`the space is not an object: write {"parameter": ${FORMS}}`);
  const known = schema.properties ?? {};
  const space = Object.entries(given).map(([name, form]) => {
    const own = known[name];
    if (!own) throw unknownParam(name, Object.keys(known));
    return dimensionOf(name, form, own);
  });
  if (space.length === 0) throw new ConfigError('the space is empty: name at least one parameter');
  return space;
}

function unknownParam(name: string, known: readonly string[]): ConfigError {
  const near = suggest(name, known);
  const remedy = near === undefined ? `It has ${known.join(', ') || 'none'}` : `Did you mean ${near}?`;
  return new ConfigError(`the space names "${name}", but the strategy has no such parameter. ${remedy}`);
}

function dimensionOf(name: string, form: unknown, schema: ParamSchema): Dimension {
  if (Array.isArray(form)) return choiceOf(name, form);
  if (typeof form !== 'object' || form === null)
    throw new ConfigError(`space of ${name}: ${JSON.stringify(form)} is one value. Write ${FORMS}`);
  return stepsOf(name, form, schema.type === 'integer');
}

function choiceOf(name: string, values: readonly unknown[]): Dimension {
  const isValue = (value: unknown) =>
    typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  const odd = values.findIndex((value) => !isValue(value));
  if (odd >= 0)
    throw new ConfigError(`space of ${name}: value ${odd + 1} is neither a number, a text nor true or false`);
  const kept = [...new Set(values as readonly ParamValue[])];
  if (kept.length === 0) throw new ConfigError(`space of ${name}: the list is empty`);
  return { name, kind: 'choice', values: kept };
}

type Bounds = Readonly<{ min?: unknown; max?: unknown; step?: unknown; log?: unknown }>;

function stepsOf(
  name: string,
  { min, max, step, log = false, ...rest }: Bounds,
  isWhole: boolean,
): Dimension {
  const [odd] = Object.keys(rest);
  if (odd !== undefined)
    throw new ConfigError(`space of ${name}: "${odd}" is not one of min, max, step, log`);
  if (!isFinite(min) || !isFinite(max))
    throw new ConfigError(`space of ${name} has no bounds: give it min and max, as numbers. Forms: ${FORMS}`);
  if (min > max) throw new ConfigError(`space of ${name} is empty: min ${min} is above max ${max}`);
  if (typeof log !== 'boolean') throw new ConfigError(`space of ${name}: log is true or false`);
  if (log && step !== undefined) throw new ConfigError(`space of ${name}: give step or log, not both`);
  if (log && min <= 0) throw new ConfigError(`space of ${name}: with log, min is above 0`);
  const width = step ?? (isWhole ? 1 : undefined);
  if (width === undefined) return { name, kind: 'range', min, max, log };
  if (!isFinite(width) || width <= 0) throw new ConfigError(`space of ${name}: step is a number above 0`);
  if (isWhole && !(Number.isInteger(min) && Number.isInteger(width)))
    throw new ConfigError(`space of ${name}: it takes whole numbers, and so do min and step`);
  // Counts a last step that rounding has made slightly too short.
  return { name, kind: 'steps', min, step: width, count: Math.floor((max - min) / width + 1e-9) + 1 };
}

const isFinite = (value: unknown): value is number => Number.isFinite(value);

/** Space described by a strategy's own schema, and the parameters left out, each with its reason. */
export type SchemaSpace = Readonly<{
  space: Space;
  left: readonly Readonly<{ name: string; why: string }>[];
}>;

/**
 * Derives the space from a strategy's parameters: numbers with min and max, enumerations and booleans. `.meta({ search
 * })`, with `false` or a form of `spaceOf`, overrides it. @throws {ConfigError} when nothing is left to search
 */
export function spaceOfSchema(schema: ParamsSchema): SchemaSpace {
  const space: Dimension[] = [];
  const left: { name: string; why: string }[] = [];
  for (const [name, own] of Object.entries(schema.properties ?? {})) {
    const found = searchOf(name, own);
    if (typeof found === 'string') left.push({ name, why: found });
    else space.push(found);
  }
  if (space.length > 0) return { space, left };
  const why = left.map(({ name, why: reason }) => `${name} (${reason})`).join(', ');
  throw new ConfigError(
    `nothing to search: ${why || 'the strategy has no parameters'}. Name values by --space '{"parameter": ${FORMS}}'`,
  );
}

function searchOf(name: string, schema: ParamSchema): Dimension | string {
  const { search, type } = schema;
  if (search === false) return 'its schema says not to';
  if (search !== undefined) return dimensionOf(name, search, schema);
  if (schema.enum) return schema.enum.length > 1 ? choiceOf(name, schema.enum) : 'it has one value';
  if (type === 'boolean') return choiceOf(name, [false, true]);
  if (type !== 'integer' && type !== 'number') return 'it is a text';
  return numberOf(name, schema);
}

function numberOf(name: string, schema: ParamSchema): Dimension | string {
  const isWhole = schema.type === 'integer';
  const inner = isWhole ? (schema.multipleOf ?? 1) : 0;
  const min = schema.minimum ?? (isWhole ? above(schema.exclusiveMinimum, inner) : schema.exclusiveMinimum);
  const max = schema.maximum ?? (isWhole ? above(schema.exclusiveMaximum, -inner) : schema.exclusiveMaximum);
  const isOpen = (bound: number | undefined) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER;
  if (isOpen(min)) return 'it has no min';
  if (isOpen(max)) return 'it has no max';
  return stepsOf(name, { min, max, step: schema.multipleOf }, isWhole);
}

const above = (bound: number | undefined, by: number): number | undefined =>
  bound === undefined ? undefined : bound + by;
