import { tradingCalendar } from '../../src/calendar/index.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { Order, OrderEvent } from '../../src/domain/orders/order.ts';
import { inPhase } from './nightCounters.ts';
import type { Counters } from './sometimes.ts';

/** An order of a phase outside the session. `exit`: order of the runner whose sale it is; `lapsed`: why it is cancelled first. */
type OfPhase = {
  readonly until: EpochMs;
  readonly exit: string | null;
  lapsed: 'phase' | 'price' | null;
  filled: boolean;
};

/** P1 by the clock: an order leaves in the phase that it is meant for, with a deadline inside that. Counts what becomes of it there. */
export class PhaseWatch {
  readonly #accuse: (detail: string) => void;
  readonly #sometimes: Counters;
  readonly #orders = new Map<string, OfPhase>();
  /** Latest sale of each exit that has sold outside the session. */
  readonly #sales = new Map<string, OfPhase>();

  constructor(accuse: (detail: string) => void, sometimes: Counters) {
    this.#accuse = accuse;
    this.#sometimes = sometimes;
  }

  take({ at, fact }: JournalEntry): void {
    if (fact.kind === 'planned') this.#planned(fact.order);
    if (fact.kind !== 'order') return;
    if (fact.event.kind === 'sent') this.#sent(fact.id, fact.event);
    const order = this.#orders.get(fact.id);
    if (order) this.#moved(order, fact.event, at);
  }

  #planned({ id, until, parent }: Order): void {
    const exit = parent?.leg === 'exit' ? parent.id : null;
    const before = exit === null ? undefined : this.#sales.get(exit);
    if (before?.lapsed === 'phase') this.#sometimes.exitArmedAgain++;
    if (before?.filled && until === undefined) this.#sometimes.fractionKept++;
    if (until === undefined) return;
    const order = { until, exit, lapsed: null, filled: false };
    this.#orders.set(id, order);
    if (exit !== null) this.#sales.set(exit, order);
  }

  #sent(id: string, { at, deadline }: Extract<OrderEvent, { kind: 'sent' }>): void {
    const { phase, nextChange } = tradingCalendar.phaseAt(at);
    const order = this.#orders.get(id);
    const end = order?.until ?? tradingCalendar.sessionAt(at)?.close;
    if (phase === 'closed' || nextChange !== end || deadline * 1_000 > end)
      this.#accuse(`${id} leaves in ${phase} until ${nextChange}, for a phase until ${end}, by ${deadline}`);
    if (order) this.#count('sent', at);
    if (order?.exit != null) this.#sometimes.exitSentOutside++;
  }

  #moved(order: OfPhase, event: OrderEvent, at: EpochMs): void {
    if (event.kind === 'cancelWanted' && event.lapse && order.lapsed === null) {
      order.lapsed = at >= order.until ? 'phase' : 'price';
      this.#sometimes[order.lapsed === 'phase' ? 'phaseEndCancelled' : 'exitFollowed']++;
    }
    if (event.kind !== 'reported' || event.report.status !== 'filled') return;
    order.filled = true;
    if (at < order.until) this.#count('filled', at);
  }

  #count(what: 'sent' | 'filled', at: EpochMs): void {
    const counter = inPhase(what, tradingCalendar.phaseAt(at).phase);
    if (counter) this.#sometimes[counter]++;
  }
}
