import { toNumber, type Price } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { JournalEntry } from './journalEvent.ts';
import { placed, type SyntheticOrder } from './orders/syntheticOrder.ts';
import { PlotHistory, type SeriesRecord } from './plots.ts';

/** Prices of the stops that the runner holds: a series for each order, named by its id, with a gap from its trigger or its end on. */
export class StopHistory {
  readonly #series = new PlotHistory();
  /** Orders that wait for their trigger, each with its stop; null until it has one. */
  readonly #waiting = new Map<string, { readonly order: SyntheticOrder; stop: Price | null }>();

  take({ at, fact }: JournalEntry): void {
    if (fact.kind === 'syntheticPlaced') {
      this.#waiting.set(fact.order.id, { order: fact.order, stop: null });
      this.#move(fact.order.id, placed(fact.order).stop, at);
    }
    if (fact.kind === 'syntheticMoved') {
      if (fact.event.kind === 'levels' || fact.event.kind === 'adjusted')
        this.#move(fact.id, fact.event.stop, at);
      if (fact.event.kind === 'triggered') this.#end(fact.id, at);
    }
    if (fact.kind === 'syntheticEnded') this.#end(fact.id, at);
    if (fact.kind === 'split')
      for (const { order, stop } of fact.synthetics ?? []) this.#move(order.id, stop, at);
  }

  get isEmpty(): boolean {
    return this.#series.isEmpty;
  }

  /** In the order in which they began. */
  get records(): readonly SeriesRecord[] {
    return this.#series.records;
  }

  #move(id: string, stop: Price | null, at: EpochMs): void {
    const held = this.#waiting.get(id);
    if (!held || held.stop === stop) return;
    held.stop = stop;
    const { strategyId, symbol } = held.order;
    const values = [stop === null ? null : toNumber(stop)];
    this.#series.take(strategyId, [{ name: id, symbol, at: [at], values }]);
  }

  #end(id: string, at: EpochMs): void {
    this.#move(id, null, at);
    this.#waiting.delete(id);
  }
}
