import { withoutAmounts } from '../core/withoutAmounts.ts';
import type { JournalEvent } from '../domain/journalEvent.ts';

/**
 * Numbers of orders by their end. `planned` and `sent` count all that ever were; `dropped` are intents that became no order,
 * `pending` those that waited when the run ended.
 */
export type BacktestOrders = Record<
  | 'planned'
  | 'sent'
  | 'filled'
  | 'partlyFilled'
  | 'cancelled'
  | 'expired'
  | 'rejected'
  | 'abandoned'
  | 'dropped'
  | 'pending',
  number
>;

/** True for what a call of `order` leads to at once; not for the orders of what the bot holds. */
const isDecision = (fact: JournalEvent): boolean =>
  (fact.kind === 'intentCreated' && !fact.intent.parent) ||
  fact.kind === 'syntheticPlaced' ||
  fact.kind === 'intentRefused';

/** True for the end of a target that counts as done because no order brought it closer. */
const isNotReached = (fact: JournalEvent): boolean =>
  fact.kind === 'intentEnded' && fact.how === 'done' && fact.code === 'NO_MONEY';

/** Counts the outcomes of orders, of one strategy or of all. */
export class OrderTally {
  readonly orders: BacktestOrders = {
    planned: 0,
    sent: 0,
    filled: 0,
    partlyFilled: 0,
    cancelled: 0,
    expired: 0,
    rejected: 0,
    abandoned: 0,
    dropped: 0,
    pending: 0,
  };
  /** Number of dropped intents by reason, amounts left out. */
  readonly dropped: Record<string, number> = {};
  /** Calls of `order`, and targets among them that ended without the cash for an order. */
  decisions = 0;
  notReached = 0;

  take(fact: JournalEvent): void {
    if (isDecision(fact)) this.decisions++;
    if (isNotReached(fact)) this.notReached++;
    if (fact.kind === 'planned') this.orders.planned++;
    if (fact.kind === 'intentRefused' || (fact.kind === 'intentEnded' && fact.how === 'dropped'))
      this.#drop(fact.why);
    if (fact.kind !== 'order') return;
    const { event } = fact;
    if (event.kind === 'sent') this.orders.sent++;
    if (event.kind === 'abandoned') this.orders.abandoned++;
    if (event.kind === 'reported') this.#count(event.report);
  }

  #drop(why: string): void {
    this.orders.dropped++;
    const reason = withoutAmounts(why);
    this.dropped[reason] = (this.dropped[reason] ?? 0) + 1;
  }

  #count({ status, settlement }: Readonly<{ status: string; settlement: unknown }>): void {
    if (status !== 'filled' && status !== 'cancelled' && status !== 'expired' && status !== 'rejected')
      return;
    this.orders[status]++;
    if (status !== 'filled' && settlement !== null) this.orders.partlyFilled++;
  }
}
