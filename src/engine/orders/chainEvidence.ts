import type { EpochMs } from '../../core/brand.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { Absence } from '../../domain/venue.ts';

/** Latest answer of the chain on the transaction of each order. Kept in memory: after a restart it is asked again. */
export class ChainEvidence {
  readonly #absentAt = new Map<OrderId, EpochMs>();
  /** Time at which each was first known to be replaced. */
  readonly #replacedAt = new Map<OrderId, EpochMs>();
  readonly #traced = new Set<OrderId>();

  /** `absence`: null when the chain has a trace of it. */
  note(id: OrderId, absence: Absence | null, now: EpochMs): void {
    if (absence === null) {
      this.unknown(id);
      this.#traced.add(id);
      return;
    }
    this.#traced.delete(id);
    this.#absentAt.set(id, absence.at);
    if (!absence.isReplaced) this.#replacedAt.delete(id);
    else if (!this.#replacedAt.has(id)) this.#replacedAt.set(id, now);
  }

  /** Forgets the answer, as if the chain had not been asked. */
  unknown(id: OrderId): void {
    for (const map of [this.#absentAt, this.#replacedAt, this.#traced]) map.delete(id);
  }

  /** The newest block, by its time, at which the chain had no trace of it; null when it has one, or was not asked. */
  absentAt(id: OrderId): EpochMs | null {
    return this.#absentAt.get(id) ?? null;
  }

  /** Time at which another transaction was first known to have been mined with its nonce; null until then. */
  replacedAt(id: OrderId): EpochMs | null {
    return this.#replacedAt.get(id) ?? null;
  }

  /** True when the chain had a trace at the last look: whatever lists show, the order may exist. */
  isTraced(id: OrderId): boolean {
    return this.#traced.has(id);
  }
}
