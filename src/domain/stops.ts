import { toNumber, type Price } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { JournalEntry } from './journalEvent.ts';
import { buyStopOf, moved, placed, type SyntheticState } from './orders/syntheticOrder.ts';
import { PlotHistory, type SeriesRecord } from './plots.ts';

/** Prices of the synthetic stops: one series per order, named by its id, with a gap from its trigger or end on. */
export class StopHistory {
  readonly #series = new PlotHistory();
  /** Orders waiting for their trigger, each with its last shown price; null until it has one. */
  readonly #waiting = new Map<string, { state: SyntheticState; shown: Price | null }>();

  take({ at, fact }: JournalEntry): void {
    if (fact.kind === 'syntheticPlaced') {
      const state = placed(fact.order);
      this.#waiting.set(fact.order.id, { state, shown: null });
      this.#move(state, at);
    }
    if (fact.kind === 'syntheticMoved') {
      const { state } = this.#waiting.get(fact.id) ?? {};
      if (fact.event.kind === 'triggered') this.#end(fact.id, at);
      else if (state) this.#move(moved(state, fact.event, at), at);
    }
    if (fact.kind === 'syntheticEnded') this.#end(fact.id, at);
    if (fact.kind === 'split') for (const state of fact.synthetics ?? []) this.#move(state, at);
  }

  get isEmpty(): boolean {
    return this.#series.isEmpty;
  }

  /** All series, in the order in which they began. */
  get records(): readonly SeriesRecord[] {
    return this.#series.records;
  }

  /** Shows the price that an order waits for; for a bracket with a stop entry, first that stop. */
  #move(state: SyntheticState, at: EpochMs): void {
    const held = this.#waiting.get(state.order.id);
    if (!held) return;
    held.state = state;
    this.#show(state.order.id, buyStopOf(state) ?? state.stop, at);
  }

  #show(id: string, price: Price | null, at: EpochMs): void {
    const held = this.#waiting.get(id);
    if (!held || held.shown === price) return;
    held.shown = price;
    const { strategyId, symbol } = held.state.order;
    const values = [price === null ? null : toNumber(price)];
    this.#series.take(strategyId, [{ name: id, symbol, at: [at], values }]);
  }

  #end(id: string, at: EpochMs): void {
    this.#show(id, null, at);
    this.#waiting.delete(id);
  }
}
