import type { EpochMs } from '../core/brand.ts';
import { close, startDesk } from './desk.ts';
import { balanceOf, transfer } from './ledger.ts';
import { note, paidIn } from './orders.ts';
import { scheduleSettlement } from './settling.ts';
import type { Order } from './state.ts';
import { schedule, type World } from './world.ts';

/** Executes a placing call: locks what the order can take, and opens it. Gives the cause of a revert. */
export function openOrder(world: World, order: Order, at: EpochMs): string | null {
  const { balances } = world.state;
  const { reserve } = order;
  const asset = paidIn(order);
  const from = { holder: order.userAddress, bucket: 'exchange' } as const;
  if (balanceOf(balances, from, asset) < reserve)
    return order.side === 'buy' ? 'insufficient mUsdBalance' : 'insufficient exchangeBalance';
  transfer(balances, { asset, amount: reserve, from, to: { holder: order.userAddress, bucket: 'locked' } });
  order.minedAt = at;
  note(order, { at, word: 'New', raw: 'placing' });
  if (order.type === 'limit') openLimit(world, order, at);
  else openMarket(world, order, at);
  return null;
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

/** Executes a cancel: what was executed by now settles, and the rest is given back. Gives the cause of a revert. */
export function cancelOrder(world: World, order: Order, at: EpochMs): string | null {
  if (order.type !== 'limit') return 'not a limit order';
  if (order.minedAt === null || order.closing !== null) return 'order is not open';
  close(world, order, 'Canceled');
  note(order, { at, word: order.word, raw: 'canceling' });
  scheduleSettlement(world, order, at);
  return null;
}
