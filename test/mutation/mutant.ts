/** Text that occurs in a file exactly once, and its replacement by a seeded bug. */
export type Edit = Readonly<{ file: string; find: string; replace: string }>;

/** What should catch the bug: test files, or seeds of the simulation. */
export type Catcher = Readonly<{ tests: readonly string[] } | { seeds: string }>;

/** A plausible bug, and the narrowest part of the suite that must catch it. */
export type Mutant = Readonly<{
  name: string;
  /** The bug's effect. */
  what: string;
  edits: readonly Edit[];
  caughtBy: Catcher;
}>;
