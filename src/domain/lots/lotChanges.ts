import { shares } from '../../core/amount.ts';
import type { AccountChange } from '../account/accountChange.ts';

/**
 * Changes that lots are built from, in order: without trades that the chain undid and transfers that failed, because lots sold
 * since would be missing; and with one split for all owners. `strategyId`: only its changes; undefined for the whole account.
 */
export function lotChanges(
  changes: Iterable<AccountChange>,
  strategyId: string | undefined,
): readonly AccountChange[] {
  const kept: (AccountChange | null)[] = [];
  /** Index of the latest trade of each order, and of the latest flow of each transfer. */
  const places = new Map<string, number>();
  for (const change of changes) {
    if (strategyId !== undefined && change.strategyId !== strategyId) continue;
    const undone = undoneBy(change);
    const place = undone === null ? undefined : places.get(undone);
    if (place !== undefined) {
      kept[place] = null;
      continue;
    }
    const latest = kept.at(-1);
    const merged = latest ? mergedSplit(latest, change) : null;
    if (merged) kept[kept.length - 1] = merged;
    else kept.push(change);
    const name = nameOf(change);
    if (name !== null) places.set(name, kept.length - 1);
  }
  return kept.filter((change) => change !== null);
}

function nameOf(change: AccountChange): string | null {
  if (change.kind === 'traded') return change.orderId;
  return change.kind === 'flow' ? change.id : null;
}

/** Id of the order or transfer whose change this one undoes; null if it undoes none. */
function undoneBy(change: AccountChange): string | null {
  if (change.kind === 'reversed') return change.orderId;
  return change.kind === 'flowReturned' ? change.id : null;
}

/** Splits of two owners merged into one; null for any other two changes. */
function mergedSplit(a: AccountChange, b: AccountChange): AccountChange | null {
  if (a.kind !== 'split' || b.kind !== 'split' || a.action !== b.action) return null;
  return { ...a, shares: shares(a.shares + b.shares) };
}
