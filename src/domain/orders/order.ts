import { shares, type Shares, formatDecimal, notionalOf, stepOf, type Cash } from '../../core/amount.ts';
import type { Brand, EpochMs, EpochSeconds } from '../../core/brand.ts';
import { type LimitName, LIMIT_CODES } from '../limits.ts';
import type { EndCode, EndReason } from './endCode.ts';
import type { OrderTerms, Settlement, OrderReport } from '../venue.ts';
import { DEBT, OUTSIDE, VENUE, type Asset, type Posting } from '../account/ledger.ts';

/** Our own id of an order, chosen and journaled before anything is sent: `<intent>.<attempt>`. The venue never sees it. */
export type OrderId = Brand<string, 'OrderId'>;

export type Ending = 'filled' | 'cancelled' | 'expired' | 'rejected';

/**
 * State of an order. Each kind has exactly the fields known in that state. The hash of a transaction that the wallet
 * sends itself is known before it is sent; for one sent by the venue, from the venue's answer on.
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
      /** `canceling`: the venue has a cancel for it, whoever sent it. */
      status: 'open' | 'canceling';
      rawStatus: string;
    }
  | { kind: 'closed'; how: Ending; txHash: string; venueId: string | null; settlement: Settlement | null }
  /** `sent` matches the order again if it appears after all. `unproven`: the refusal text is not a documented one. */
  | { kind: 'refused'; reason: string; sent: SentState; unproven?: boolean }
  | { kind: 'reverted'; txHash: string; cause?: string }
  /** `at` and `deadline` are those of the send, and match the order again if it appears after all. */
  | { kind: 'neverExisted'; assumed: boolean; at: EpochMs; deadline: EpochSeconds; txHash?: string }
  | { kind: 'abandoned'; reason: string; code?: EndCode }
>;

/** Time of a send, and the deadline up to which it can be mined. */
export type SentState = Readonly<{ at: EpochMs; deadline: EpochSeconds }>;

/** Progress of a working order's cancel. It has the same three outcomes as a send. */
export type CancelState = Readonly<
  | { kind: 'none' }
  | { kind: 'wanted' }
  | { kind: 'sent'; deadline: EpochSeconds }
  | { kind: 'unknown'; deadline: EpochSeconds }
  | { kind: 'accepted'; txHash: string; deadline: EpochSeconds }
  | { kind: 'refused'; reason: string; at: EpochMs }
>;

/**
 * End without a fill that one source has claimed, and when. It takes effect once the account agrees; for an accepted
 * order that was claimed `absent`, once an operator confirms it.
 */
export type EndClaim = Readonly<{ at: EpochMs; end: EndEvent }>;

/**
 * Doubt about an end without a fill, or about the unfilled remainder of an order: only the venue reports it, and its list and
 * account are one source. `isSolicited`: the bot requested the end, or the session caused it. `until`: when the doubt ends.
 */
export type Doubt = Readonly<{ isSolicited: boolean; until: EpochMs }>;

export type Order = Readonly<{
  id: OrderId;
  /** Intent that the order executes. */
  intentId: string;
  /** Strategy that pays for it. */
  strategyId: string;
  terms: OrderTerms;
  /** Largest amount that it can take: mUSD including fees for a buy, shares for a sell. */
  reserve: bigint;
  reason: string;
  /** The author's own tag. */
  tag?: string;
  /** Synthetic order that its intent belongs to, and which leg; absent for others. */
  parent?: Readonly<{ id: string; leg: Leg }>;
  plannedAt: EpochMs;
  state: OrderState;
  cancel: CancelState;
  /** End of the extended phase that it is meant for; absent for an order of the regular session. */
  until?: EpochMs;
  /** True once it is cancelled because its phase is over or the price has left its limit: its intent continues after its end. */
  lapsed?: true;
  /** Limit that reduced it below its intent's size; absent if none did. */
  reduced?: Readonly<{ limit: LimitName | 'failureSpacing'; why: string }>;
  /** Claimed end. Until the account agrees, the order keeps its state, reserve and place under the limits. */
  claim?: EndClaim;
  /** Doubt about its end; absent if there is none, and in journals of 0.8.0 and earlier. */
  doubt?: Doubt;
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

/** True for an order that may or may not be at the venue: its money stays reserved, its symbol and side blocked. */
export const isUnanswered = (order: Order): boolean =>
  order.state.kind === 'sent' || order.state.kind === 'unknown';

/** True for an order that keeps its symbol and side blocked: it has no answer, or its end is only claimed. */
export const isInDoubt = (order: Order): boolean => isUnanswered(order) || order.claim !== undefined;

export const txHashOf = ({ state }: Order): string | null =>
  state.kind === 'planned' || state.kind === 'refused' || state.kind === 'abandoned'
    ? null
    : (state.txHash ?? null);

/** Send of an order that the venue has not shown, used to match it if it appears. */
export function sentOf({ state }: Order): SentState | null {
  if (state.kind === 'refused') return state.sent;
  return state.kind === 'sent' || state.kind === 'unknown' || state.kind === 'neverExisted' ? state : null;
}

/**
 * Reason for an end without a fill that neither a cancel nor the session's end explains, or for an accepted order that
 * the chain never shows; null for any other order.
 */
export function failureOf({ state, cancel, terms, claim, doubt }: Order): string | null {
  switch (state.kind) {
    case 'acknowledged':
      return claim?.end.kind === 'absent' ? 'accepted, and never shown' : null;
    case 'refused':
      return `refused: ${state.reason}`;
    case 'reverted':
      return 'reverted on chain';
    case 'neverExisted':
      return state.assumed ? 'assumed never placed' : doubt ? 'never placed, as the venue says' : null;
    case 'closed': {
      const { how, settlement } = state;
      const isOurs =
        (how === 'cancelled' && cancel.kind !== 'none') ||
        (how === 'expired' && terms.type === 'limit' && doubt?.isSolicited !== false);
      return settlement || isOurs ? null : how;
    }
    default:
      return null;
  }
}

/** Filled shares; 0 before the order has closed. */
export function filledOf({ state, terms }: Order): Shares {
  if (state.kind !== 'closed' || !state.settlement) return shares(0n);
  return shares(terms.side === 'buy' ? state.settlement.receive : state.settlement.pay);
}

/** Shares of the order; a buy by notional is converted with `sharesAt`. */
export const quantityOf = ({ terms }: Order, sharesAt: (notional: bigint) => Shares): Shares =>
  exactShares(terms) ?? sharesAt(terms.side === 'buy' && terms.type === 'market' ? terms.notional : 0n);

/** Exact shares of the terms; null for a buy by notional. */
export const exactShares = (terms: OrderTerms): Shares | null =>
  ('quantity' in terms ? terms.quantity : undefined) ?? null;

/** True for equal ids of the venue, of which some have a hex prefix. */
export const sameVenueId = (a: string, b: string): boolean => a === b || bareId(a) === bareId(b);

/** An id of the venue without its hex prefix. */
export const bareId = (id: string): string => (id.startsWith('0x') ? id.slice(2) : id);

/** True for a deferred sell: its shares are owed once it has settled, and none at the venue are locked or taken. */
export const isDeferred = ({ funding }: Pick<OrderTerms, 'funding'>): boolean => funding?.kind === 'deferred';

/** Amount that an order's settlement took from its owner. */
export function paidBy({ state, terms }: Order): bigint {
  const settlement = state.kind === 'closed' ? state.settlement : null;
  return settlement && !isDeferred(terms) ? settlement.pay : 0n;
}

/** Asset that an order pays with. */
export const assetOf = ({ terms }: Readonly<{ terms: Pick<OrderTerms, 'side' | 'symbol'> }>): Asset =>
  terms.side === 'buy' ? 'mUSD' : terms.symbol;

export const assetReceived = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? terms.symbol : 'mUSD';

/** Largest amount that an order can take: notional plus fees for a buy, shares for a sell, nothing for a deferred sell. */
export function reserveFor(terms: OrderTerms, costOf: (notional: bigint) => bigint): bigint {
  if (terms.side === 'buy') return costOf(notionalOfBuy(terms));
  return isDeferred(terms) ? 0n : terms.quantity;
}

type Buy = Extract<OrderTerms, { type: 'market'; side: 'buy' }> | Extract<OrderTerms, { type: 'limit' }>;

/** Largest notional of a buy, in mUSD before fees. */
export const notionalOfBuy = (terms: Buy): Cash =>
  terms.type === 'market' ? terms.notional : notionalOf(terms.quantity, terms.price, 'up');

/** Divisor of a reserve: a better price and fees explain an unused remainder below this fraction. */
const REST_PARTS = 50n;

/** Part of its reserve that an order could still have used after its end: all of it without a fill. */
export function unfilledOf(order: Order, settlement: Settlement | null): bigint {
  const { reserve, terms } = order;
  if (!settlement) return reserve;
  const quantity = exactShares(terms);
  const filled = terms.side === 'buy' ? settlement.receive : settlement.pay;
  const rest =
    quantity !== null && quantity > 0n
      ? (reserve * (quantity - filled)) / quantity
      : reserve - settlement.pay;
  return rest * REST_PARTS > reserve ? rest : 0n;
}

/** The same, but for a buy the value it would have acquired, in mUSD before fees. */
export function unfilledWorth(order: Order, settlement: Settlement | null): bigint {
  const { terms, reserve } = order;
  const rest = unfilledOf(order, settlement);
  return terms.side === 'buy' && rest > 0n ? (rest * notionalOfBuy(terms)) / reserve : rest;
}

/** Largest rounding of an amount at the venue: one unit of the sixth decimal, its coarsest. */
export const DUST = stepOf(6);

/** Fraction by which a buy may exceed its reserve if fees have risen: 1/50. */
const RISEN_PART = 50n;

/** True for a market buy of exact shares, which a plain exchange fills at whatever they cost then. */
const isExactMarket = ({ terms }: Order): boolean =>
  terms.type === 'market' && terms.side === 'buy' && terms.quantity !== undefined;

/** Largest amount that an order can pay: its reserve, or the shares that a deferred sell may owe. */
export const mostPaid = ({ terms, reserve }: Order): bigint =>
  isDeferred(terms) ? (exactShares(terms) ?? 0n) : reserve;

/** Reason why a settlement is impossible, whatever the venue shows; null when it is possible. */
export function brokenRule(order: Order, { pay, receive }: Settlement): string | null {
  const { terms, reserve } = order;
  if (pay < 0n || receive < 0n) return 'a settlement has a negative amount';
  const risen = terms.side === 'buy' ? reserve / RISEN_PART : 0n;
  if (pay > mostPaid(order) + (risen > DUST ? risen : DUST) && !isExactMarket(order))
    return 'an order has taken more than it could';
  if (terms.side === 'buy' && terms.quantity !== undefined && receive > terms.quantity)
    return 'filled more than ordered';
  return null;
}

/**
 * Alarm text for a buy that took more than its reserve plus the fees that its settlement states; undefined if it did
 * not. Higher fees that are stated are booked as they are.
 */
export function overcharge(order: Order, { pay, mintFee, protocolFee }: Settlement): string | undefined {
  const { terms, reserve } = order;
  if (terms.side === 'sell' || pay <= reserve + DUST || isExactMarket(order)) return undefined;
  if (pay - mintFee - protocolFee <= notionalOfBuy(terms) + DUST) return undefined;
  return `it took ${formatDecimal(pay)} mUSD, and at most ${formatDecimal(reserve)} was expected: the venue's fees may have risen`;
}

/**
 * Postings for the end of an order: release of the reserve, less the amount paid, and receipt of its proceeds. Shares
 * sold by a deferred sell are owed.
 */
export function endPostings(order: Order, reserved: bigint): Posting[] {
  const { strategyId, state, terms } = order;
  const asset = assetOf(order);
  const received = assetReceived(order);
  if (state.kind !== 'closed' || !state.settlement)
    return [
      { strategyId, bucket: 'reserved', asset, amount: -reserved },
      { strategyId, bucket: 'free', asset, amount: reserved },
    ];
  const { pay, receive } = state.settlement;
  if (isDeferred(terms))
    return [
      ...owed(asset, pay),
      { strategyId: VENUE.strategyId, bucket: VENUE.bucket, asset: received, amount: -receive },
      { strategyId, bucket: 'free', asset: received, amount: receive },
    ];
  return [
    { strategyId, bucket: 'reserved', asset, amount: -reserved },
    { strategyId, bucket: 'free', asset, amount: reserved - pay },
    { strategyId: VENUE.strategyId, bucket: VENUE.bucket, asset, amount: pay },
    { strategyId: VENUE.strategyId, bucket: VENUE.bucket, asset: received, amount: -receive },
    { strategyId, bucket: 'free', asset: received, amount: receive },
  ];
}

/** Postings that reverse the paying side of an ended order's settlement. */
export function paymentBack(order: Order, pay: bigint): Posting[] {
  const { strategyId, terms } = order;
  const asset = assetOf(order);
  if (isDeferred(terms)) return owed(asset, -pay);
  return [
    { strategyId, bucket: 'free', asset, amount: pay },
    { strategyId: VENUE.strategyId, bucket: VENUE.bucket, asset, amount: -pay },
  ];
}

/** Postings for shares that become owed. */
const owed = (asset: Asset, amount: bigint): Posting[] => [
  { strategyId: DEBT.strategyId, bucket: DEBT.bucket, asset, amount: -amount },
  { strategyId: OUTSIDE.strategyId, bucket: OUTSIDE.bucket, asset, amount },
];

/** Longest time in ms from planning an order until its transaction can no longer be mined. */
export const MINABLE_MS = 240_000;

/** Part of a synthetic order that a child executes. `exit`: the sell after a trigger. */
export type Leg = 'entry' | 'take profit' | 'second take profit' | 'exit' | 'slice';

const ENDING_CODES: Readonly<Record<Ending, EndCode>> = {
  filled: 'FILLED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  rejected: 'VENUE_REFUSED',
};

/** Reason of an order's end; null while it has not ended. */
export function endReasonOf({ state }: Pick<Order, 'state'>): EndReason | null {
  switch (state.kind) {
    case 'closed':
      return { code: ENDING_CODES[state.how], why: state.how };
    case 'refused':
      return { code: 'VENUE_REFUSED', why: state.reason };
    case 'reverted':
      return { code: 'REVERTED', why: 'reverted' };
    case 'neverExisted':
      return { code: state.assumed ? 'UNRESOLVED' : 'NEVER_PLACED', why: 'neverExisted' };
    case 'abandoned':
      return { code: state.code ?? 'NOT_SENT', why: state.reason };
    default:
      return null;
  }
}

/** Reason why an order is smaller than its intent; null if it is not. */
export const reductionOf = ({ reduced }: Pick<Order, 'reduced'>): EndReason | null =>
  reduced ? { code: LIMIT_CODES[reduced.limit], why: reduced.why } : null;

export type OrderEvent = Readonly<
  | { kind: 'sent'; at: EpochMs; deadline: EpochSeconds; txHash?: string }
  | { kind: 'accepted'; txHash: string }
  | { kind: 'refused'; reason: string; unproven?: boolean; doubt?: Doubt }
  | { kind: 'lost'; reason: string }
  /** The venue answered with the transaction of another order: this one's is unknown. */
  | { kind: 'mistaken'; reason: string }
  /** `code`: absent in journals of 0.7.0 and earlier. */
  | { kind: 'abandoned'; reason: string; code?: EndCode }
  | { kind: 'reported'; report: OrderReport; doubt?: Doubt }
  /** One source reports an end without a fill, which the account must confirm. */
  | { kind: 'endClaimed'; at: EpochMs; end: EndEvent }
  /** The chain has undone its end: consecutive lists show it open, or with another end. */
  | { kind: 'reopened'; report: OrderReport }
  /** The fence proved, or a configured grace period assumed, that the venue never had it. `replaced`: proved by nonce. */
  | { kind: 'absent'; assumed: boolean; replaced?: true; doubt?: Doubt }
  /** `lapse`: see `Order.lapsed`. Without it, the end of a lapsed order ends its intent too. */
  | { kind: 'cancelWanted'; lapse?: true }
  | { kind: 'cancelSent'; deadline: EpochSeconds }
  | { kind: 'cancelAccepted'; txHash: string }
  | { kind: 'cancelRefused'; reason: string; at: EpochMs }
  | { kind: 'cancelLost' }
>;

/** Events that can end an order without a fill after it was sent. */
export type EndEvent = Extract<OrderEvent, { kind: 'reported' | 'refused' | 'absent' }>;
