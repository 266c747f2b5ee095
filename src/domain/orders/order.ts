import { shares, type Shares, formatDecimal, notionalOf, stepOf, type Cash } from '../../core/amount.ts';
import type { Brand, EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { EndEvent } from './orderMachine.ts';
import type { OrderTerms, Settlement } from '../venue.ts';
import { VENUE, type Asset, type Posting } from '../account/ledger.ts';

/** Ours, chosen and journaled before anything is sent: `<intent>.<attempt>`. The venue never sees it. */
export type OrderId = Brand<string, 'OrderId'>;

export type Ending = 'filled' | 'cancelled' | 'expired' | 'rejected';

/**
 * What we know of an order. Each kind carries exactly the facts that are true in it. A transaction that the wallet sends by
 * itself is known by its hash before it leaves; one that the venue sends, from the venue's answer on.
 */
export type OrderState = Readonly<
  | { kind: 'planned' }
  | { kind: 'sent'; at: EpochMs; deadline: EpochSeconds; txHash?: string }
  | { kind: 'unknown'; at: EpochMs; deadline: EpochSeconds; txHash?: string; reason: string }
  | { kind: 'acknowledged'; at: EpochMs; deadline: EpochSeconds; txHash: string }
  | {
      kind: 'working';
      at: EpochMs;
      txHash: string;
      venueId: string;
      locked: bigint;
      /** `canceling`: the venue knows of a cancel, whoever asked for it. */
      status: 'open' | 'canceling';
      rawStatus: string;
    }
  | { kind: 'closed'; how: Ending; txHash: string; venueId: string | null; settlement: Settlement | null }
  /** `sent`: of one whose refusal is no proof. By it the order is known again should it turn up after all. */
  | { kind: 'refused'; reason: string; sent?: Sent }
  | { kind: 'reverted'; txHash: string; cause?: string }
  /** `at` and `deadline` are those of the send, by which it is known again should it turn up after all. */
  | { kind: 'neverExisted'; assumed: boolean; at: EpochMs; deadline: EpochSeconds; txHash?: string }
  | { kind: 'abandoned'; reason: string }
>;

/** Time at which a send left, and the deadline until which it can be mined. */
export type Sent = Readonly<{ at: EpochMs; deadline: EpochSeconds }>;

/** Progress of the cancellation of a working order. It has the same three outcomes as a send. */
export type CancelState = Readonly<
  | { kind: 'none' }
  | { kind: 'wanted' }
  | { kind: 'sent'; deadline: EpochSeconds }
  | { kind: 'unknown'; deadline: EpochSeconds }
  | { kind: 'accepted'; txHash: string; deadline: EpochSeconds }
  | { kind: 'refused'; reason: string; at: EpochMs }
>;

/** An end without a fill that one source has claimed, at this time: it takes effect once the account agrees with it. */
export type EndClaim = Readonly<{ at: EpochMs; end: EndEvent }>;

export type Order = Readonly<{
  id: OrderId;
  /** The intent it carries out. */
  intentId: string;
  /** The strategy whose money it is. */
  owner: string;
  terms: OrderTerms;
  /** Most that it can take: mUSD with fees for a buy, shares for a sell. */
  reserve: bigint;
  reason: string;
  plannedAt: EpochMs;
  state: OrderState;
  cancel: CancelState;
  /** Until the account agrees, the order keeps its state, its reserve and its place under the limits. */
  claim?: EndClaim;
}>;

export function hasEnded({ state: { kind } }: Order): boolean {
  switch (kind) {
    case 'closed':
    case 'refused':
    case 'reverted':
    case 'neverExisted':
    case 'abandoned':
      return true;
    default:
      return false;
  }
}

/** May be at the venue, but we do not know: its money stays reserved and its symbol and side stay closed. */
export const isUnanswered = (order: Order): boolean =>
  order.state.kind === 'sent' || order.state.kind === 'unknown';

/** Nothing else may be sent on its symbol and side: it has no answer, or its end is only claimed. */
export const isInDoubt = (order: Order): boolean => isUnanswered(order) || order.claim !== undefined;

export const txHashOf = ({ state }: Order): string | null =>
  state.kind === 'planned' || state.kind === 'refused' || state.kind === 'abandoned'
    ? null
    : (state.txHash ?? null);

/** The send of an order that the venue has not shown: it may turn up by this. */
export function sentOf({ state }: Order): Sent | null {
  if (state.kind === 'refused') return state.sent ?? null;
  return state.kind === 'sent' || state.kind === 'unknown' || state.kind === 'neverExisted' ? state : null;
}

/** Reason of an end without a fill that neither a cancel nor the session's end explains; null for any other end. */
export function failureOf({ state, cancel, terms }: Order): string | null {
  switch (state.kind) {
    case 'refused':
      return `refused: ${state.reason}`;
    case 'reverted':
      return 'reverted on chain';
    case 'neverExisted':
      return state.assumed ? 'assumed never placed' : null;
    case 'closed': {
      const { how, settlement } = state;
      const isOurs =
        (how === 'cancelled' && cancel.kind !== 'none') || (how === 'expired' && terms.type === 'limit');
      return settlement || isOurs ? null : how;
    }
    default:
      return null;
  }
}

/** Settled shares; nothing before the order has closed. */
export function filledOf({ state, terms }: Order): Shares {
  if (state.kind !== 'closed' || !state.settlement) return shares(0n);
  return shares(terms.side === 'buy' ? state.settlement.receive : state.settlement.pay);
}

/** Shares it asks for; a buy by notional is taken at `price`. */
export const quantityOf = ({ terms }: Order, sharesAt: (notional: bigint) => Shares): Shares =>
  exactShares(terms) ?? sharesAt(terms.side === 'buy' && terms.type === 'market' ? terms.notional : 0n);

/** Null for a buy by notional. */
export const exactShares = (terms: OrderTerms): Shares | null =>
  ('quantity' in terms ? terms.quantity : undefined) ?? null;

/** The venue writes its ids with and without what marks them as hex. */
export const sameVenueId = (a: string, b: string): boolean => a === b || bareId(a) === bareId(b);

/** An id of the venue without what marks it as hex. */
export const bareId = (id: string): string => (id.startsWith('0x') ? id.slice(2) : id);

/** Amount that an order has paid in its settlement. */
export const paidBy = ({ state }: Order): bigint => (state.kind === 'closed' && state.settlement?.pay) || 0n;

/** Asset that an order pays with. */
export const assetOf = ({ terms }: Readonly<{ terms: Pick<OrderTerms, 'side' | 'symbol'> }>): Asset =>
  terms.side === 'buy' ? 'mUSD' : terms.symbol;

/** Asset that an order brings in. */
export const assetReceived = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? terms.symbol : 'mUSD';

/** Largest amount that an order can take: notional and fees for a buy, its shares for a sell. */
export function reserveFor(terms: OrderTerms, costOf: (notional: bigint) => bigint): bigint {
  return terms.side === 'sell' ? terms.quantity : costOf(notionalOfBuy(terms));
}

type Buy = Extract<OrderTerms, { type: 'market'; side: 'buy' }> | Extract<OrderTerms, { type: 'limit' }>;

/** Largest notional of a buy, in mUSD before fees. */
const notionalOfBuy = (terms: Buy): Cash =>
  terms.type === 'market' ? terms.notional : notionalOf(terms.quantity, terms.price, 'up');

/** Largest rounding of an amount at the venue: one unit of the sixth decimal, its coarsest. */
export const DUST = stepOf(6);

/** Part of its reserve that a buy may take beyond it when fees have risen: 1/50. */
const RISEN_PART = 50n;

/** A plain exchange fills a market buy of exact shares at whatever they cost by then. */
const isExactMarket = ({ terms }: Order): boolean =>
  terms.type === 'market' && terms.side === 'buy' && terms.quantity !== undefined;

/** Reason why a settlement is impossible, whatever the venue says; null when it is possible. */
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

/** Postings for the end of an order: release of the reserve, less the amount paid, and receipt of its proceeds. */
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
