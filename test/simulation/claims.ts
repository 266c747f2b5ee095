import type { EpochMs } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { OrderId, OrderEvent } from '../../src/domain/orders/order.ts';

/** A buy that the journal has ended on the venue's word. `reserve`: the most that it could have spent, in mUSD wads. */
export type Claim = Readonly<{ id: OrderId; strategyId: string; symbol: Ticker; reserve: bigint }>;

/** Time in ms for which an end that was asked for is in doubt; any other is until the end of the run. */
const SOLICITED_MS = 15 * 60_000;

/** Ends that only the venue claims, by the events of the journal and by rules of its own. */
export class Claims {
  readonly #buys = new Map<OrderId, Claim & Readonly<{ isLimit: boolean }>>();
  /** Orders whose hash was computed by the wallet: what a node shows of them is no claim. */
  readonly #own = new Set<OrderId>();
  readonly #cancelled = new Set<OrderId>();
  /** Orders that an operator has resolved, which is not a claim of the venue. */
  readonly #vouched = new Set<string>();
  readonly #until = new Map<OrderId, number>();

  /** Claims in doubt at that time. */
  at(now: EpochMs): readonly Claim[] {
    return [...this.#until].flatMap(([id, until]) => (until > now ? (this.#buys.get(id) ?? []) : []));
  }

  read(fact: JournalEvent, now: EpochMs): void {
    if (fact.kind === 'planned' && fact.order.terms.side === 'buy') {
      const { id, strategyId, terms, reserve } = fact.order;
      const isLimit = terms.type === 'limit';
      this.#buys.set(id, { id, strategyId, symbol: terms.symbol, reserve, isLimit });
    } else if (fact.kind === 'operator' && fact.command.kind === 'resolve')
      this.#vouched.add(fact.command.id);
    else if (fact.kind === 'doubtLifted') this.#until.delete(fact.id);
    else if (fact.kind === 'order' && this.#buys.has(fact.id)) this.#moved(fact.id, fact.event, now);
  }

  #moved(id: OrderId, event: OrderEvent, now: EpochMs): void {
    if (event.kind === 'sent' && event.txHash !== undefined) this.#own.add(id);
    if (event.kind === 'cancelWanted') this.#cancelled.add(id);
    if (event.kind === 'accepted' || event.kind === 'reopened') this.#until.delete(id);
    const lasts = this.#vouched.has(id) ? null : this.#lasts(id, event);
    if (lasts !== null) this.#until.set(id, now + lasts);
  }

  /** Time in ms for which an end is in doubt; null for an event that is no such end. */
  #lasts(id: OrderId, event: OrderEvent): number | null {
    if (event.kind === 'refused') return event.unproven ? Infinity : null;
    if (event.kind === 'absent') return this.#own.has(id) && !event.assumed ? null : Infinity;
    if (event.kind !== 'reported') return null;
    const { status, cause } = event.report;
    if (status === 'reverted') return this.#own.has(id) && cause !== undefined ? null : Infinity;
    if (status === 'cancelled') return this.#cancelled.has(id) ? SOLICITED_MS : Infinity;
    if (status === 'expired') return this.#buys.get(id)?.isLimit ? SOLICITED_MS : Infinity;
    return status === 'rejected' ? Infinity : null;
  }
}
