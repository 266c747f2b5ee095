import { price } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import { hashHex } from '../core/random.ts';
import { blockAfter } from './chain/block.ts';
import { balanceOf } from './ledger.ts';
import { note } from './orders.ts';
import { moveFor, NOTHING, restOf } from './settlement.ts';
import type { Order } from './state.ts';
import { schedule, type World } from './world.ts';

/** What still happens to an order that has settled, when that goes wrong. */
export function scheduleAftermath({ state }: World, { fate, orderId }: Order, at: EpochMs): void {
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

/** The money of an order that has settled without it. */
export function payOrder(world: World, order: Order): void {
  const { settlement } = order;
  if (settlement)
    moveFor(world, { order, from: NOTHING, to: settlement, release: restOf(order, settlement) });
}

/** Why a settlement cannot be taken back, or null: what it brought may be gone. */
export function reversalProblem({ state: { balances } }: World, order: Order): string | null {
  const { settlement, side, symbol, userAddress: holder, deferred } = order;
  if (!settlement || deferred) return 'no settlement that could be taken back';
  const free = { holder, bucket: 'exchange' } as const;
  const [given, gotten] = side === 'buy' ? (['mUSD', symbol] as const) : ([symbol, 'mUSD'] as const);
  const isThere =
    balanceOf(balances, free, gotten) >= settlement.receive &&
    balanceOf(balances, free, given) >= restOf(order, settlement);
  return isThere ? null : 'insufficient balance';
}

/** Takes a settlement back: the order is open again, and settles again if it is to. The caller has looked before. */
export function reverseOrder(world: World, order: Order, at: EpochMs): void {
  const { settlement, fate, orderId } = order;
  if (!settlement) return;
  moveFor(world, { order, from: settlement, to: NOTHING, release: -restOf(order, settlement) });
  order.settlement = null;
  order.fate = null;
  note(order, { at, word: 'New', raw: order.canceling ? 'canceling' : 'placing' });
  if (fate?.kind !== 'settle-reversed' || fate.againMs === undefined) return;
  schedule(world.state, { due: blockAfter(world.state, at + fate.againMs), kind: 'settle', orderId });
}

/** The indexer changes its mind about a settlement. Money stays where it is. */
export function restateOrder(order: Order, at: EpochMs): void {
  const { settlement, word, orderId } = order;
  if (!settlement) return;
  const restated = price(settlement.price + settlement.price / 100n);
  const told = { ...settlement, price: restated, txHash: hashHex(`restated ${orderId}`) };
  note(order, { at, word, raw: null, told });
}
