import { epochMs, toIso } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { ColumnSet, SignalColumns } from './signalColumns.ts';

/**
 * Target weights by symbol, each a fraction of the equity from 0 to 1, or NaN to leave the symbol unchanged. One for
 * each bar of the symbol, or one for each row of all symbols. Symbols left out are not traded.
 */
export type SignalWeights = Readonly<Record<string, ArrayLike<number>>>;

/** Signal function of a strategy, bound to its parameters. */
export type Signals = (columns: SignalColumns) => SignalWeights;

/** Checked weights of one symbol. `rows`: row of each weight; null if there is one for each row. */
export type WeightColumn = Readonly<{ symbol: string; values: ArrayLike<number>; rows: Int32Array | null }>;

const NO_ROWS = new Int32Array();

/** True for an object whose fields may be weights by symbol, which a Map does not have. */
export const isByName = (made: unknown): made is object =>
  typeof made === 'object' &&
  made !== null &&
  !('length' in made || made instanceof Promise || made instanceof Map);

/** Weights of each symbol, in column order. @throws {InvalidValueError} for anything but weights by symbol */
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

/** Rows at which the weight in force changes, ascending, with the new weights. */
export type WeightChanges = Readonly<{ rows: Int32Array; weights: Float64Array }>;

const FIRST_CAPACITY = 1_024;

/**
 * Changes of a symbol's weight from row `first` on, with rows counted from it. A weight is in force until the next one
 * that is not NaN; one set earlier counts as a change at that row.
 * @throws {InvalidValueError} for a weight that is not a fraction of the equity, naming its bar
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

/** Start of a row's bars, for messages. */
export const barName = ({ start }: SignalColumns, row: number): string => {
  const at = start[row];
  return at === undefined ? 'no bar' : toIso(epochMs(at));
};

/** Weight that depends on later bars. `known`: number of rows with which it was computed as `without`. */
export type LookAhead = Readonly<{
  symbol: string;
  row: number;
  known: number;
  with: number;
  without: number;
}>;

/** Number of histories to test, and the average length of each relative to the one before. */
const HISTORIES = 24;
const PART = 0.75;
/** Golden ratio: its multiples, modulo 1, are spread evenly and have no period. */
const GOLDEN = 0.618_033_988_749_895;
/** Difference of two weights that counts as rounding. */
const SAME = 1e-9;

/**
 * Finds a weight that changes when later bars are not known yet. Tests a fixed set of histories that end early: most
 * are short, so that together they take about three times as long as the whole.
 * @param rowsMax maximum rows of a tested history
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

/** Row counts below `length`, largest first. */
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

/** Weights for all rows, NaN where none is given. */
function onAllRows({ values, rows }: WeightColumn, { start }: ColumnSet): ArrayLike<number> {
  if (rows === null) return values;
  const all = new Float64Array(start.length).fill(NaN);
  for (let index = 0; index < rows.length; index++) all[rows[index] ?? 0] = values[index] ?? NaN;
  return all;
}

/** First row at which a history's weight differs from that of the whole; -1 for none. */
function firstDifference(history: ArrayLike<number>, whole: ArrayLike<number>): number {
  for (let row = 0; row < history.length; row++) {
    const [one, other] = [history[row] ?? NaN, whole[row] ?? NaN];
    if (one === other || Math.abs(one - other) <= SAME || (Number.isNaN(one) && Number.isNaN(other)))
      continue;
    return row;
  }
  return -1;
}
