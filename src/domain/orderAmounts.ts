import { cash, notionalOf, stepOf } from '../core/amount.ts';
import { VENUE, type Asset, type Posting } from './ledger.ts';
import type { Order } from './order.ts';
import type { OrderTerms, Settlement } from './venue.ts';

/** What an order has taken for good. */
export const paidBy = ({ state }: Order): bigint => (state.kind === 'closed' && state.settlement?.pay) || 0n;

/** What an order takes. */
export const assetOf = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? 'mUSD' : terms.symbol;

/** What it brings. */
export const assetReceived = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? terms.symbol : 'mUSD';

/** What a buy takes at most: notional and fees; a sell takes its shares. */
export function reserveFor(terms: OrderTerms, costOf: (notional: bigint) => bigint): bigint {
  if (terms.side === 'sell') return terms.quantity;
  return costOf(
    terms.type === 'market' ? terms.notional : cash(notionalOf(terms.quantity, terms.price, 'up')),
  );
}

/** What rounding at the venue may make of an amount: one unit of the sixth place, its coarsest. */
const DUST = stepOf(6);

/** What no settlement may do, whatever the venue says. */
export function brokenRule({ terms, reserve }: Order, { pay, receive }: Settlement): string | null {
  if (pay < 0n || receive < 0n) return 'a settlement has a negative amount';
  const isExactMarket = terms.type === 'market' && terms.side === 'buy' && terms.quantity !== undefined;
  if (pay > reserve + DUST && !isExactMarket) return 'an order has taken more than it could';
  if (terms.side === 'buy' && terms.quantity !== undefined && receive > terms.quantity)
    return 'filled more than ordered';
  return null;
}

/** Gives back what was reserved for an order that has ended, but for what it paid, and books what that has brought. */
export function endPostings(order: Order, reserved: bigint): Posting[] {
  const { owner, state } = order;
  const [asset, received] = [assetOf(order), assetReceived(order)];
  if (state.kind !== 'closed' || !state.settlement)
    return [
      { owner, bucket: 'reserved', asset, amount: -reserved },
      { owner, bucket: 'free', asset, amount: reserved },
    ];
  const { pay, receive } = state.settlement;
  return [
    { owner, bucket: 'reserved', asset, amount: -reserved },
    { owner, bucket: 'free', asset, amount: reserved - pay },
    { owner: VENUE.owner, bucket: VENUE.bucket, asset, amount: pay },
    { owner: VENUE.owner, bucket: VENUE.bucket, asset: received, amount: -receive },
    { owner, bucket: 'free', asset: received, amount: receive },
  ];
}
