import type { EpochMs } from '../core/brand.ts';
import type { Wish } from '../domain/wish.ts';

/** Most reasons of one strategy that are kept apart. Reasons with amounts in them differ each time. */
const REASONS_MAX = 20;

/** Reason why wishes of a strategy on a stock were dropped, how often, and since when. */
export type DropReason = Readonly<{ symbol: string; why: string; since: EpochMs; count: number }>;

type Counted = { count: number; readonly reasons: Map<string, DropReason> };

/**
 * What strategies wanted and did not get, by strategy. A strategy that decides each minute is dropped each minute: a reason is
 * reported when it is new, and from then on counted, until an order of its stock goes out or the next session begins.
 */
export class Drops {
  readonly #byOwner = new Map<string, Counted>();
  readonly #told = new Set<string>();
  #date: string | null = null;

  /** Counts a wish that was dropped. True when people have not been told of its reason. */
  note(
    { owner, symbol }: Wish,
    why: string,
    { now, date }: Readonly<{ now: EpochMs; date: string | null }>,
  ): boolean {
    if (date !== this.#date) this.#told.clear();
    this.#date = date;
    const of = this.#byOwner.get(owner) ?? { count: 0, reasons: new Map<string, DropReason>() };
    this.#byOwner.set(owner, of);
    of.count++;
    const key = `${symbol} ${why}`;
    const known = of.reasons.get(key);
    const { since = now, count = 0 } = known ?? {};
    if (known || of.reasons.size < REASONS_MAX) of.reasons.set(key, { symbol, why, since, count: count + 1 });
    const told = `${owner} ${key}`;
    if (this.#told.has(told)) return false;
    if (this.#told.size < REASONS_MAX * this.#byOwner.size) this.#told.add(told);
    return true;
  }

  /** An order of a strategy goes out: what is dropped after it is news again. */
  over({ owner, symbol }: Wish): void {
    for (const told of this.#told) if (told.startsWith(`${owner} ${symbol} `)) this.#told.delete(told);
  }

  /** All of a strategy that were dropped, and the reasons, the most frequent first. */
  of(owner: string): Readonly<{ count: number; reasons: readonly DropReason[] }> {
    const { count, reasons } = this.#byOwner.get(owner) ?? {
      count: 0,
      reasons: new Map<string, DropReason>(),
    };
    return { count, reasons: [...reasons.values()].sort((a, b) => b.count - a.count) };
  }
}
