/** Dated series that a strategy requests: its name, and the columns to read, as numbers or as text. */
export type SeriesNeed = Readonly<{ name: string; numbers?: readonly string[]; texts?: readonly string[] }>;

/** Row of a dated series. `known`: instant from which it may be used, in epoch ms. */
export interface SeriesRow {
  readonly known: number;
  /** Number in a column; NaN if empty. @throws {InvalidValueError} for a column that `data` does not request */
  number(column: string): number;
  /** Text in a column; '' for an empty cell. @throws {InvalidValueError} for a column that `data` does not request */
  text(column: string): string;
}

/** Rows of a dated series known by now, oldest first; never a later one. */
export interface SeriesHistory {
  readonly length: number;
  /** Row `back` positions before the latest; `at(0)` is the latest. */
  at(back: number): SeriesRow | undefined;
  /** Latest row, or the latest row with these texts, such as `{ symbol: 'AAPL' }`. */
  latest(texts?: Readonly<Record<string, string>>): SeriesRow | undefined;
}
