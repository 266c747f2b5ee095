import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { Order } from './order.ts';

/** Margin in ms of venue time after the deadline; after that, a transaction can no longer appear. */
export const FENCE_SLACK_MS = 60_000;
/** Number of consecutive complete lists that must not show the submission. */
export const COMPLETE_LISTS = 2;

export type Evidence = Readonly<{
  now: EpochMs;
  /** Time of our newest transaction that the indexer has processed; null if there is none. */
  indexedThrough: EpochMs | null;
  /** Time of the newest block at which the chain had no trace of this order's transaction; null when none was read. */
  absentAt: EpochMs | null;
  /** Number of complete order lists since (a) and (b) held, none of them with a row that could be this order. */
  cleanLists: number;
  /** True when the latest balances and positions agree with the ledger without the order. */
  ledgerAgrees: boolean;
  /** True when another transaction with this one's nonce was mined: the deadline and indexer proofs are then unnecessary. */
  isReplaced?: boolean;
  /** True when an operator confirms that the indexer has passed the deadline; this replaces that proof only. */
  vouched?: boolean;
}>;

export type MissingProof = 'deadline' | 'indexer' | 'lists' | 'ledger';
export type Verdict = Readonly<{ kind: 'waiting'; for: MissingProof } | { kind: 'absent' }>;

/** `time`: the missing proof that it can no longer appear, if any. */
type Proofs = Pick<Evidence, 'cleanLists' | 'ledgerAgrees'> & Readonly<{ time: MissingProof | null }>;

/**
 * First missing proof before an order or transfer counts as never placed; null if all exist: it can no longer appear,
 * enough complete lists after that do not show it, and the ledger explains the account without it.
 */
export function missingProof({ time, cleanLists, ledgerAgrees }: Proofs): MissingProof | null {
  if (time !== null) return time;
  if (cleanLists < COMPLETE_LISTS) return 'lists';
  return ledgerAgrees ? null : 'ledger';
}

/** True when the chain had no trace of a transaction after the last time at which it could be mined. */
export const isOffChain = (deadline: EpochSeconds, absentAt: EpochMs | null): boolean =>
  absentAt !== null && absentAt > deadline * 1000 + FENCE_SLACK_MS;

/** True when the indexer has passed the deadline: every transaction mined by then has an id by now. */
export const isPassedBy = (deadline: EpochSeconds, indexedThrough: EpochMs | null): boolean =>
  indexedThrough !== null && indexedThrough > deadline * 1000 + FENCE_SLACK_MS;

/**
 * Verdict on closing an order as never placed. All of these are needed: its deadline and a margin have passed; the indexer
 * has provably passed the deadline (an operator may confirm that instead), or the chain itself shows nothing of it after
 * deadline and margin; two complete order lists after that show no candidate; the ledger explains the account without it. A
 * nonce used by another transaction replaces the first two. A lookup that does not find the order proves nothing by itself.
 */
export function fence(order: Order, evidence: Evidence): Verdict {
  const { state } = order;
  if (state.kind !== 'unknown' && state.kind !== 'acknowledged') return { kind: 'waiting', for: 'deadline' };
  const { cleanLists, ledgerAgrees, isReplaced } = evidence;
  const time = isReplaced ? null : missingOfTime(state.deadline, evidence);
  const missing = missingProof({ time, cleanLists, ledgerAgrees });
  return missing === null ? { kind: 'absent' } : { kind: 'waiting', for: missing };
}

/** First missing proof, by clock, indexer and chain, that the transaction can no longer appear. */
function missingOfTime(
  seconds: EpochSeconds,
  { now, indexedThrough, absentAt, vouched = false }: Evidence,
): 'deadline' | 'indexer' | null {
  const deadline = seconds * 1000;
  if (now <= deadline + FENCE_SLACK_MS) return 'deadline';
  const isIndexed = vouched || (indexedThrough !== null && indexedThrough > deadline);
  if (!isIndexed && !isOffChain(seconds, absentAt)) return 'indexer';
  return null;
}
