import { cash, notionalOf, price, roundTo, sharesFor, stepOf, WAD, type Price } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { InvariantError } from '../core/errors.ts';
import { chanceOf } from '../core/random.ts';
import { buyCost, sellProceeds } from '../sim/fees.ts';
import { marketFillPrice, tickOf } from '../sim/matching.ts';
import { blockAfter } from './chain/block.ts';
import { EXCHANGE, type ChainEvent, type Emit } from './chain/events.ts';
import { contracts } from './deployment.ts';
import { transfer, type Place } from './ledger.ts';
import { note } from './orders.ts';
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
  const ready = at + minMs + spreadMs * chanceOf(`${state.seed} settle ${order.orderId}`);
  schedule(state, { due: blockAfter(ready), kind: 'settle', orderId: order.orderId });
}

/** What a trader pays (buy) or gets (sell) for a share: the middle of the market and half its spread. */
export const quoteFrom = (middle: Price, side: Order['side']): Price =>
  marketFillPrice({ side, price: middle, halfSpreadBps: HALF_SPREAD_BPS, tick: tickOf(middle) });

/** A closing order with the transaction that settles it. */
export type Settling = Readonly<{ order: Order; hash: Hex; emit: Emit }>;

/** Executes the settlement of a closing order: moves the money, gives back the rest of the lock, closes it. */
export function settleOrder(world: World, { order, hash, emit }: Settling, at: EpochMs): void {
  const { closing } = order;
  if (closing === null) throw new InvariantError('an order that settles is closing');
  if (order.type === 'market' && closing === 'Filled') executeMarket(world, order, at);
  const terms = order.side === 'buy' ? settleBuy(world, order) : settleSell(world, order);
  order.settlement = { ...terms, txHash: hash, price: averageOf(order) };
  note(order, { at, word: closing, raw: null });
  emit(settledEvent(world, order, order.settlement));
  if (order.deferred && order.filled > 0n) emit(debtEvent(world, order));
}

function debtEvent(world: World, { orderId, userAddress: user, symbol, filled }: Order): ChainEvent {
  const stockToken = listingOf(world, symbol).address;
  return {
    ...{ address: EXCHANGE, name: 'DeferredSellDebtIncreased' },
    args: { user, stockToken, orderId, amount: filled },
  };
}

function settledEvent(world: World, order: Order, settlement: Settlement): ChainEvent {
  const { orderId, userAddress: user, symbol, side, type, filled } = order;
  const { price: average, mintFee, protocolFee } = settlement;
  return {
    address: EXCHANGE,
    name: type === 'market' ? 'MarketOrderSettled' : 'LimitOrderSettled',
    args: {
      ...{ orderId, user, stockToken: listingOf(world, symbol).address, cashier: contracts.cashier },
      ...{ stockDelta: side === 'buy' ? filled : -filled, price: average, mintFee, protocolFee },
    },
  };
}

/** The price of a market order is that of its settlement, and never one from after the close. */
function executeMarket(world: World, order: Order, at: EpochMs): void {
  const session = world.calendar.sessionAt(order.minedAt ?? at);
  const instant = session && at >= session.close ? epochMs(session.close - 1) : at;
  const quote = quoteFrom(priceOf(world, order.symbol, instant), order.side);
  order.filled = order.quantity ?? sharesFor(order.notional ?? cash(0n), quote, 'down');
  order.cost = order.notional ?? notionalOf(order.filled, quote, 'down');
}

/** To six places, so that one execution shows exactly its own price. */
const averageOf = ({ filled, cost }: Order): Price => {
  if (filled === 0n) return price(0n);
  const step = stepOf(6);
  return price(roundTo((cost * WAD) / filled + step / 2n, step, 'down'));
};

type Moved = Pick<Settlement, 'pay' | 'receive' | 'mintFee' | 'protocolFee'>;

function settleBuy({ state: { balances } }: World, order: Order): Moved {
  const { total, mintFee, protocolFee } = buyCost(order.cost);
  const { locked, free } = placesOf(order);
  transfer(balances, { asset: 'mUSD', amount: total, from: locked, to: 'venue' });
  transfer(balances, { asset: 'mUSD', amount: order.reserve - total, from: locked, to: free });
  transfer(balances, { asset: order.symbol, amount: order.filled, from: 'venue', to: free });
  return { pay: total, receive: order.filled, mintFee, protocolFee };
}

/** A deferred sell has locked nothing: what was executed is owed. */
function settleSell({ state: { balances } }: World, order: Order): Moved {
  const { net, mintFee, protocolFee } = sellProceeds(order.cost);
  const { locked, free } = placesOf(order);
  if (order.deferred) {
    const debt = { holder: order.userAddress, bucket: 'debt' } as const;
    transfer(balances, { asset: order.symbol, amount: order.filled, from: 'venue', to: debt });
  } else {
    transfer(balances, { asset: order.symbol, amount: order.filled, from: locked, to: 'venue' });
    transfer(balances, { asset: order.symbol, amount: order.reserve - order.filled, from: locked, to: free });
  }
  transfer(balances, { asset: 'mUSD', amount: net, from: 'venue', to: free });
  return { pay: order.filled, receive: net, mintFee, protocolFee };
}

const placesOf = ({ userAddress: holder }: Order): { locked: Place; free: Place } => ({
  locked: { holder, bucket: 'locked' },
  free: { holder, bucket: 'exchange' },
});
