import { cash, type Cash } from '../../core/amount.ts';
import { hasEnded, type Order } from '../orders/order.ts';

/** Sums over all orders that have ended, kept as they end: a run of weeks need not walk its orders to know them. */
export class EndTotals {
  /** Number of orders by their end: how a closed one was closed, `neverExistedAssumed`, or the state of any other. */
  readonly counts = new Map<string, number>();
  /** Fees in mUSD of settled orders by strategy. */
  readonly fees = new Map<string, Cash>();

  /** Follows an order from one state to the next: an end may be taken back, or become another. */
  moved(before: Order, after: Order): void {
    if (hasEnded(before)) this.#add(before, -1);
    if (hasEnded(after)) this.#add(after, 1);
  }

  #add({ state, strategyId }: Order, sign: 1 | -1): void {
    const count = (end: string) => this.counts.set(end, (this.counts.get(end) ?? 0) + sign);
    if (state.kind === 'neverExisted' && state.assumed) count('neverExistedAssumed');
    else count(state.kind === 'closed' ? state.how : state.kind);
    if (state.kind !== 'closed' || !state.settlement) return;
    const { receive, mintFee, protocolFee } = state.settlement;
    if (state.how !== 'filled' && receive > 0n) count('partlyFilled');
    const fees = BigInt(sign) * (mintFee + protocolFee);
    this.fees.set(strategyId, cash((this.fees.get(strategyId) ?? 0n) + fees));
  }
}
