import type { EpochMs } from '../core/brand.ts';

/** Something that lasts, with since when: `text` says what it is, what it binds and what ends it. */
export type Problem = Readonly<{ since: EpochMs; text: string }>;

/**
 * What stands in the way of a run for longer than a moment, by a key of its own. Each is reported once when it begins and
 * once when it is over, and stands in the summary in between; it is no journaled state, and after a restart what is still
 * so is found again.
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

  /** A problem that stands keeps its beginning and takes the newer text. True when it is new. */
  stand(key: string, problem: Problem): boolean {
    const known = this.#standing.get(key);
    this.#standing.set(key, known ? { since: known.since, text: problem.text } : problem);
    return known === undefined;
  }

  /** Since when it stood; undefined when it did not. */
  end(key: string): EpochMs | undefined {
    const since = this.#standing.get(key)?.since;
    this.#standing.delete(key);
    return since;
  }
}
