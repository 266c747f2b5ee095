import { newYorkDate } from '../../calendar/index.ts';
import { magnitude } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { keyOf, type Mismatch, type MismatchKey } from '../../domain/account/comparison.ts';
import { dustBoundOf, isSmall } from '../../domain/account/dust.ts';
import type { Holding } from '../../domain/account/ledger.ts';

/**
 * Dust of an asset. `gap`: the venue's surplus over the ledger; `since`: when it became that; `moved`: sum of its
 * changes today; `looks`: their number.
 */
export type DustTally = Readonly<{
  key: MismatchKey;
  gap: bigint;
  since: EpochMs;
  moved: bigint;
  looks: number;
  bound: bigint;
}>;

/** `needed`: assets that an order lacked because of the difference. */
type Look = Readonly<{ now: EpochMs; needed: ReadonlySet<Holding> }>;

/**
 * Differences between ledger and venue that are too small to stop anything. They are counted and shown, but the ledger
 * is not changed, so a sum beyond the bound counts as a difference again.
 */
export class Dust {
  #day = '';
  readonly #tallies = new Map<MismatchKey, DustTally>();

  get all(): readonly DustTally[] {
    return [...this.#tallies.values()].filter(({ gap, moved }) => gap !== 0n || moved !== 0n);
  }

  /** Dust of an asset, and since when it has been unchanged; null if there is none. */
  of(key: MismatchKey): Pick<DustTally, 'gap' | 'since'> | null {
    const tally = this.#tallies.get(key);
    return tally && tally.gap !== 0n ? tally : null;
  }

  /** Mismatches that are more than dust: beyond the bound, alone or in the day's sum, or missing for an order. */
  sift(mismatches: readonly Mismatch[], { now, needed }: Look): Mismatch[] {
    this.#beginDay(newYorkDate(now));
    const keys = new Set(mismatches.map(keyOf));
    for (const tally of this.#tallies.values()) if (!keys.has(tally.key)) this.#move(tally, 0n, now);
    return mismatches.filter((mismatch) => {
      const isDust = this.#isDust(mismatch, now);
      const { side, asset, shortfall } = mismatch;
      return !isDust || (side === 'venue' && shortfall > 0n && needed.has(asset));
    });
  }

  /** True within the bounds. Larger gaps, and those explained by orders under way, are not added to the day's sum. */
  #isDust(mismatch: Mismatch, now: EpochMs): boolean {
    if (!isSmall(mismatch)) return false;
    const { asset, actual, expected, explainable } = mismatch;
    if (explainable) return true;
    const key = keyOf(mismatch);
    const before = this.#tallies.get(key) ?? {
      key,
      gap: 0n,
      since: now,
      moved: 0n,
      looks: 0,
      bound: dustBoundOf(asset),
    };
    const { moved, bound } = this.#move(before, actual - expected, now);
    return moved <= bound;
  }

  /** Resets the sums for a new day; current gaps remain. */
  #beginDay(day: string): void {
    if (day === this.#day) return;
    this.#day = day;
    for (const [key, tally] of this.#tallies)
      if (tally.gap === 0n) this.#tallies.delete(key);
      else this.#tallies.set(key, { ...tally, moved: 0n, looks: 0 });
  }

  #move(before: DustTally, gap: bigint, now: EpochMs): DustTally {
    if (gap === before.gap) return before;
    const moved = before.moved + magnitude(gap - before.gap);
    const tally = { ...before, gap, since: now, moved, looks: before.looks + 1 };
    this.#tallies.set(tally.key, tally);
    return tally;
  }
}
