import { tradingCalendar } from '../../src/calendar/index.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';

/** P1 by the clock: an order leaves in the phase that it is meant for, with a deadline inside that. */
export class PhaseWatch {
  readonly #accuse: (detail: string) => void;
  /** Ends of the phases outside the session, by the orders that are meant for them. */
  readonly #untils = new Map<string, EpochMs>();

  constructor(accuse: (detail: string) => void) {
    this.#accuse = accuse;
  }

  take(fact: JournalEvent): void {
    if (fact.kind === 'planned' && fact.order.until !== undefined)
      this.#untils.set(fact.order.id, fact.order.until);
    if (fact.kind !== 'order' || fact.event.kind !== 'sent') return;
    const { id } = fact;
    const { at, deadline } = fact.event;
    const { phase, nextChange } = tradingCalendar.phaseAt(at);
    const end = this.#untils.get(id) ?? tradingCalendar.sessionAt(at)?.close;
    if (phase === 'closed' || nextChange !== end || deadline * 1_000 > end)
      this.#accuse(`${id} leaves in ${phase} until ${nextChange}, for a phase until ${end}, by ${deadline}`);
  }
}
