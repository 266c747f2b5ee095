import { epochMs, type EpochMs } from '../../core/brand.ts';
import { raceCancel } from '../trading/matchingEngine.ts';
import { strike, type ChainRule, type OrderRule, type Target } from '../faults/index.ts';
import type { Order, Transaction } from '../state/state.ts';
import { schedule, type World } from '../state/world.ts';
import { requestOf } from '../chain/requests.ts';
import { drop } from './mempool.ts';
import { walletOf } from '../chain/wallets.ts';

/** A transaction that has come into the mempool with a request. */
export type Waylaid = Readonly<{ transaction: Transaction; target: Target }>;

/** What becomes of it and of its order, when rules strike the request that brought it. */
export function waylay(world: World, { transaction, target }: Waylaid, now: EpochMs): void {
  const onOrder = strike(world.state, target, 'order');
  const order = onOrder && orderBehind(world, transaction);
  if (onOrder && order && !isAmiss(onOrder, { order, transaction }))
    settleFate(world, { order, rule: onOrder }, now);
  const onChain = strike(world.state, target, 'chain');
  if (onChain) hold(world, { transaction, rule: onChain }, now);
}

/** The one that it places, or is to cancel. */
function orderBehind(world: World, transaction: Transaction): Order | null {
  const asked = requestOf(world, transaction);
  const cancelled = asked?.kind === 'cancelLimitOrder' ? world.orders.get(asked.orderId) : undefined;
  return cancelled ?? world.ordersByTx.get(transaction.hash) ?? null;
}

/** Nothing races the placing of an order: it is not in the market yet. */
const isAmiss = ({ kind }: OrderRule, { order, transaction }: Placing): boolean =>
  kind === 'cancel-race' && order.txHash === transaction.hash;

type Placing = Readonly<{ order: Order; transaction: Transaction }>;

function settleFate(
  world: World,
  { order, rule }: Readonly<{ order: Order; rule: OrderRule }>,
  now: EpochMs,
): void {
  order.fate = rule;
  if (rule.kind === 'cancel-race') raceCancel(world, { order, share: rule.filled }, now);
}

type Held = Readonly<{ transaction: Transaction; rule: ChainRule }>;

function hold(world: World, { transaction, rule }: Held, now: EpochMs): void {
  switch (rule.kind) {
    case 'unmined':
      return drop(world, transaction);
    case 'mined-late':
      return putOff(world, transaction, rule.ms);
    case 'revert':
      transaction.doom = rule.cause;
      return;
    case 'false-receipt': {
      const until = rule.forMs === undefined ? null : epochMs(now + rule.forMs);
      transaction.lie = { how: rule.how, depth: rule.depth, until };
    }
  }
}

/** Those that its wallet sends after it are mined after it. */
function putOff(world: World, { from, nonce }: Transaction, ms: number): void {
  const { tasks } = world.state;
  const index = tasks.findIndex((task) => task.kind === 'mine' && task.from === from && task.nonce === nonce);
  const [task] = index < 0 ? [] : tasks.splice(index, 1);
  if (!task) return;
  const due = epochMs(task.due + ms);
  walletOf(world, from).lastBlock = due;
  schedule(world.state, { ...task, due });
}
