/** Text that stands in a file exactly once, and what a seeded bug makes of it. */
export type Edit = Readonly<{ file: string; find: string; replace: string }>;

/** What should notice: test files, or seeds of the simulation. */
export type Catcher = Readonly<{ tests: readonly string[] } | { seeds: string }>;

/** A bug that somebody might write, and the narrowest part of the suite that must catch it. */
export type Mutant = Readonly<{
  name: string;
  /** What goes wrong with it. */
  what: string;
  edits: readonly Edit[];
  caughtBy: Catcher;
}>;
