import type { MarkName } from '../statistics/markName.ts';

/** Rows under their heads; of the columns in `numbers`, counted from 0, the cells are numbers. */
export type TextTable = Readonly<{
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  numbers: readonly number[];
}>;

/** First items of a list, each with a heading. `left`: number of the rest. */
export type TextList = Readonly<{ head: string; items: readonly string[]; left: number }>;

/** Line of words, a table, or a list. */
export type TextBlock = TextLine | TextTable | TextList;

/**
 * Names of the two runs, the period of their marks, how an instant in epoch ms is written, and what lists all that is only counted
 * here.
 */
export type ComparisonStyle = Readonly<{
  names: readonly [string, string];
  mark: MarkName;
  timeOf: (at: number) => string;
  listedBy: string;
}>;

/** Words, some of them under a label. */
export type TextLine = Readonly<{ label?: string; text: string }>;
