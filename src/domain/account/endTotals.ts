import { cash, type Cash } from '../../core/amount.ts';
import { hasEnded, type Order } from '../orders/order.ts';

/** Sums over all orders that have ended, kept as they end: a run of weeks need not walk its orders to know them. */
export class EndTotals {
  private readonly byStrategy = new Map<string, Map<string, number>>();
  /** Fees in mUSD of settled orders by strategy. */
  readonly fees = new Map<string, Cash>();

  /**
   * Number of orders of a strategy, or of all, by their end: how a closed one was closed, `neverExistedAssumed`, or the state of any
   * other. `planned`: all of them; `sent`: those that were sent; `partlyFilled`: those that ended so.
   */
  of(strategyId?: string): ReadonlyMap<string, number> {
    if (strategyId !== undefined) return this.byStrategy.get(strategyId) ?? new Map<string, number>();
    const sums = new Map<string, number>();
    for (const counts of this.byStrategy.values())
      for (const [end, count] of counts) sums.set(end, (sums.get(end) ?? 0) + count);
    return sums;
  }

  /** Follows an order from one state to the next: an end may be taken back, or become another. */
  moved(before: Order, after: Order): void {
    if (hasEnded(before)) this.#add(before, -1);
    if (hasEnded(after)) this.#add(after, 1);
  }

  #add({ state, strategyId }: Order, sign: 1 | -1): void {
    const counts = this.byStrategy.get(strategyId) ?? new Map<string, number>();
    this.byStrategy.set(strategyId, counts);
    add(counts, 'planned', sign);
    if (state.kind !== 'abandoned') add(counts, 'sent', sign);
    if (state.kind === 'neverExisted' && state.assumed) add(counts, 'neverExistedAssumed', sign);
    else add(counts, state.kind === 'closed' ? state.how : state.kind, sign);
    if (state.kind !== 'closed' || !state.settlement) return;
    const { receive, mintFee, protocolFee } = state.settlement;
    if (state.how !== 'filled' && receive > 0n) add(counts, 'partlyFilled', sign);
    const fees = mintFee + protocolFee;
    this.fees.set(strategyId, cash((this.fees.get(strategyId) ?? 0n) + (sign === 1 ? fees : -fees)));
  }
}

const add = (counts: Map<string, number>, end: string, sign: 1 | -1): unknown =>
  counts.set(end, (counts.get(end) ?? 0) + sign);
