import { InvalidValueError } from '../../core/errors.ts';
import type { Candle, Indicator, Row } from './indicator.ts';

/** Columns, one for each number of an output; NaN where the indicator has no value yet. */
export type Columns<Output> = Output extends number
  ? Float64Array
  : { readonly [Name in keyof Output]: Float64Array };

/** Bars as columns of equal length, oldest first; `start` in epoch ms. */
export type CandleColumns = Readonly<Record<keyof Candle, ArrayLike<number>>>;

/** Columns that an indicator reads, of equal length. Additional ones are allowed. */
export type RowColumns<Input> = Readonly<Record<Extract<keyof Input, keyof Row>, ArrayLike<number>>> &
  AnyColumns;
type AnyColumns = Readonly<Partial<Record<keyof Row, ArrayLike<number>>>>;

type Answer = number | Readonly<Record<string, number>>;

/**
 * Columnar form of an indicator: all outputs for a series in one pass, bit-identical to those of `next`, which computes
 * them.
 *
 *     columns(sma(20), closes)            // Float64Array
 *     columns(macd(), closes).histogram   // Float64Array
 *     columns(atr(14), bars)
 *     columns(crossedAbove(), { value: fast, reference: slow })
 *
 * @param indicator a fresh one: it continues from the values that it has seen
 * @throws {InvalidValueError} when columns differ in length
 */
export function columns<Output extends number | object>(
  indicator: Indicator<number, Output>,
  values: ArrayLike<number>,
): Columns<Output>;
export function columns<Input extends Partial<Row>, Output extends number | object>(
  indicator: Indicator<Input, Output>,
  rows: RowColumns<NoInfer<Input>>,
): Columns<Output>;
export function columns(
  indicator: Indicator<never, Answer>,
  input: ArrayLike<number> | AnyColumns,
): Columns<Answer> {
  const from = indicator as Indicator<unknown, Answer>;
  if (isSeries(input))
    return from.series?.(input) ?? written(input.length, (index) => from.next(input[index] ?? NaN));
  const { length, read } = rowsOf(input);
  return written(length, (index) => from.next(read(index)));
}

function written(length: number, answer: (index: number) => Answer): Columns<Answer> {
  // If there are no rows, one call reveals the field names.
  const first = answer(0);
  if (typeof first === 'number') {
    const column = new Float64Array(length);
    column[0] = first;
    for (let index = 1; index < length; index++) column[index] = answer(index) as number;
    return column;
  }
  const made = Object.keys(first).map((name) => ({ name, column: new Float64Array(length) }));
  for (let index = 0; index < length; index++) {
    const given = index === 0 ? first : (answer(index) as typeof first);
    for (const { name, column } of made) column[index] = given[name] ?? NaN;
  }
  return Object.fromEntries(made.map(({ name, column }) => [name, column]));
}

const NONE = new Float64Array(0);
const FIELDS = ['start', 'open', 'high', 'low', 'close', 'volume', 'value', 'reference'] as const;

const isSeries = (input: ArrayLike<number> | AnyColumns): input is ArrayLike<number> =>
  !FIELDS.some((field) => field in input);

/** Reads every row into the same object, because no indicator keeps it. Fields without a column are NaN. */
function rowsOf(columns: AnyColumns) {
  const lengths = FIELDS.flatMap((name) => {
    const column = columns[name];
    return column ? [{ name, length: column.length }] : [];
  });
  const length = lengths[0]?.length ?? 0;
  const other = lengths.find((each) => each.length !== length);
  if (other)
    throw new InvalidValueError(
      `columns needs columns of one length, not ${length} of ${lengths[0]?.name} and ${other.length} of ${other.name}`,
    );
  const { start = NONE, open = NONE, high = NONE, low = NONE, close = NONE } = columns;
  const { volume = NONE, value = NONE, reference = NONE } = columns;
  const row = {
    start: NaN,
    open: NaN,
    high: NaN,
    low: NaN,
    close: NaN,
    volume: NaN,
    value: NaN,
    reference: NaN,
  };
  const read = (index: number): Row => {
    row.start = start[index] ?? NaN;
    row.open = open[index] ?? NaN;
    row.high = high[index] ?? NaN;
    row.low = low[index] ?? NaN;
    row.close = close[index] ?? NaN;
    row.volume = volume[index] ?? NaN;
    row.value = value[index] ?? NaN;
    row.reference = reference[index] ?? NaN;
    return row;
  };
  return { length, read };
}
