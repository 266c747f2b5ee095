import type { Candle, Indicator } from './indicator.ts';

/** Columns, one for each number of an answer, NaN where the indicator did not know it yet. */
export type Columns<Output> = Output extends number
  ? Float64Array
  : { readonly [Name in keyof Output]: Float64Array };

/** Bars as columns of one length, oldest first; `start` in epoch ms. */
export type CandleColumns = Readonly<Record<keyof Candle, ArrayLike<number>>>;

/**
 * The columnar form of an indicator: all answers to a series, the same to the last bit as those of `next`, which gives them.
 *
 *     columns(sma(20), closes)            // Float64Array
 *     columns(macd(), closes).histogram   // Float64Array
 *     columns(atr(14), bars)
 *
 * @param indicator a fresh one: it goes on from what it has seen
 */
export function columns<Output extends number | object>(
  indicator: Indicator<number, Output>,
  values: ArrayLike<number>,
): Columns<Output>;
export function columns<Output extends number | object>(
  indicator: Indicator<Candle, Output>,
  bars: CandleColumns,
): Columns<Output>;
export function columns(
  indicator: Indicator<never, number | Readonly<Record<string, number>>>,
  input: ArrayLike<number> | CandleColumns,
): Columns<number | Readonly<Record<string, number>>> {
  const from = indicator as Indicator<unknown, number | Readonly<Record<string, number>>>;
  const { length, read } = 'close' in input ? readBars(input) : readValues(input);
  // For no bars, one call shows the names.
  const first = from.next(read(0));
  return typeof first === 'number'
    ? oneColumn({ first, length, answer: (index) => from.next(read(index)) as number })
    : eachColumn({ first, length, answer: (index) => from.next(read(index)) as typeof first });
}

type Answers<Output> = Readonly<{ first: Output; length: number; answer: (index: number) => Output }>;

function oneColumn({ first, length, answer }: Answers<number>): Float64Array {
  const column = new Float64Array(length);
  column[0] = first;
  for (let index = 1; index < length; index++) column[index] = answer(index);
  return column;
}

function eachColumn({ first, length, answer }: Answers<Readonly<Record<string, number>>>) {
  const made = Object.keys(first).map((name) => ({ name, column: new Float64Array(length) }));
  for (let index = 0; index < length; index++) {
    const given = index === 0 ? first : answer(index);
    for (const { name, column } of made) column[index] = given[name] ?? NaN;
  }
  return Object.fromEntries(made.map(({ name, column }) => [name, column]));
}

const readValues = (values: ArrayLike<number>) => ({
  length: values.length,
  read: (index: number) => values[index] ?? NaN,
});

/** Reads every bar into one object, because no indicator keeps it. */
function readBars({ start, high, low, close, volume }: CandleColumns) {
  const bar = { start: NaN, high: NaN, low: NaN, close: NaN, volume: NaN };
  const read = (index: number): Candle => {
    bar.start = start[index] ?? NaN;
    bar.high = high[index] ?? NaN;
    bar.low = low[index] ?? NaN;
    bar.close = close[index] ?? NaN;
    bar.volume = volume[index] ?? NaN;
    return bar;
  };
  return { length: close.length, read };
}
