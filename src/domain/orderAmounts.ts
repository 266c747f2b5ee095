import type { Asset } from './ledger.ts';
import type { Order } from './order.ts';

/** What an order has taken for good. */
export const paidBy = ({ state }: Order): bigint => (state.kind === 'closed' && state.settlement?.pay) || 0n;

/** What an order takes. */
export const assetOf = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? 'mUSD' : terms.symbol;
