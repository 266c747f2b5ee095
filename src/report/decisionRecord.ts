import { describeIntent } from '../domain/describe.ts';
import type { JournalEntry, JournalEventOf } from '../domain/journalEvent.ts';
import type { OrderIntent } from '../domain/orders/orderIntent.ts';
import type { Side } from '../domain/venue.ts';
import { ownerName } from '../domain/account/ledger.ts';
import { namedSide } from '../engine/intents/sizing.ts';
import type { RunRecord } from './runRecord.ts';

export type DecisionRecord = NonNullable<RunRecord['decisions']>[number];

type End = Pick<JournalEventOf<'intentEnded'>, 'how' | 'why'>;

/** Record of an intent, without its price. `end`: null while it waits. `side`: for a target, that of its orders. */
export const decisionRecord = (intent: OrderIntent, end: End | null, side: Side | null): DecisionRecord => ({
  id: intent.id,
  at: intent.at,
  strategy: ownerName(intent.strategyId),
  symbol: intent.symbol,
  side: intent.terms.kind === 'target' ? side : namedSide(intent.terms),
  terms: describeIntent({ ...intent, reason: '' }),
  end: end?.how ?? null,
  why: end?.why ?? '',
  reason: intent.reason,
  ...(intent.tag !== undefined && { tag: intent.tag }),
});

type DecisionEntry = { readonly intent: OrderIntent; end: End | null; side: Side | null };

/** Decisions of a backtest, collected from its events. */
export class DecisionLog {
  readonly #kept = new Map<string, DecisionEntry>();

  take({ fact }: JournalEntry): void {
    if (fact.kind === 'intentCreated')
      this.#kept.set(fact.intent.id, { intent: fact.intent, end: null, side: null });
    if (fact.kind === 'planned') this.#note(fact.order.intentId, { side: fact.order.terms.side });
    if (fact.kind === 'intentEnded') this.#note(fact.id, { end: { how: fact.how, why: fact.why } });
  }

  #note(id: string, more: Partial<Pick<DecisionEntry, 'end' | 'side'>>): void {
    const kept = this.#kept.get(id);
    if (kept) Object.assign(kept, more);
  }

  /** Oldest first. */
  get records(): DecisionRecord[] {
    return [...this.#kept.values()].map(({ intent, end, side }) => decisionRecord(intent, end, side));
  }
}
