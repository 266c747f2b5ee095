import { cash, type Cash } from '../../core/amount.ts';
import type { JournalEventOf } from '../journalEvent.ts';
import { UNALLOCATED } from './ledger.ts';

/** Highest equity of an owner. `flow`: capital that has arrived (or left, negative) since it was recorded. */
export type EquityPeak = Readonly<{ equity: Cash; flow: Cash }>;

/** Equity peaks by strategy (all together: empty key), only of those with a drawdown limit. */
export class EquityPeaks {
  private readonly byOwner = new Map<string, EquityPeak>();

  of(owner: string): EquityPeak | undefined {
    return this.byOwner.get(owner);
  }

  apply({ peaks }: JournalEventOf<'equityPeaks'>): void {
    for (const [owner, equity] of peaks) this.byOwner.set(owner, { equity, flow: cash(0n) });
  }

  /** Records capital of a strategy that arrives or leaves: it is neither profit nor loss. */
  shift(strategyId: string, amount: Cash): void {
    for (const owner of [strategyId, UNALLOCATED]) {
      const peak = this.byOwner.get(owner);
      if (peak) this.byOwner.set(owner, { equity: peak.equity, flow: cash(peak.flow + amount) });
    }
  }

  /** Forgets a peak: the next check starts from the equity at that time. */
  forget(owner: string): void {
    this.byOwner.delete(owner);
  }
}

/**
 * Equity by owner at the start of a day, adjusted by a strategy's capital that has arrived or left since. Equity of a
 * strategy that was not in the config then stays unknown, unless it `isNew`.
 */
export function shiftedBy(
  start: ReadonlyMap<string, Cash>,
  { strategyId, amount, isNew }: Readonly<{ strategyId: string; amount: Cash; isNew: boolean }>,
): ReadonlyMap<string, Cash> {
  const shifted = new Map(start);
  for (const owner of [strategyId, UNALLOCATED])
    if (isNew || shifted.has(owner)) shifted.set(owner, cash((shifted.get(owner) ?? 0n) + amount));
  return shifted;
}
