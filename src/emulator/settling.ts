import { cash, notionalOf, shares, sharesFor, type Price } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { InvariantError } from '../core/errors.ts';
import { chanceOf } from '../core/random.ts';
import { marketFillPrice } from '../sim/matching.ts';
import { scheduleAftermath } from './aftermath.ts';
import { blockAfter } from './chain/block.ts';
import { EXCHANGE, type ChainEvent, type Emit } from './chain/events.ts';
import { tickAt, type VenueConstants } from './constants.ts';
import { contracts } from './deployment.ts';
import { note } from './orders.ts';
import { moveFor, NOTHING, restOf, settlementOf } from './settlement.ts';
import type { Hex, Order, Settlement } from './state.ts';
import { listingOf, priceOf, schedule, type World } from './world.ts';

/** Half of the market's spread. */
const HALF_SPREAD_BPS = 0.5;

type Wait = Readonly<{ minMs: number; spreadMs: number }>;
const ORDINARY: Wait = { minMs: 2_000, spreadMs: 3_000 };
const CANCELED: Wait = { minMs: 1_000, spreadMs: 2_000 };
/** Expired orders are cleared away within the minute after the close. */
const EXPIRED: Wait = { minMs: 5_000, spreadMs: 45_000 };

const waitOf = ({ closing }: Order): Wait =>
  closing === 'Expired' ? EXPIRED : closing === 'Canceled' ? CANCELED : ORDINARY;

/** Has the desk settle an order that is closing, in a block a few seconds on. */
export function scheduleSettlement({ state }: World, order: Order, at: EpochMs): void {
  const { minMs, spreadMs } = waitOf(order);
  const late = order.fate?.kind === 'settle-late' ? order.fate.ms : 0;
  const ready = at + minMs + late + spreadMs * chanceOf(`${state.seed} settle ${order.orderId}`);
  schedule(state, { due: blockAfter(state, ready), kind: 'settle', orderId: order.orderId });
}

/** Price of a share that a trader pays (buy) or gets (sell): the middle of the market and half its spread. */
export const quoteFrom = (middle: Price, side: Order['side'], constants: VenueConstants): Price =>
  marketFillPrice({ side, price: middle, halfSpreadBps: HALF_SPREAD_BPS, tick: tickAt(constants, middle) });

/** A closing order with the transaction that settles it. */
export type Settling = Readonly<{ order: Order; hash: Hex; emit: Emit }>;

/** Executes the settlement of a closing order: moves the money, gives back the rest of the lock, closes it. */
export function settleOrder(world: World, { order, hash, emit }: Settling, at: EpochMs): void {
  const { closing, fate } = order;
  if (closing === null) throw new InvariantError('an order that settles is closing');
  if (order.type === 'market' && closing === 'Filled' && order.filled === 0n) executeMarket(world, order, at);
  order.settled++;
  if (fate?.kind === 'settle-in-parts' && order.settled < fate.parts)
    return settlePart(world, { order, hash, emit }, at);
  const settlement = settlementOf(world, { order, hash }, order);
  if (fate?.kind !== 'balance-late')
    moveFor(world, {
      order,
      from: order.partly ?? NOTHING,
      to: settlement,
      release: restOf(order, settlement),
    });
  order.settlement = settlement;
  const word = fate?.kind === 'settle-partly' && closing === 'Filled' ? 'Canceled' : closing;
  note(order, { at: epochMs(fate?.kind === 'status-late' ? at + fate.ms : at), word, raw: null });
  emit(settledEvent(world, order, settlement));
  if (order.deferred && order.filled > 0n) emit(debtEvent(world, order));
  scheduleAftermath(world, order, at);
}

/** As much of what was executed as its turn has come to. The order stays open, and its lock holds the rest. */
function settlePart(world: World, { order, hash, emit }: Settling, at: EpochMs): void {
  const { fate, orderId, settled, filled, cost } = order;
  if (fate?.kind !== 'settle-in-parts') return;
  const portion = (whole: bigint) => (whole * BigInt(settled)) / BigInt(fate.parts);
  const executed = { filled: shares(portion(filled)), cost: cash(portion(cost)) };
  const part = settlementOf(world, { order, hash }, executed);
  moveFor(world, { order, from: order.partly ?? NOTHING, to: part, release: 0n });
  note(order, { at, word: 'Partial filled', raw: 'placing', told: part });
  emit(settledEvent(world, order, part));
  order.partly = part;
  const due = blockAfter(world.state, at + fate.everyMs);
  schedule(world.state, { due, kind: 'settle', orderId });
}

function debtEvent(world: World, { orderId, userAddress: user, symbol, filled }: Order): ChainEvent {
  const stockToken = listingOf(world, symbol).address;
  return {
    ...{ address: EXCHANGE, name: 'DeferredSellDebtIncreased' },
    args: { user, stockToken, orderId, amount: filled },
  };
}

function settledEvent(world: World, order: Order, settlement: Settlement): ChainEvent {
  const { orderId, userAddress: user, symbol, side, type, partly } = order;
  const { price: average, mintFee, protocolFee } = settlement;
  const delta =
    side === 'buy' ? settlement.receive - (partly?.receive ?? 0n) : (partly?.pay ?? 0n) - settlement.pay;
  return {
    address: EXCHANGE,
    name: type === 'market' ? 'MarketOrderSettled' : 'LimitOrderSettled',
    args: {
      ...{ orderId, user, stockToken: listingOf(world, symbol).address, cashier: contracts.cashier },
      ...{ stockDelta: delta, price: average, mintFee, protocolFee },
    },
  };
}

/** The price of a market order is that of its settlement, and never one from after the close. */
function executeMarket(world: World, order: Order, at: EpochMs): void {
  const session = world.calendar.sessionAt(order.minedAt ?? at);
  const instant = session && at >= session.close ? epochMs(session.close - 1) : at;
  const quote = quoteFrom(priceOf(world, order.symbol, instant), order.side, world.state.constants);
  const filled = order.quantity ?? sharesFor(order.notional ?? cash(0n), quote, 'down');
  const cost = order.notional ?? notionalOf(filled, quote, 'down');
  order.filled = shares(allowedOf(order, filled));
  order.cost = cash(allowedOf(order, cost));
}

const SHARE_SCALE = 1_000_000;

/** `share` from 0 to 1. */
export const partOf = (whole: bigint, share: number): bigint =>
  (whole * BigInt(Math.round(share * SHARE_SCALE))) / BigInt(SHARE_SCALE);

/** As much of it as may execute. */
export const allowedOf = ({ fate }: Order, whole: bigint): bigint =>
  fate?.kind === 'settle-partly' ? partOf(whole, fate.share) : whole;
