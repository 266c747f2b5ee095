import {
  cash,
  greatest,
  least,
  price,
  roundTo,
  stepOf,
  WAD,
  type Cash,
  type Price,
  notionalOf,
  shares,
  sharesFor,
} from '../../core/amount.ts';
import { hashHex } from '../../core/random.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import { chargesOf, type Charges, note } from './orders.ts';
import { balanceOf, transfer, type Place } from '../state/ledger.ts';
import type { Hex, Order, Settlement, Asset } from '../state/state.ts';
import { type VenueState, blockAfter, schedule, listingOf, priceOf } from '../state/venueState.ts';
import { type EpochMs, epochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { marketFillPrice } from '../../sim/matching.ts';
import { settledAmounts } from '../../sim/settlement.ts';
import { exchangeEvent, type ChainEvent, type Emit } from '../state/events.ts';
import { tickAt, type VenueConstants, contracts } from '../state/constants.ts';

type ExecutedAmounts = Pick<Order, 'filled' | 'cost'>;

/** Settlement of the executed part of an order, at the current fees. */
function settlementOf(
  venue: VenueState,
  { order, hash }: Readonly<{ order: Order; hash: Hex }>,
  { filled, cost }: ExecutedAmounts,
): Settlement {
  const { side } = order;
  const charged = chargesOf(cost, side, venue.state.constants);
  const { mintFee, protocolFee } = side === 'buy' ? payable(venue, { order, cost }, charged) : charged;
  const amounts = settledAmounts({ side, filled, notional: cost, mintFee, protocolFee });
  return { txHash: hash, price: averageOf({ filled, cost }), ...amounts };
}

/** Fees that a buy can pay: an increase since it locked its money is taken from the user's free balance. */
function payable(
  { state: { balances } }: VenueState,
  { order: { userAddress: holder, reserve }, cost }: Readonly<{ order: Order; cost: Cash }>,
  charges: Charges,
): Charges {
  const left = reserve + balanceOf(balances, { holder, bucket: 'exchange' }, 'mUSD') - cost;
  const within = (fee: Cash, most: bigint) => cash(least(fee, greatest(most, 0n)));
  const mintFee = within(charges.mintFee, left);
  return { mintFee, protocolFee: within(charges.protocolFee, left - mintFee) };
}

/** Average price to six places; that of a single execution is exact. */
const averageOf = ({ filled, cost }: ExecutedAmounts): Price => {
  if (filled === 0n) return price(0n);
  const step = stepOf(6);
  return price(roundTo((cost * WAD) / filled + step / 2n, step, 'down'));
};

type Payments = Pick<Settlement, 'pay' | 'receive'>;
const NOTHING: Payments = { pay: 0n, receive: 0n };

/** Part of the lock that is returned after payment. A deferred sell has locked nothing. */
const restOf = ({ reserve, deferred }: Order, { pay }: Payments): bigint => (deferred ? 0n : reserve - pay);

/** Change of the amounts moved for an order; `release` of its lock is returned, or locked again when negative. */
type Movement = Readonly<{ order: Order; from: Payments; to: Payments; release: bigint }>;

/** Moves the amounts; a deferred sell's shares become debt. The caller has checked the balances. */
function moveFor({ state: { balances } }: VenueState, { order, from, to, release }: Movement): void {
  const { side, symbol, userAddress: holder, deferred } = order;
  const free: Place = { holder, bucket: 'exchange' };
  const locked: Place = { holder, bucket: 'locked' };
  const debt: Place = { holder, bucket: 'debt' };
  const [paid, received]: [Asset, Asset] = side === 'buy' ? ['mUSD', symbol] : [symbol, 'mUSD'];
  const pass = (asset: Asset, amount: bigint, [source, target]: readonly [Place, Place]): void => {
    if (amount >= 0n) transfer(balances, { asset, amount, from: source, to: target });
    else transfer(balances, { asset, amount: -amount, from: target, to: source });
  };
  pass(paid, release, [locked, free]);
  pass(paid, to.pay - from.pay, deferred ? ['venue', debt] : [locked, 'venue']);
  pass(received, to.receive - from.receive, ['venue', free]);
}

/** Hash of the transaction that will settle the order. */
export const settlementHash = ({ orderId, settled }: Order): Hex =>
  hashHex(settled === 0 ? `settlement ${orderId}` : `settlement ${orderId} ${settled}`);

/** Schedules the consequence of a settlement fault. */
function scheduleSettlementFault({ state }: VenueState, { fate, orderId }: Order, at: EpochMs): void {
  const later = (ms: number) => blockAfter(state, at + ms);
  switch (fate?.kind) {
    case 'balance-late':
      return schedule(state, { due: later(fate.ms), kind: 'payOrder', orderId });
    case 'settle-reversed':
      return schedule(state, { due: later(fate.ms), kind: 'reverseOrder', orderId });
    case 'settle-restated':
      return schedule(state, { due: later(fate.ms), kind: 'restateOrder', orderId });
    default:
      return;
  }
}

/** Moves the amounts of an order that settled without moving them. */
export function payOrder(venue: VenueState, order: Order): void {
  const { settlement } = order;
  if (settlement)
    moveFor(venue, { order, from: NOTHING, to: settlement, release: restOf(order, settlement) });
}

/** Reason why a settlement cannot be reversed, or null: the amount received may be spent. */
export function reversalProblem({ state: { balances } }: VenueState, order: Order): string | null {
  const { settlement, side, symbol, userAddress: holder, deferred } = order;
  if (!settlement || deferred) return 'no settlement that could be taken back';
  const free = { holder, bucket: 'exchange' } as const;
  const [paid, received] = side === 'buy' ? (['mUSD', symbol] as const) : ([symbol, 'mUSD'] as const);
  const isThere =
    balanceOf(balances, free, received) >= settlement.receive &&
    balanceOf(balances, free, paid) >= restOf(order, settlement);
  return isThere ? null : 'insufficient balance';
}

/** Reverses a settlement: the order is open again, and may settle again. The caller has checked that it is possible. */
export function reverseOrder(venue: VenueState, order: Order, at: EpochMs): void {
  const { settlement, fate, orderId } = order;
  if (!settlement) return;
  moveFor(venue, { order, from: settlement, to: NOTHING, release: -restOf(order, settlement) });
  order.settlement = null;
  order.fate = null;
  note(order, { at, word: 'New', raw: order.canceling ? 'canceling' : 'placing' });
  if (fate?.kind !== 'settle-reversed' || fate.againMs === undefined) return;
  schedule(venue.state, { due: blockAfter(venue.state, at + fate.againMs), kind: 'settle', orderId });
}

/** Makes the indexer report a different price and transaction for a settlement. Balances do not change. */
export function restateOrder(order: Order, at: EpochMs): void {
  const { settlement, word, orderId } = order;
  if (!settlement) return;
  const restated = price(settlement.price + settlement.price / 100n);
  const told = { ...settlement, price: restated, txHash: hashHex(`restated ${orderId}`) };
  note(order, { at, word, raw: null, told });
}

/** Half the market's spread, in basis points. */
const HALF_SPREAD_BPS = 0.5;

type Wait = Readonly<{ minMs: number; spreadMs: number }>;
const ORDINARY: Wait = { minMs: 2_000, spreadMs: 3_000 };
const CANCELED: Wait = { minMs: 1_000, spreadMs: 2_000 };
/** Expired orders are settled within the minute after the close. */
const EXPIRED: Wait = { minMs: 5_000, spreadMs: 45_000 };

/** Schedules the settlement of a closing order, in a block a few seconds later. */
export function scheduleSettlement({ state }: VenueState, order: Order, at: EpochMs): void {
  const { minMs, spreadMs } =
    order.closing === 'Expired' ? EXPIRED : order.closing === 'Canceled' ? CANCELED : ORDINARY;
  const late = order.fate?.kind === 'settle-late' ? order.fate.ms : 0;
  const ready = at + minMs + late + spreadMs * chanceOf(`${state.seed} settle ${order.orderId}`);
  schedule(state, { due: blockAfter(state, ready), kind: 'settle', orderId: order.orderId });
}

/** Price that a trader pays (buy) or receives (sell): the mid price plus or minus half the spread. */
export const quoteFrom = (middle: Price, side: Order['side'], constants: VenueConstants): Price =>
  marketFillPrice({ side, price: middle, halfSpreadBps: HALF_SPREAD_BPS, tick: tickAt(constants, middle) });

/** A closing order with the transaction that settles it. */
type SettlementTarget = Readonly<{ order: Order; hash: Hex; emit: Emit }>;

/** Settles a closing order: moves the money, returns the rest of the lock, closes it. */
export function settleOrder(venue: VenueState, { order, hash, emit }: SettlementTarget, at: EpochMs): void {
  const { closing, fate } = order;
  if (closing === null) throw new InvariantError('an order that settles is closing');
  if (order.type === 'market' && closing === 'Filled' && order.filled === 0n) executeMarket(venue, order, at);
  order.settled++;
  if (fate?.kind === 'settle-in-parts' && order.settled < fate.parts)
    return settlePart(venue, { order, hash, emit }, at);
  const settlement = settlementOf(venue, { order, hash }, order);
  if (fate?.kind !== 'balance-late')
    moveFor(venue, {
      order,
      from: order.partly ?? NOTHING,
      to: settlement,
      release: restOf(order, settlement),
    });
  order.settlement = settlement;
  const word = fate?.kind === 'settle-partly' && closing === 'Filled' ? 'Canceled' : closing;
  note(order, { at: epochMs(fate?.kind === 'status-late' ? at + fate.ms : at), word, raw: null });
  emit(settledEvent(venue, order, settlement));
  if (order.deferred && order.filled > 0n) emit(debtEvent(venue, order));
  scheduleSettlementFault(venue, order, at);
}

/** Settles the next part of an execution. The order stays open, and its lock covers the rest. */
function settlePart(venue: VenueState, { order, hash, emit }: SettlementTarget, at: EpochMs): void {
  const { fate, orderId, settled, filled, cost } = order;
  if (fate?.kind !== 'settle-in-parts') return;
  const portion = (whole: bigint) => (whole * BigInt(settled)) / BigInt(fate.parts);
  const executed = { filled: shares(portion(filled)), cost: cash(portion(cost)) };
  const part = settlementOf(venue, { order, hash }, executed);
  moveFor(venue, { order, from: order.partly ?? NOTHING, to: part, release: 0n });
  note(order, { at, word: 'Partial filled', raw: 'placing', told: part });
  emit(settledEvent(venue, order, part));
  order.partly = part;
  const due = blockAfter(venue.state, at + fate.everyMs);
  schedule(venue.state, { due, kind: 'settle', orderId });
}

function debtEvent(venue: VenueState, { orderId, userAddress: user, symbol, filled }: Order): ChainEvent {
  const stockToken = listingOf(venue, symbol).address;
  return exchangeEvent('DeferredSellDebtIncreased', { user, stockToken, orderId, amount: filled });
}

function settledEvent(venue: VenueState, order: Order, settlement: Settlement): ChainEvent {
  const { orderId, userAddress: user, symbol, side, type, partly } = order;
  const { price: average, mintFee, protocolFee } = settlement;
  const delta =
    side === 'buy' ? settlement.receive - (partly?.receive ?? 0n) : (partly?.pay ?? 0n) - settlement.pay;
  return exchangeEvent(type === 'market' ? 'MarketOrderSettled' : 'LimitOrderSettled', {
    orderId,
    user,
    stockToken: listingOf(venue, symbol).address,
    cashier: contracts.cashier,
    stockDelta: delta,
    price: average,
    mintFee,
    protocolFee,
  });
}

/** Fills a market order at the price when it settles, but never at a price after the close. */
function executeMarket(venue: VenueState, order: Order, at: EpochMs): void {
  const session = venue.calendar.sessionAt(order.minedAt ?? at);
  const instant = session && at >= session.close ? epochMs(session.close - 1) : at;
  const quote = movedOff(
    order,
    quoteFrom(priceOf(venue, order.symbol, instant), order.side, venue.state.constants),
  );
  const filled = order.quantity ?? sharesFor(order.notional ?? cash(0n), quote, 'down');
  const cost = order.notional ?? notionalOf(filled, quote, 'down');
  order.filled = shares(allowedOf(order, filled));
  order.cost = cash(allowedOf(order, cost));
}

/** Execution price, moved off the market if the order's fault says so. */
const movedOff = ({ fate }: Order, quote: Price): Price =>
  fate?.kind === 'fill-off-market' ? price(quote + (quote * BigInt(fate.percent)) / 100n) : quote;

const SHARE_SCALE = 1_000_000;

/** Part of an amount; `share` from 0 to 1. */
export const partOf = (whole: bigint, share: number): bigint =>
  (whole * BigInt(Math.round(share * SHARE_SCALE))) / BigInt(SHARE_SCALE);

/** Part of an amount that may execute under the order's fault. */
export const allowedOf = ({ fate }: Order, whole: bigint): bigint =>
  fate?.kind === 'settle-partly' ? partOf(whole, fate.share) : whole;
