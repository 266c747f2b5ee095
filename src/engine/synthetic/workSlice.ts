import {
  cash,
  notionalOf,
  price as asPrice,
  roundTo,
  shares,
  sharesFor,
  stepOf,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import type { IntentTerms } from '../../domain/orders/orderIntent.ts';
import type { Child, SyntheticState, WorkTerms } from '../../domain/orders/syntheticOrder.ts';
import { above } from '../state/exposure.ts';
import { cutToStep } from '../state/market.ts';
import type { SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import { tickOf } from '../../domain/instrument.ts';

const BPS = 10_000n;
const CENT = stepOf(2);

/** A working order at a decision: its state and terms, the amount left, and the end of its span. */
export type Work = Readonly<{ state: SyntheticState; terms: WorkTerms; left: bigint; until: EpochMs }>;

/** Whole amount that a working order is to trade: wads of shares, or of mUSD. */
export const wholeOf = ({ total }: WorkTerms): bigint =>
  'quantity' in total ? total.quantity : total.notional;

/** Amount that its slices have not traded yet: wads of shares, or of mUSD. */
export function leftToWork(state: SyntheticState, terms: WorkTerms): bigint {
  let done = 0n;
  for (const { filled, notional } of state.children) done += 'quantity' in terms.total ? filled : notional;
  const left = wholeOf(terms) - done;
  return left > 0n ? left : 0n;
}

/** Shares still to be sold; none for a buy. */
export const sharesToSell = (state: SyntheticState, terms: WorkTerms): Shares =>
  shares(terms.side === 'sell' ? leftToWork(state, terms) : 0n);

/** True while the price is beyond the limit of the order. */
const isBeyond = ({ side, limit }: WorkTerms, price: Price): boolean =>
  limit !== null && (side === 'buy' ? price > limit : price < limit);

/** True for an amount of shares, or of mUSD, below the venue's minimum order now. */
export const isTooSmall = (terms: WorkTerms, wanted: Slice, at: SyntheticInput): boolean =>
  orderFor(terms, wanted, at) === null;

/** Amount of a slice, in wads of shares or of mUSD, and the current price. */
export type Slice = Readonly<{ amount: bigint; price: Price }>;

/** Step that creates a slice; null if it is below the venue's minimum, or too few shares are free to sell. */
export function createSlice(
  terms: WorkTerms,
  wanted: Slice & Readonly<{ reason: string; expires: EpochMs }>,
  at: SyntheticInput,
): SyntheticAction | null {
  const { freeShares } = at;
  const isShort = terms.side === 'sell' && freeShares < wanted.amount;
  const order = orderFor(terms, isShort ? { ...wanted, amount: freeShares } : wanted, at);
  const { reason, expires } = wanted;
  return order && { kind: 'create', leg: 'slice', terms: order, reason, expires };
}

/** Order of a slice; null if it is below the venue's minimum. */
function orderFor(terms: WorkTerms, wanted: Slice, at: SyntheticInput): IntentTerms | null {
  const { side, total, limit } = terms;
  const isWhole = at.instrument?.fractionable === false;
  if (limit === null && 'notional' in total && !isWhole) {
    const notional = cash(roundTo(wanted.amount, CENT, 'down'));
    return notional < MIN_NOTIONAL ? null : { kind: 'buy', notional };
  }
  const price = worstPrice(terms, wanted.price, at.rules);
  const quantity = 'notional' in total ? sharesFor(cash(wanted.amount), price, 'down') : wanted.amount;
  return quantityOrder({ side, quantity, price: limit === null ? null : price }, at);
}

type OrderSize = Readonly<{ side: WorkTerms['side']; quantity: bigint; price: Price | null }>;

function quantityOrder({ side, quantity, price }: OrderSize, at: SyntheticInput): IntentTerms | null {
  const cut = shares(at.instrument ? cutToStep(quantity, at.instrument) : quantity);
  if (cut === 0n || at.isDust(cut) || (price !== null && notionalOf(cut, price, 'down') < MIN_NOTIONAL))
    return null;
  if (price !== null) return { kind: 'limit', side, quantity: cut, price, goodTill: 'day' };
  return side === 'buy' ? { kind: 'buyShares', quantity: cut } : { kind: 'sell', quantity: cut };
}

/** Worst price of a slice, on the tick: the collar around the current price, within the order's limit. */
function worstPrice({ side, limit }: WorkTerms, now: Price, rules: SyntheticInput['rules']): Price {
  const { collarBps, plainExchange } = rules;
  if (limit !== null && plainExchange) return limit;
  const isBuy = side === 'buy';
  const wide = isBuy ? above(now, collarBps) : asPrice((now * (BPS - BigInt(collarBps))) / BPS);
  const collar = asPrice(roundTo(wide, tickOf(wide), isBuy ? 'down' : 'up'));
  if (limit === null) return collar;
  return isBuy === limit < collar ? limit : collar;
}

/** Limit price that follows the current price, on the tick, and never worse than the order's limit. */
export function followingPrice({ side, limit }: WorkTerms, now: Price): Price {
  const isBuy = side === 'buy';
  const near = asPrice(roundTo(now, tickOf(now), isBuy ? 'down' : 'up'));
  if (limit === null) return near;
  return isBuy === limit < near ? limit : near;
}

/** Limit order for the rest at a price; null if it is below the venue's minimum. */
export function restAt(terms: WorkTerms, { amount, price }: Slice, at: SyntheticInput): IntentTerms | null {
  const { side, total } = terms;
  const whole = 'notional' in total ? sharesFor(cash(amount), price, 'down') : shares(amount);
  const { freeShares } = at;
  const quantity = side === 'sell' && freeShares < whole ? freeShares : whole;
  return quantityOrder({ side, quantity, price }, at);
}

/** True when a slice was created at or after the given time. */
export const wasTried = (children: readonly Child[], since: EpochMs): boolean => {
  const last = children.at(-1);
  return last !== undefined && last.createdAt >= since;
};

/** Next open while the session is closed; null during a session. */
export const nextOpening = ({ session, calendar, now }: SyntheticInput): EpochMs | null =>
  session ? null : epochMs(calendar.nextSession(now).open);

/** Price at which a slice may be sent; null if there is none, if it is beyond the limit, or while sending is blocked. */
export function priceToWork({ terms }: Work, at: SyntheticInput): Price | null {
  const { price } = at;
  if (price === null || isBeyond(terms, price)) return null;
  return at.pausedFor(terms.side) === null ? price : null;
}
