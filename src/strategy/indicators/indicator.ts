import type { Bar } from '../../domain/bar.ts';

/**
 * Takes one value or bar at a time, in order, and answers with what is known up to it. Two ways to ask for the same: bar by
 * bar with `next`, or a whole series with `columns`.
 *
 * A NaN in what is given makes the answer NaN: of a window until it has left it, of an exponential average ever after. What
 * compares with the bar before may pass over one. Finished bars have none.
 */
export interface Indicator<Input = number, Output = number> {
  /** Number of bars it needs: the first whole answer comes with the last of them. */
  readonly warmUp: number;
  /**
   * NaN until the indicator has seen enough. An answer of several numbers is one object, filled again each time: copy what
   * is to be kept.
   */
  next(input: Input): Output;
  /**
   * Answers to a whole series in one loop, the same to the last bit, if that is faster; null if it has seen values before. It
   * has seen the series afterwards.
   */
  series?(values: ArrayLike<number>): Float64Array | null;
}

/** Fields of a bar that indicators read. */
export type Candle = Pick<Bar, 'high' | 'low' | 'close' | 'volume'> & Readonly<{ start: number }>;

/** Three lines around the price. */
export type Channel = Readonly<{ upper: number; middle: number; lower: number }>;

/** Two values of one instant, the first of which is measured by the second. */
export type Pair = Readonly<{ value: number; reference: number }>;

/** Everything that an indicator may read. */
export type Row = Candle & Readonly<{ open: number }> & Pair;
