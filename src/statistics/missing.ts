/** Why a metric is undefined. Never a number that stands for it. */
export type Missing = Readonly<{ reason: string }>;

/** A metric: float64, or why there is none. */
export type Measure = number | Missing;

export const missing = (reason: string): Missing => ({ reason });

export const isNumber = (measure: Measure): measure is number => typeof measure === 'number';
