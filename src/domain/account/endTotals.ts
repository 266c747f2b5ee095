import { cash, type Cash } from '../../core/amount.ts';
import { hasEnded, type Order } from '../orders/order.ts';

/** Words under which orders are counted, in display order. */
export const ORDER_COUNTS = [
  'planned',
  'sent',
  'filled',
  'partlyFilled',
  'cancelled',
  'expired',
  'rejected',
  'refused',
  'reverted',
  'neverExisted',
  'neverExistedAssumed',
  'abandoned',
  'unknown',
  'working',
] as const;

type OrderCount = (typeof ORDER_COUNTS)[number];

/** Numbers of orders by these words. */
export type OrderStates = Record<OrderCount, number>;

export const noOrderStates = (): OrderStates =>
  Object.fromEntries(ORDER_COUNTS.map((name) => [name, 0])) as OrderStates;

/**
 * Counts an order under its words: `planned`, always; `sent`, if it was; its current state or its end; and
 * `partlyFilled` if it ended so. @param sign −1 removes it again
 */
export function countOrder(counts: OrderStates, { state }: Order, sign: 1 | -1 = 1): void {
  counts.planned += sign;
  if (state.kind !== 'planned' && state.kind !== 'abandoned') counts.sent += sign;
  const standing = standingOf(state);
  if (standing !== null) counts[standing] += sign;
  const isPart = state.kind === 'closed' && state.how !== 'filled' && (state.settlement?.receive ?? 0n) > 0n;
  if (isPart) counts.partlyFilled += sign;
}

function standingOf(state: Order['state']): OrderCount | null {
  switch (state.kind) {
    case 'planned':
      return null;
    case 'sent':
    case 'unknown':
      return 'unknown';
    case 'acknowledged':
    case 'working':
      return 'working';
    case 'closed':
      return state.how;
    case 'neverExisted':
      return state.assumed ? 'neverExistedAssumed' : 'neverExisted';
    default:
      return state.kind;
  }
}

/** Sums over all ended orders, updated as they end, so that a run of weeks need not go through its orders. */
export class EndTotals {
  private readonly byStrategy = new Map<string, OrderStates>();
  /** Fees in mUSD of settled orders by strategy. */
  readonly fees = new Map<string, Cash>();

  /** Numbers of ended orders of a strategy, or of all. */
  of(strategyId?: string): OrderStates {
    const sums = noOrderStates();
    for (const [id, counts] of this.byStrategy)
      if (strategyId === undefined || strategyId === id)
        for (const word of ORDER_COUNTS) sums[word] += counts[word];
    return sums;
  }

  /** Updates the sums when an order changes state: an end may be reversed, or become another. */
  moved(before: Order, after: Order): void {
    if (hasEnded(before)) this.#add(before, -1);
    if (hasEnded(after)) this.#add(after, 1);
  }

  #add(order: Order, sign: 1 | -1): void {
    const { state, strategyId } = order;
    let counts = this.byStrategy.get(strategyId);
    if (!counts) this.byStrategy.set(strategyId, (counts = noOrderStates()));
    countOrder(counts, order, sign);
    if (state.kind !== 'closed' || !state.settlement) return;
    const { mintFee, protocolFee } = state.settlement;
    const fees = mintFee + protocolFee;
    this.fees.set(strategyId, cash((this.fees.get(strategyId) ?? 0n) + (sign === 1 ? fees : -fees)));
  }
}
