import type { EpochMs } from '../../core/brand.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';

/** Most reasons of one strategy that are counted separately: reasons with amounts in them differ each time. */
const REASONS_MAX = 20;

/** Reason why intents of a strategy on a stock were dropped, how often, and since when. */
export type DropReason = Readonly<{ symbol: string; why: string; since: EpochMs; count: number }>;

type DropCount = { count: number; readonly reasons: Map<string, DropReason> };

/**
 * Dropped intents by strategy. A strategy that decides each minute may be dropped each minute: a reason is reported when it is
 * new, and then only counted, until an order of its stock goes out or the next session begins.
 */
export class Drops {
  readonly #byOwner = new Map<string, DropCount>();
  readonly #reported = new Set<string>();
  #date: string | null = null;

  /** Counts a dropped intent. True when its reason is new and is to be reported. */
  note(
    { owner, symbol }: OrderIntent,
    why: string,
    { now, date }: Readonly<{ now: EpochMs; date: string | null }>,
  ): boolean {
    if (date !== this.#date) this.#reported.clear();
    this.#date = date;
    const of = this.#byOwner.get(owner) ?? { count: 0, reasons: new Map<string, DropReason>() };
    this.#byOwner.set(owner, of);
    of.count++;
    const key = `${symbol} ${why}`;
    const known = of.reasons.get(key);
    const { since = now, count = 0 } = known ?? {};
    if (known || of.reasons.size < REASONS_MAX) of.reasons.set(key, { symbol, why, since, count: count + 1 });
    const reason = `${owner} ${key}`;
    if (this.#reported.has(reason)) return false;
    if (this.#reported.size < REASONS_MAX * this.#byOwner.size) this.#reported.add(reason);
    return true;
  }

  /** Notes that an order of a strategy goes out: a drop after it is reported again. */
  over({ owner, symbol }: OrderIntent): void {
    for (const reason of this.#reported)
      if (reason.startsWith(`${owner} ${symbol} `)) this.#reported.delete(reason);
  }

  /** Number of a strategy's dropped intents, and the reasons, most frequent first. */
  of(owner: string): Readonly<{ count: number; reasons: readonly DropReason[] }> {
    const { count, reasons } = this.#byOwner.get(owner) ?? {
      count: 0,
      reasons: new Map<string, DropReason>(),
    };
    return { count, reasons: [...reasons.values()].sort((a, b) => b.count - a.count) };
  }
}
