/** Takes one value a bar, in order, and answers with what is known up to it. */
export interface Indicator {
  /** NaN until the indicator has seen enough values. */
  next(value: number): number;
}
