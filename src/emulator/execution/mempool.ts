import { epochMs, type EpochMs } from '../../core/brand.ts';
import { chanceOf } from '../../core/random.ts';
import { sameAddress } from '../../domain/instrument.ts';
import { orderFrom, placementOf } from '../trading/orders.ts';
import type { Hex, Transaction } from '../state/state.ts';
import {
  dropOrder,
  dropTransaction,
  indexOrder,
  keepTransaction,
  schedule,
  type World,
} from '../state/world.ts';
import { requestOf } from '../chain/requests.ts';
import { blockAfter } from '../chain/blocks.ts';
import { faceOf } from '../state/nodeFace.ts';
import { pendingNonce, waitingAt, walletOf } from '../chain/wallets.ts';

/** How long a transaction waits before a block can take it. */
const WAIT_MIN_MS = 500;
const WAIT_SPREAD_MS = 1000;

/**
 * Takes a transaction into the mempool, in the place of another with its nonce. Blocks of the next seconds mine it and
 * those that it was missing for; with a nonce missing before it, it waits for that one.
 */
export function takeIn(world: World, transaction: Transaction, now: EpochMs): void {
  const { from, nonce } = transaction;
  const replaced = waitingAt(world, from, nonce);
  if (replaced) drop(world, replaced);
  keepTransaction(world, transaction);
  createOrder(world, transaction);
  const { expiryMs } = faceOf(world.state);
  if (expiryMs !== null && transaction.signed)
    schedule(world.state, { due: epochMs(now + expiryMs), kind: 'forget', hash: transaction.hash });
  if (!replaced && pendingNonce(world, from) > nonce) scheduleFrom(world, transaction, now);
}

function createOrder(world: World, transaction: Transaction): void {
  const asked = requestOf(world, transaction);
  const placement = asked && placementOf(asked);
  const order = placement && orderFrom(world, transaction, placement);
  if (!order) return;
  world.state.orders.push(order);
  indexOrder(world, order);
}

/** Those of one wallet are mined in the order of their nonces. */
function scheduleFrom(world: World, first: Transaction, now: EpochMs): void {
  const wallet = walletOf(world, first.from);
  for (let next: Transaction | undefined = first; next; next = waitingAt(world, next.from, next.nonce + 1)) {
    const { from, nonce, hash } = next;
    const { seed, blocks } = world.state;
    const wait = blocks.waitMs + WAIT_MIN_MS + WAIT_SPREAD_MS * chanceOf(`${seed} wait ${hash}`);
    wallet.lastBlock = epochMs(Math.max(wallet.lastBlock, blockAfter(world.state, now + wait)));
    schedule(world.state, { due: wallet.lastBlock, kind: 'mine', from, nonce });
  }
}

/** The next of a wallet waits for a later block, and all that it has sent after it. */
export function postpone(world: World, transaction: Transaction, now: EpochMs): void {
  const { state } = world;
  const { from, nonce } = transaction;
  state.tasks = state.tasks.filter(
    (task) => task.kind !== 'mine' || task.nonce <= nonce || !sameAddress(task.from, from),
  );
  walletOf(world, from).lastBlock = now;
  scheduleFrom(world, transaction, now);
}

/** The mempool forgets a transaction that still waits. */
export function forget(world: World, hash: Hex): void {
  const transaction = world.transactions.get(hash);
  if (transaction?.minedAt === null) drop(world, transaction);
}

/** A waiting transaction is gone, with what it was to do. */
export function drop(world: World, transaction: Transaction): void {
  dropTransaction(world, transaction);
  const order = world.ordersByTx.get(transaction.hash);
  if (order) dropOrder(world, order);
}
