import type { EpochMs } from '../core/brand.ts';
import type { Order } from './order.ts';

/** Venue time after the deadline from which a transaction can no longer appear. */
export const FENCE_SLACK_MS = 60_000;
const COMPLETE_SWEEPS = 2;

export type Evidence = Readonly<{
  now: EpochMs;
  /** The newest transaction of ours that the indexer has worked through, by its time; null when there is none. */
  indexedThrough: EpochMs | null;
  /** Complete order lists since (a) and (b) held, none with a row that could be this order. */
  cleanSweeps: number;
  /** The latest balances and positions are what they should be if the order does not exist. */
  ledgerAgrees: boolean;
}>;

export type Verdict = Readonly<
  { kind: 'waiting'; for: 'deadline' | 'indexer' | 'lists' | 'ledger' } | { kind: 'absent' }
>;

/**
 * Whether an order may be closed as never placed. It needs all of: its deadline and a margin have passed; the indexer
 * has provably passed the deadline; two complete order lists after that show no candidate; the ledger explains the
 * account without it. Being asked and not finding it proves nothing by itself.
 */
export function fence(order: Order, { now, indexedThrough, cleanSweeps, ledgerAgrees }: Evidence): Verdict {
  const { state } = order;
  if (state.kind !== 'unknown' && state.kind !== 'acknowledged') return { kind: 'waiting', for: 'deadline' };
  const deadline = state.deadline * 1000;
  if (now <= deadline + FENCE_SLACK_MS) return { kind: 'waiting', for: 'deadline' };
  if (indexedThrough === null || indexedThrough <= deadline) return { kind: 'waiting', for: 'indexer' };
  if (cleanSweeps < COMPLETE_SWEEPS) return { kind: 'waiting', for: 'lists' };
  return ledgerAgrees ? { kind: 'absent' } : { kind: 'waiting', for: 'ledger' };
}
