/** Why a metric is undefined. Never a number that stands for it. */
export type Missing = Readonly<{ reason: string }>;

/** A metric: float64, or why there is none. */
export type Measure = number | Missing;

export const missing = (reason: string): Missing => ({ reason });

export const isNumber = (measure: Measure): measure is number => typeof measure === 'number';

/** What follows from a metric; of one that is undefined, why. */
export const from = (measure: Measure, make: (value: number) => Measure): Measure =>
  isNumber(measure) ? make(measure) : measure;

/** Below it a number is nothing but what float64 left over. */
export const NOTHING = 1e-12;

/** A quotient. @param name of the divisor, for the reason when it is 0 */
export const quotient = (dividend: number, divisor: number, name: string): Measure =>
  Math.abs(divisor) > NOTHING ? dividend / divisor : missing(`${name} is 0`);
