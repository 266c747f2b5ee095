import type { Bar } from '../../domain/bar.ts';

/**
 * Takes one value or bar at a time, in order, and returns the result so far. It can be used bar by bar with `next`, or
 * for a whole series with `columns`.
 *
 * A NaN input makes the output NaN: for a window until it has left it, for an exponential average forever. Indicators
 * that compare with the previous bar may skip one. Finished bars contain none.
 */
export interface Indicator<Input = number, Output = number> {
  /** Number of bars needed: the first complete output comes with the last of them. */
  readonly warmUp: number;
  /**
   * Returns NaN until the indicator has seen enough values. An output of several numbers is one object, reused each
   * time: copy what you keep.
   */
  next(input: Input): Output;
  /**
   * Outputs for a whole series in one loop, bit-identical, where that is faster; null if the indicator has already seen
   * values. Afterwards it has seen the series.
   */
  series?(values: ArrayLike<number>): Float64Array | null;
}

/** Fields of a bar that indicators read. */
export type Candle = Pick<Bar, 'high' | 'low' | 'close' | 'volume'> & Readonly<{ start: number }>;

/** Three lines of a price channel. */
export type Channel = Readonly<{ upper: number; middle: number; lower: number }>;

/** Two values at one instant, the first of which is compared with the second. */
export type Pair = Readonly<{ value: number; reference: number }>;

/** All fields that an indicator may read. */
export type Row = Candle & Readonly<{ open: number }> & Pair;
