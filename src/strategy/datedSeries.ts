/** Dated series that a strategy asks for: its name, and the columns that it reads, as numbers or as texts. */
export type SeriesNeed = Readonly<{ name: string; numbers?: readonly string[]; texts?: readonly string[] }>;

/** Row of a dated series. `known`: instant from which on it may be used, in epoch ms. */
export interface SeriesRow {
  readonly known: number;
  /** Number in a column; NaN if the cell is empty. @throws {InvalidValueError} for a column that `data` does not ask for */
  number(column: string): number;
  /** Text in a column; '' where the cell is empty. @throws {InvalidValueError} for a column that `data` does not ask for */
  text(column: string): string;
}

/** Rows of a dated series that are known by now, oldest first; never a later one. */
export interface SeriesHistory {
  readonly length: number;
  /** Row `back` places before the latest; `at(0)` is the latest. */
  at(back: number): SeriesRow | undefined;
  /** Latest row, or the latest with these texts, such as `{ symbol: 'AAPL' }`. */
  latest(texts?: Readonly<Record<string, string>>): SeriesRow | undefined;
}
