import type { MarkName } from '../statistics/markName.ts';

/** Rows under their heads; the columns in `numbers`, counted from 0, are numeric. */
export type TextTable = Readonly<{
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  numbers: readonly number[];
}>;

/** First items of a list, each with a heading. `left`: number of items not listed. */
export type TextList = Readonly<{ head: string; items: readonly string[]; left: number }>;

/** Line of text, a table, or a list. */
export type TextBlock = TextLine | TextTable | TextList;

/**
 * Names of the two runs, the period of their marks, the format of an instant in epoch ms, and what lists everything
 * that is only counted here.
 */
export type ComparisonStyle = Readonly<{
  names: readonly [string, string];
  mark: MarkName;
  timeOf: (at: number) => string;
  listedBy: string;
}>;

/** Text, optionally with a label. */
export type TextLine = Readonly<{ label?: string; text: string }>;
