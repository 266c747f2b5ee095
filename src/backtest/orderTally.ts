import { withoutAmounts } from '../core/withoutAmounts.ts';
import type { JournalEvent } from '../domain/journalEvent.ts';
import type { OrderEvent } from '../domain/orders/order.ts';

const COUNTS = [
  'planned',
  'sent',
  'filled',
  'partlyFilled',
  'cancelled',
  'expired',
  'rejected',
  'abandoned',
  'dropped',
  'pending',
] as const;

/**
 * Order counts by outcome. `planned` and `sent` are totals; `dropped` counts intents that became no order, `pending`
 * those still waiting when the run ended.
 */
export type BacktestOrders = Record<(typeof COUNTS)[number], number>;

export const noOrders = (): BacktestOrders =>
  Object.fromEntries(COUNTS.map((name) => [name, 0])) as BacktestOrders;

/** Counts the outcomes of orders, of one strategy or of all. */
export class OrderTally {
  readonly orders = noOrders();
  /** Number of dropped intents by reason, with amounts left out. */
  readonly dropped: Record<string, number> = {};
  /** Calls of `order`, and the targets that count as done because there was no cash to come closer. */
  decisions = 0;
  notReached = 0;

  take(fact: JournalEvent): void {
    switch (fact.kind) {
      case 'order':
        return this.#moved(fact.event);
      case 'planned':
        this.orders.planned++;
        return;
      // Orders of a synthetic order are not calls.
      case 'intentCreated':
        if (!fact.intent.parent) this.decisions++;
        return;
      case 'syntheticPlaced':
        this.decisions++;
        return;
      case 'intentRefused':
        this.decisions++;
        return this.#drop(fact.why);
      case 'intentEnded':
        if (fact.how === 'done' && fact.code === 'NO_MONEY') this.notReached++;
        if (fact.how === 'dropped') this.#drop(fact.why);
        return;
      default:
        return;
    }
  }

  #moved(event: OrderEvent): void {
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
