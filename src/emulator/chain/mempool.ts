import { epochMs, type EpochMs } from '../../core/brand.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import { sameAddress } from '../../domain/instrument.ts';
import { orderFrom, placementOf } from '../trading/orders.ts';
import type { Hex, Transaction } from '../state/state.ts';
import {
  dropOrder,
  dropTransaction,
  indexOrder,
  keepTransaction,
  blockAfter,
  schedule,
  type VenueState,
} from '../state/venueState.ts';
import { requestOf } from '../state/calls.ts';
import { faceOf } from '../state/nodeFace.ts';
import { pendingNonce, waitingAt, walletOf } from './wallets.ts';

/** Time in ms before a block can include a transaction: minimum, and the random part on top. */
const WAIT_MIN_MS = 500;
const WAIT_SPREAD_MS = 1000;

/**
 * Adds a transaction to the mempool, replacing another with its nonce. Blocks of the next seconds mine it, and any
 * transactions that waited for it; while an earlier nonce is missing, it stays pending.
 */
export function takeIn(venue: VenueState, transaction: Transaction, now: EpochMs): void {
  const { from, nonce } = transaction;
  const replaced = waitingAt(venue, from, nonce);
  if (replaced) drop(venue, replaced);
  keepTransaction(venue, transaction);
  createOrder(venue, transaction);
  const { expiryMs } = faceOf(venue.state);
  if (expiryMs !== null && transaction.signed)
    schedule(venue.state, { due: epochMs(now + expiryMs), kind: 'forget', hash: transaction.hash });
  if (!replaced && pendingNonce(venue, from) > nonce) scheduleFrom(venue, transaction, now);
}

function createOrder(venue: VenueState, transaction: Transaction): void {
  const asked = requestOf(venue, transaction);
  const placement = asked && placementOf(asked);
  const order = placement && orderFrom(venue, transaction, placement);
  if (!order) return;
  venue.state.orders.push(order);
  indexOrder(venue, order);
}

/** Schedules a wallet's pending transactions in nonce order. */
function scheduleFrom(venue: VenueState, first: Transaction, now: EpochMs): void {
  const wallet = walletOf(venue, first.from);
  for (let next: Transaction | undefined = first; next; next = waitingAt(venue, next.from, next.nonce + 1)) {
    const { from, nonce, hash } = next;
    const { seed, blocks } = venue.state;
    const wait = blocks.waitMs + WAIT_MIN_MS + WAIT_SPREAD_MS * chanceOf(`${seed} wait ${hash}`);
    wallet.lastBlock = epochMs(Math.max(wallet.lastBlock, blockAfter(venue.state, now + wait)));
    schedule(venue.state, { due: wallet.lastBlock, kind: 'mine', from, nonce });
  }
}

/** Moves the next transaction of a wallet, and all after it, to a later block. */
export function postpone(venue: VenueState, transaction: Transaction, now: EpochMs): void {
  const { state } = venue;
  const { from, nonce } = transaction;
  state.tasks = state.tasks.filter(
    (task) => task.kind !== 'mine' || task.nonce <= nonce || !sameAddress(task.from, from),
  );
  walletOf(venue, from).lastBlock = now;
  scheduleFrom(venue, transaction, now);
}

/** Drops a transaction from the mempool if it is still pending. */
export function forget(venue: VenueState, hash: Hex): void {
  const transaction = venue.transactions.get(hash);
  if (transaction?.minedAt === null) drop(venue, transaction);
}

/** Removes a pending transaction and the order it would have placed. */
export function drop(venue: VenueState, transaction: Transaction): void {
  dropTransaction(venue, transaction);
  const order = venue.ordersByTx.get(transaction.hash);
  if (order) dropOrder(venue, order);
}
