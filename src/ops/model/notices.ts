import { toIso } from '../../core/brand.ts';
import type { NoticeView } from './status.ts';
import type { Notice } from '../../engine/state/notice.ts';

/** Notices that are kept. */
const NOTICES_MAX = 500;

/** The latest notices of a run: a ring, so that a run of weeks keeps its size. */
export class NoticeRing {
  readonly #kept: Notice[] = [];
  #next = 0;

  add(notice: Notice): void {
    this.#kept[this.#next] = notice;
    this.#next = (this.#next + 1) % NOTICES_MAX;
  }

  /** Oldest first, at most `count` of the latest. */
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
