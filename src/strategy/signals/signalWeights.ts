import { epochMs, toIso } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { ColumnSet, SignalColumns } from './signalColumns.ts';

/**
 * Target weights by symbol, each a share of the equity from 0 to 1, or NaN to leave the symbol as it is. One for each bar of
 * the symbol, or one for each row of all symbols. A symbol that is left out is not traded.
 */
export type SignalWeights = Readonly<Record<string, ArrayLike<number>>>;

/** Signals of a strategy with its parameters. */
export type Signals = (columns: SignalColumns) => SignalWeights;

/** Checked weights of one symbol. `rows`: the row of each; null if there is one for each row. */
export type WeightColumn = Readonly<{ symbol: string; values: ArrayLike<number>; rows: Int32Array | null }>;

const NO_ROWS = new Int32Array();

/** True for an object whose fields may be weights by symbol: a Map has none, whatever is in it. */
export const isByName = (made: unknown): made is object =>
  typeof made === 'object' &&
  made !== null &&
  !('length' in made || made instanceof Promise || made instanceof Map);

/** Weights of each symbol of the columns, in their order. @throws {InvalidValueError} for anything but weights by symbol */
export function weightsOf(signals: Signals, columns: ColumnSet): WeightColumn[] {
  const made: unknown = signals(columns);
  if (!isByName(made))
    throw new InvalidValueError(
      'signals returns no weights: an object with a list of them by symbol, such as { AAPL: weights }',
    );
  for (const symbol of Object.keys(made)) columns.of(symbol);
  return columns.symbols.map((symbol) => columnOf(symbol, (made as SignalWeights)[symbol], columns));
}

function columnOf(symbol: string, values: ArrayLike<number> | undefined, columns: ColumnSet): WeightColumn {
  if (values === undefined) return { symbol, values: NO_ROWS, rows: NO_ROWS };
  const [bars, rows] = [columns.of(symbol).start.length, columns.start.length];
  if (typeof values === 'object' && values.length === bars)
    return { symbol, values, rows: columns.rowsOf(symbol) };
  if (typeof values === 'object' && values.length === rows) return { symbol, values, rows: null };
  const given = typeof values === 'object' ? `${values.length} weights` : String(values);
  const all = rows === bars ? '' : `, or for each of the ${rows} rows`;
  throw new InvalidValueError(
    `weights of ${symbol}: ${given}, expected one for each of its ${bars} bars${all}`,
  );
}

/** Rows at which the weight in force changes, ascending, and the weights from there on. */
export type WeightChanges = Readonly<{ rows: Int32Array; weights: Float64Array }>;

const FIRST_CAPACITY = 1_024;

/**
 * Changes of a symbol's weight from row `first` on, counted from it. A weight is in force until the next that is not NaN; one from
 * before counts as a change at that row.
 * @throws {InvalidValueError} for a weight that is not a share of the equity, naming its bar
 */
export function changesOf(
  { values, rows, symbol }: WeightColumn,
  first: number,
  columns: ColumnSet,
): WeightChanges {
  let [places, weights, count, inForce] = [
    new Int32Array(FIRST_CAPACITY),
    new Float64Array(FIRST_CAPACITY),
    0,
    NaN,
  ];
  for (let index = 0; index < values.length; index++) {
    const weight = values[index] ?? NaN;
    if (weight === inForce || Number.isNaN(weight)) continue;
    if (!(weight >= 0 && weight <= 1))
      throw wrongWeight(weight, { symbol, row: rows?.[index] ?? index }, columns);
    inForce = weight;
    const row = Math.max((rows?.[index] ?? index) - first, 0);
    if (row === 0) count = 0;
    if (count === places.length) [places, weights] = [wider(places), wider(weights)];
    places[count] = row;
    weights[count] = weight;
    count++;
  }
  return { rows: places.subarray(0, count), weights: weights.subarray(0, count) };
}

function wider<List extends Int32Array | Float64Array>(list: List): List {
  const larger = new (list.constructor as new (length: number) => List)(list.length * 2);
  larger.set(list);
  return larger;
}

/** Weight in force at the last row; NaN for none. @throws as `changesOf` does, for this weight */
export function latestOf({ values, rows, symbol }: WeightColumn, columns: ColumnSet): number {
  let index = values.length - 1;
  while (index >= 0 && Number.isNaN(values[index] ?? NaN)) index--;
  const weight = values[index] ?? NaN;
  if (index < 0 || (weight >= 0 && weight <= 1)) return weight;
  throw wrongWeight(weight, { symbol, row: rows?.[index] ?? index }, columns);
}

type Place = Readonly<{ symbol: string; row: number }>;

const wrongWeight = (weight: unknown, { symbol, row }: Place, columns: ColumnSet): InvalidValueError =>
  new InvalidValueError(
    `weight of ${symbol} at the bar of ${barName(columns, row)}: ${String(weight)} is not between 0 and 1. Write NaN to leave it as it is`,
  );

/** Start of the bars of a row. */
export const barName = ({ start }: SignalColumns, row: number): string => {
  const at = start[row];
  return at === undefined ? 'no bar' : toIso(epochMs(at));
};

/** Weight that later bars have changed. `known`: rows from which it is `without` them. */
export type LookAhead = Readonly<{
  symbol: string;
  row: number;
  known: number;
  with: number;
  without: number;
}>;

/** Histories that are tried, and the part of the one before that each has, on average. */
const HISTORIES = 24;
const PART = 0.75;
/** Multiples of it, modulo 1, are spread evenly and have no period. */
const GOLDEN = 0.618_033_988_749_895;
/** Difference of two weights that is a rounding. */
const SAME = 1e-9;

/**
 * Finds a weight that is another one when later bars are not known yet. Tries histories that end early, always the same: most of
 * them are short, so that together they cost about three times what the whole does.
 * @param rowsMax most rows of a history that is tried
 */
export function lookAheadIn(
  signals: Signals,
  { columns, weights }: Readonly<{ columns: ColumnSet; weights: readonly WeightColumn[] }>,
  rowsMax: number,
): LookAhead | null {
  const all = weights.map((column) => onAllRows(column, columns));
  for (const known of cutsOf(columns.start.length).filter((cut) => cut <= rowsMax)) {
    const head = columns.head(known);
    for (const [index, column] of weightsOf(signals, head).entries()) {
      const without = onAllRows(column, head);
      const row = firstDifference(without, all[index] ?? without);
      if (row < 0) continue;
      return {
        symbol: column.symbol,
        row,
        known,
        with: all[index]?.[row] ?? NaN,
        without: without[row] ?? NaN,
      };
    }
  }
  return null;
}

/** Numbers of rows below `length`, the largest first. */
function cutsOf(length: number): number[] {
  const cuts = new Set<number>();
  let part = 1;
  for (let tried = 0; tried < HISTORIES; tried++) {
    part *= PART * (0.75 + ((tried * GOLDEN) % 1) / 2);
    const cut = Math.floor(part * length);
    if (cut > 0) cuts.add(cut);
  }
  return [...cuts];
}

/** A weight for each row, NaN if none is given. */
function onAllRows({ values, rows }: WeightColumn, { start }: ColumnSet): ArrayLike<number> {
  if (rows === null) return values;
  const all = new Float64Array(start.length).fill(NaN);
  for (let index = 0; index < rows.length; index++) all[rows[index] ?? 0] = values[index] ?? NaN;
  return all;
}

/** First row of a history at which the whole has another weight; -1 for none. */
function firstDifference(history: ArrayLike<number>, whole: ArrayLike<number>): number {
  for (let row = 0; row < history.length; row++) {
    const [one, other] = [history[row] ?? NaN, whole[row] ?? NaN];
    if (one === other || Math.abs(one - other) <= SAME || (Number.isNaN(one) && Number.isNaN(other)))
      continue;
    return row;
  }
  return -1;
}
