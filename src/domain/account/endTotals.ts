import { cash, type Cash } from '../../core/amount.ts';
import { hasEnded, type Order } from '../orders/order.ts';

/** Words under which orders are counted, in the order in which results show them. */
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

/**
 * Words under which an order counts: `planned`, as all do; `sent`, if it was; its present state, or its end; and `partlyFilled` where
 * it ended so.
 */
export function countedAs({ state }: Order): OrderCount[] {
  const words: OrderCount[] = ['planned'];
  if (state.kind !== 'planned' && state.kind !== 'abandoned') words.push('sent');
  const standing = standingOf(state);
  if (standing !== null) words.push(standing);
  const isPart = state.kind === 'closed' && state.how !== 'filled' && (state.settlement?.receive ?? 0n) > 0n;
  if (isPart) words.push('partlyFilled');
  return words;
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

/** Sums over all orders that have ended, kept as they end: a run of weeks need not walk its orders to know them. */
export class EndTotals {
  private readonly byStrategy = new Map<string, Map<string, number>>();
  /** Fees in mUSD of settled orders by strategy. */
  readonly fees = new Map<string, Cash>();

  /** Number of orders of a strategy, or of all, by the words under which they count. */
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

  #add(order: Order, sign: 1 | -1): void {
    const { state, strategyId } = order;
    const counts = this.byStrategy.get(strategyId) ?? new Map<string, number>();
    this.byStrategy.set(strategyId, counts);
    for (const word of countedAs(order)) counts.set(word, (counts.get(word) ?? 0) + sign);
    if (state.kind !== 'closed' || !state.settlement) return;
    const { mintFee, protocolFee } = state.settlement;
    const fees = mintFee + protocolFee;
    this.fees.set(strategyId, cash((this.fees.get(strategyId) ?? 0n) + (sign === 1 ? fees : -fees)));
  }
}
