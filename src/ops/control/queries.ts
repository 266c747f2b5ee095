import { z } from 'zod';

/** Most rows of one answer, and their number where none is asked for. */
const ROWS_MAX = 500;
const ROWS = 100;

export const text = z.string();

/** Whole number of a query within bounds. */
export const numberIn = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));

export const count = numberIn(1, ROWS_MAX).default(ROWS).describe('most rows of the answer');
