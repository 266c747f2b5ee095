import type { EpochMs } from '../core/brand.ts';

/** A lasting problem: `text` says what it is, what it stops and what ends it. */
export type Problem = Readonly<{ since: EpochMs; text: string }>;

/**
 * Lasting problems of a run, by key. Each is reported once when it begins and once when it is over, and stands in the summary
 * in between. They are not journaled: after a restart those that remain are found again.
 */
export class Problems {
  readonly #standing = new Map<string, Problem>();

  /** Oldest first. */
  get all(): Problem[] {
    return [...this.#standing.values()].sort((a, b) => a.since - b.since);
  }

  has(key: string): boolean {
    return this.#standing.has(key);
  }

  /** Adds a problem, true when it is new; one that stands keeps its beginning and takes the newer text. */
  stand(key: string, problem: Problem): boolean {
    const known = this.#standing.get(key);
    this.#standing.set(key, known ? { since: known.since, text: problem.text } : problem);
    return known === undefined;
  }

  /** Since when it stood; undefined when it did not. Called for every order of every list, while mostly nothing stands. */
  end(key: string): EpochMs | undefined {
    if (this.#standing.size === 0) return undefined;
    const since = this.#standing.get(key)?.since;
    this.#standing.delete(key);
    return since;
  }
}
