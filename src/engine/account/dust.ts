import { newYorkDate } from '../../calendar/index.ts';
import { magnitude } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { keyOf, type Mismatch, type MismatchKey } from '../../domain/account/comparison.ts';
import { dustBoundOf, isSmall } from '../../domain/account/dust.ts';
import type { Holding } from '../../domain/account/ledger.ts';

/**
 * Dust of an asset. `gap`: what the venue shows beyond the ledger, `since`: from when on; `moved`: its changes of the day, added up;
 * `looks`: their number.
 */
export type DustTally = Readonly<{
  key: MismatchKey;
  gap: bigint;
  since: EpochMs;
  moved: bigint;
  looks: number;
  bound: bigint;
}>;

/** `needed`: assets of which an order needed what is missing. */
type Look = Readonly<{ now: EpochMs; needed: ReadonlySet<Holding> }>;

/**
 * Differences between ledger and venue that are too small to stop anything. They are counted and shown, and the ledger stays as it is,
 * so that a sum beyond the bound is a difference again.
 */
export class Dust {
  #day = '';
  readonly #tallies = new Map<MismatchKey, DustTally>();

  get all(): readonly DustTally[] {
    return [...this.#tallies.values()].filter(({ gap, moved }) => gap !== 0n || moved !== 0n);
  }

  /** Dust of an asset, and the instant since which it is as it is; null for none. */
  of(key: MismatchKey): Pick<DustTally, 'gap' | 'since'> | null {
    const tally = this.#tallies.get(key);
    return tally && tally.gap !== 0n ? tally : null;
  }

  /** Mismatches that are more than dust: by the bound, by the sum of the day, or because an order needs what is missing. */
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

  /** True within the bounds. A larger gap, and one that orders on their way explain, does not change the sum of the day. */
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

  /** Begins the sums of a new day at 0; gaps that stand remain. */
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
