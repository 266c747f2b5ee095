import type { JournalEvent } from '../journalEvent.ts';

/** Kinds of events in an order history. */
export const HISTORY_KINDS = [
  'syntheticPlaced',
  'syntheticMoved',
  'syntheticEnded',
  'intentCreated',
  'intentDeferred',
  'intentEnded',
  'intentRefused',
  'planned',
  'order',
  'fillDelivered',
] as const satisfies readonly JournalEvent['kind'][];

/**
 * Events about an order, an order intent or a synthetic order, and everything that followed from it: the intents of a synthetic order,
 * and the orders of an intent. Events must be passed in journal order, because each one shows what else belongs.
 */
export class OrderHistory {
  readonly #ids: Set<string>;

  constructor(id: string) {
    this.#ids = new Set([id]);
  }

  has(fact: JournalEvent): boolean {
    switch (fact.kind) {
      case 'syntheticPlaced':
        return this.#ids.has(fact.order.id);
      case 'intentCreated':
        return this.#holds(fact.intent.id, fact.intent.parent?.id);
      case 'planned':
        return this.#holds(fact.order.id, fact.order.intentId);
      case 'syntheticMoved':
      case 'syntheticEnded':
      case 'intentDeferred':
      case 'intentEnded':
      case 'intentRefused':
      case 'order':
      case 'fillDelivered':
        return this.#ids.has(fact.id);
      default:
        return false;
    }
  }

  /** True for an id that belongs to the history; an id that originates from one that does belongs from then on. */
  #holds(id: string, origin: string | undefined): boolean {
    if (origin !== undefined && this.#ids.has(origin)) this.#ids.add(id);
    return this.#ids.has(id);
  }
}
