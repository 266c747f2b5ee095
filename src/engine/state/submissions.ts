import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { COMPLETE_LISTS, type MissingProof } from '../../domain/orders/fence.ts';
import type { Order, OrderId, OrderState } from '../../domain/orders/order.ts';
import type { TransferId, TransferState } from '../../domain/transfers/transfer.ts';
import type { Absence } from '../../domain/venue.ts';
import type { EngineContext } from './engineContext.ts';

/*
 * Orders and transfers share one life cycle, from their plan until the venue has shown them or provably never will. A cell is
 * the next state; `-` means no change and `!` an impossible event, which freezes the symbol of an order and stops the treasury
 * for a transfer. `later` stands for all further states. Where the two differ, the order's state comes first: a refused order
 * has a deadline and can be found by its terms. Each machine has its own table of the rest.
 *
 *   event      planned   sent         unknown      acknowledged refused        neverExisted abandoned later
 *   sent       sent      !            !            !            !              !            !         !
 *   accepted   !         acknowledged acknowledged -            acknowledged/! acknowledged !         -
 *   refused    !         refused      !            !            !              !            !         !
 *   lost       -         unknown      -            -            -              -            -         -
 *   abandoned  abandoned !            !            !            !              !            !         !
 *   absent     -         -            neverExisted neverExisted -              -            -         -
 *
 * Also shared: how a restart settles them, whose transaction an answer may name, how reads are counted and when they no longer
 * count, the operator's statement, and what the fence requires (domain/orders/fence.ts). Different on purpose: an order has a
 * deadline, a place in the queue and, as `absent`, no way back from `working`; a transfer has none of these, so only its nonce,
 * an operator or the configured grace ends it, and a withdrawal is never assumed gone.
 */

type SubmissionId = OrderId | TransferId;

/** Event by which a restart settles sends that were under way: only a sent one may have reached the venue. */
export function restartEvent({ kind }: OrderState | TransferState) {
  if (kind === 'sent') return { kind: 'lost', reason: 'the runner was restarted' } as const;
  if (kind !== 'planned') return null;
  return { kind: 'abandoned', reason: 'the runner was restarted before it was sent' } as const;
}

/** Text naming another order or transfer than `id` that a transaction belongs to; null if there is none. */
export function otherHolder(
  { accountState }: EngineContext,
  id: SubmissionId | null,
  txHash: string,
): string | null {
  const order = accountState.byTx.get(txHash);
  if (order !== undefined && order !== id) return `order ${order}`;
  const transfer = accountState.transfers.byTx.get(txHash);
  return transfer === undefined || transfer === id ? null : `operation ${transfer}`;
}

/** Reason to wait for a transaction that may still be mined, with the remedy if this wallet sent it. */
export function mayBeMinedText({ accountState }: EngineContext, txHash: string | null): string {
  const nonce = accountState.nonces.get(txHash ?? '');
  const remedy =
    nonce === undefined ? '' : `; \`drover wallet cancel ${nonce}\` has its nonce used by an empty one`;
  return `its transaction may still be mined${remedy}`;
}

/** Event of an accepted send. An answer whose transaction belongs to something else proves nothing. */
export function acceptance(
  context: EngineContext,
  { id, strategyId = null }: Readonly<{ id: SubmissionId; strategyId?: string | null }>,
  txHash: string,
) {
  const isCancel = context.accountState.cancelHashes.has(txHash);
  const other = otherHolder(context, id, txHash) ?? (isCancel ? 'a cancel' : null);
  if (other === null) return { kind: 'accepted', txHash } as const;
  const reason = `the venue answered ${id} with a transaction that belongs to ${other}`;
  context.notify('alarm', reason, { code: 'ORDER_CONTRADICTED', strategyId });
  return { kind: 'lost', reason } as const;
}

/** Results of reads about orders or transfers without a proven end. Kept in memory: after a restart they are read again. */
export class Looks<Id extends SubmissionId> {
  readonly #clean = new Map<Id, number>();
  readonly #absentAt = new Map<Id, EpochMs>();
  readonly #replacedAt = new Map<Id, EpochMs>();
  readonly #traced = new Set<Id>();
  readonly #alarmed = new Set<string>();

  /** Number of consecutive complete lists without any sign of it. */
  cleanLists(id: Id): number {
    return this.#clean.get(id) ?? 0;
  }

  /** Counts a complete list. A list that may show it resets the count. */
  countList(id: Id, isClean: boolean): void {
    if (isClean) this.#clean.set(id, this.cleanLists(id) + 1);
    else this.#clean.delete(id);
  }

  /**
   * Records the chain's answer about its transaction: null when there is a trace, undefined when the chain was not
   * asked. Lists read before its nonce was known to be used, or before that was taken back, no longer count.
   */
  noteChain(id: Id, absence: Absence | null | undefined, now: EpochMs): void {
    const wasReplaced = this.#replacedAt.has(id);
    if (absence) {
      this.#traced.delete(id);
      this.#absentAt.set(id, absence.at);
      if (!absence.isReplaced) this.#replacedAt.delete(id);
      else if (!wasReplaced) this.#replacedAt.set(id, now);
    } else {
      for (const known of [this.#absentAt, this.#replacedAt, this.#traced]) known.delete(id);
      if (absence === null) this.#traced.add(id);
    }
    if (this.#replacedAt.has(id) !== wasReplaced) this.#clean.delete(id);
  }

  /** Forgets all results: they were about another transaction. */
  forget(id: Id): void {
    for (const known of [this.#clean, this.#absentAt, this.#replacedAt, this.#traced]) known.delete(id);
  }

  /** Time of the newest block at which the chain had no trace of it; null when there is one, or the chain was not asked. */
  absentAt(id: Id): EpochMs | null {
    return this.#absentAt.get(id) ?? null;
  }

  /** Time at which another transaction with its nonce was first known to be mined; null until then. */
  replacedAt(id: Id): EpochMs | null {
    return this.#replacedAt.get(id) ?? null;
  }

  /** True when the chain had a trace at the last read: it may exist, whatever the lists show. */
  isTraced(id: Id): boolean {
    return this.#traced.has(id);
  }

  /** True the first time an alarm has this reason: it is raised once. */
  isFirstAlarm(id: Id, why: string): boolean {
    const before = this.#alarmed.size;
    return this.#alarmed.add(`${id}: ${why}`).size > before;
  }
}

/**
 * Statements of an operator (`drover orders resolve`) on orders and transfers without a proven end. A statement replaces one
 * proof only: that the indexer has passed the deadline, or that the account confirms an end claimed by the venue. Every other
 * condition must hold on a read that begins after it. Kept in memory, because a statement applies to the reads that follow it.
 */
export class OperatorWords {
  readonly #given = new Map<SubmissionId, { lists: number; lacking: string }>();

  take(id: SubmissionId): void {
    this.#given.set(id, { lists: 0, lacking: 'the account has not been read since' });
  }

  /** Withdraws an operator's statement: it no longer closes anything. */
  withdraw(id: SubmissionId): void {
    this.#given.delete(id);
  }

  isGiven(id: SubmissionId): boolean {
    return this.#given.has(id);
  }

  /** Counts a complete order list. */
  countList(): void {
    for (const word of this.#given.values()) word.lists++;
  }

  /** True when enough complete lists have been read since the statement. */
  hasLists(id: SubmissionId): boolean {
    return (this.#given.get(id)?.lists ?? 0) >= COMPLETE_LISTS;
  }

  /** Records the proof that is still missing, as a text for the operator. */
  noteMissing(id: SubmissionId, what: string): void {
    const word = this.#given.get(id);
    if (word) word.lacking = what;
  }

  /** Records which of the fence's proofs is still missing; a list with a candidate has already recorded that itself. */
  noteProof({ id, state }: Order, missing: MissingProof): void {
    const deadline = 'deadline' in state ? toIso(epochMs(state.deadline * 1000)) : '';
    if (missing === 'deadline')
      this.noteMissing(id, `its deadline, ${deadline}, has not passed by a minute: wait for that`);
    if (missing === 'ledger')
      this.noteMissing(
        id,
        'the balances do not agree with it, and look as if something had been moved: `drover reconcile` shows both sides',
      );
  }

  /** The proof that was missing at the last read. */
  missing(id: SubmissionId): string {
    return this.#given.get(id)?.lacking ?? 'nobody has vouched for it';
  }
}
