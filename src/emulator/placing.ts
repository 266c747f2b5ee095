import type { EpochMs } from '../core/brand.ts';
import { EXCHANGE, type ChainEvent, type Emit } from './chain/events.ts';
import { close, startDesk } from './desk.ts';
import { balanceOf, transfer } from './ledger.ts';
import { DAY, note, paidIn } from './orders.ts';
import { scheduleSettlement } from './settling.ts';
import type { Order } from './state.ts';
import { accountOf, listingOf, schedule, type World } from './world.ts';

/** An order with whom the contract tells of it. */
export type Told = Readonly<{ order: Order; emit: Emit }>;

/** Why an order cannot be opened, or null. `arriving`: what its own transaction brings in before. */
export function openingProblem(world: World, order: Order, arriving = 0n): string | null {
  const { whitelisted, restricted } = accountOf(world, order.userAddress).deferredSell;
  if (order.deferred) return whitelisted && !restricted ? null : 'deferred sell is not allowed';
  const from = { holder: order.userAddress, bucket: 'exchange' } as const;
  if (balanceOf(world.state.balances, from, paidIn(order)) + arriving >= order.reserve) return null;
  return order.side === 'buy' ? 'insufficient mUsdBalance' : 'insufficient exchangeBalance';
}

/** Opens an order and locks what it can take. The caller has looked before. */
export function openOrder(world: World, { order, emit }: Told, at: EpochMs): void {
  const { balances } = world.state;
  const { reserve } = order;
  const asset = paidIn(order);
  const from = { holder: order.userAddress, bucket: 'exchange' } as const;
  transfer(balances, { asset, amount: reserve, from, to: { holder: order.userAddress, bucket: 'locked' } });
  order.minedAt = at;
  note(order, { at, word: 'New', raw: 'placing' });
  emit(placedEvent(world, order));
  if (order.type === 'limit') openLimit(world, order, at);
  else openMarket(world, order, at);
}

function placedEvent(world: World, order: Order): ChainEvent {
  const { orderId, userAddress: user, symbol, side, quantity, notional, price } = order;
  const stockToken = listingOf(world, symbol).address;
  const size = quantity ?? notional ?? 0n;
  const signed = side === 'buy' ? size : -size;
  if (price === null)
    return {
      ...{ address: EXCHANGE, name: 'MarketOrderPlaced' },
      args: { orderId, user, stockToken, amount: signed },
    };
  const args = { orderId, user, stockToken, quantity: signed, price, tif: DAY };
  return { address: EXCHANGE, name: 'LimitOrderPlaced', args };
}

/** A DAY order lives until the close of the session it was mined in, or of the next one. */
function openLimit(world: World, order: Order, at: EpochMs): void {
  const session = world.calendar.sessionAt(at) ?? world.calendar.nextSession(at);
  world.working.add(order);
  schedule(world.state, { due: session.close, kind: 'expire', orderId: order.orderId });
  startDesk(world, at);
}

/** A market order that reached the chain after the close is turned down when it settles. */
function openMarket(world: World, order: Order, at: EpochMs): void {
  close(world, order, world.calendar.sessionAt(at) ? 'Filled' : 'Rejected');
  scheduleSettlement(world, order, at);
}

/** Why an order cannot be cancelled, or null. */
export function cancelProblem({ type, minedAt, closing }: Order): string | null {
  if (type !== 'limit') return 'not a limit order';
  return minedAt === null || closing !== null ? 'order is not open' : null;
}

/** Executes a cancel: what was executed by now settles, and the rest is given back. The caller has looked before. */
export function cancelOrder(world: World, { order, emit }: Told, at: EpochMs): void {
  close(world, order, 'Canceled');
  order.canceling = true;
  note(order, { at, word: order.word, raw: 'canceling' });
  emit({ address: EXCHANGE, name: 'CancelRequested', args: { orderId: order.orderId } });
  scheduleSettlement(world, order, at);
}
