import { cash, type Cash } from '../../core/amount.ts';
import { hasEnded, type Order } from '../orders/order.ts';

/** Sums over all orders that have ended, kept as they end: a run of weeks need not walk its orders to know them. */
export class EndTotals {
  readonly #counts = new Map<string, number>();
  readonly #fees = new Map<string, Cash>();

  /** Number of orders by their end: how a closed one was closed, `neverExistedAssumed`, or the state of any other. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Fees in mUSD of settled orders by strategy. */
  get fees(): ReadonlyMap<string, Cash> {
    return this.#fees;
  }

  /** Follows an order from one state to the next: an end may be taken back, or become another. */
  moved(before: Order, after: Order): void {
    if (hasEnded(before)) this.#add(before, -1);
    if (hasEnded(after)) this.#add(after, 1);
  }

  #add({ state, strategyId }: Order, sign: 1 | -1): void {
    if (state.kind === 'neverExisted' && state.assumed) this.#count('neverExistedAssumed', sign);
    else this.#count(state.kind === 'closed' ? state.how : state.kind, sign);
    if (state.kind !== 'closed' || !state.settlement) return;
    const { receive, mintFee, protocolFee } = state.settlement;
    if (state.how !== 'filled' && receive > 0n) this.#count('partlyFilled', sign);
    const fees = mintFee + protocolFee;
    this.#fees.set(strategyId, cash((this.#fees.get(strategyId) ?? 0n) + (sign === 1 ? fees : -fees)));
  }

  #count(end: string, sign: 1 | -1): void {
    this.#counts.set(end, (this.#counts.get(end) ?? 0) + sign);
  }
}
