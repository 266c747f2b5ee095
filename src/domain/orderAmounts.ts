import { formatDecimal, notionalOf, stepOf, type Cash } from '../core/amount.ts';
import { VENUE, type Asset, type Posting } from './ledger.ts';
import type { Order } from './order.ts';
import type { OrderTerms, Settlement } from './venue.ts';

/** What an order has taken for good. */
export const paidBy = ({ state }: Order): bigint => (state.kind === 'closed' && state.settlement?.pay) || 0n;

/** What an order takes. */
export const assetOf = ({ terms }: Readonly<{ terms: Pick<OrderTerms, 'side' | 'symbol'> }>): Asset =>
  terms.side === 'buy' ? 'mUSD' : terms.symbol;

/** What it brings. */
export const assetReceived = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? terms.symbol : 'mUSD';

/** What a buy takes at most: notional and fees; a sell takes its shares. */
export function reserveFor(terms: OrderTerms, costOf: (notional: bigint) => bigint): bigint {
  return terms.side === 'sell' ? terms.quantity : costOf(notionalOfBuy(terms));
}

type Buy = Extract<OrderTerms, { type: 'market'; side: 'buy' }> | Extract<OrderTerms, { type: 'limit' }>;

/** Most that a buy executes, in mUSD before fees. */
const notionalOfBuy = (terms: Buy): Cash =>
  terms.type === 'market' ? terms.notional : notionalOf(terms.quantity, terms.price, 'up');

/** Largest rounding of an amount at the venue: one unit of the sixth decimal, its coarsest. */
export const DUST = stepOf(6);

/** A buy may take so much more than its reserve where fees have risen: a fiftieth of it. */
const RISEN_PART = 50n;

/** A plain exchange fills a market buy of exact shares at whatever they cost by then. */
const isExactMarket = ({ terms }: Order): boolean =>
  terms.type === 'market' && terms.side === 'buy' && terms.quantity !== undefined;

/** What no settlement may do, whatever the venue says. */
export function brokenRule(order: Order, { pay, receive }: Settlement): string | null {
  const { terms, reserve } = order;
  if (pay < 0n || receive < 0n) return 'a settlement has a negative amount';
  const risen = terms.side === 'buy' ? reserve / RISEN_PART : 0n;
  if (pay > reserve + (risen > DUST ? risen : DUST) && !isExactMarket(order))
    return 'an order has taken more than it could';
  if (terms.side === 'buy' && terms.quantity !== undefined && receive > terms.quantity)
    return 'filled more than ordered';
  return null;
}

/**
 * Says by how much a buy took more than its reserve and the fees that its settlement states; undefined where it did not.
 * Stated fees that have risen are booked as they are.
 */
export function overcharge(order: Order, { pay, mintFee, protocolFee }: Settlement): string | undefined {
  const { terms, reserve } = order;
  if (terms.side === 'sell' || pay <= reserve + DUST || isExactMarket(order)) return undefined;
  if (pay - mintFee - protocolFee <= notionalOfBuy(terms) + DUST) return undefined;
  return `it took ${formatDecimal(pay)} mUSD, and at most ${formatDecimal(reserve)} was expected: the venue's fees may have risen`;
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
