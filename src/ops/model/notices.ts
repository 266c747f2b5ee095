import { toIso } from '../../core/brand.ts';
import type { NoticeView } from './status.ts';
import type { Notice } from '../../engine/state/notice.ts';

/** Maximum number of notices kept. */
const NOTICES_MAX = 500;

/** The latest notices of a run, in a ring buffer whose size does not grow over weeks. */
export class NoticeRing {
  readonly #kept: Notice[] = [];
  #next = 0;

  add(notice: Notice): void {
    this.#kept[this.#next] = notice;
    this.#next = (this.#next + 1) % NOTICES_MAX;
  }

  /** The latest notices, at most `count`, oldest first. */
  latest(count = NOTICES_MAX): NoticeView[] {
    const all = [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)];
    return all.slice(-count).map(({ at, kind, strategyId, text, code = null, ends = null }) => ({
      at: toIso(at),
      kind,
      strategy: strategyId,
      text,
      code,
      ends,
    }));
  }
}
