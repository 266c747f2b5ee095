import { epochMs, toSeconds, type EpochMs } from '../core/brand.ts';
import { chanceOf, hashHex } from '../core/random.ts';
import { sameAddress, type Address } from '../domain/instrument.ts';
import { blockAfter } from './block.ts';
import type { Call } from './call.ts';
import { moveForeign } from './foreign.ts';
import { note, orderFrom } from './orders.ts';
import { cancelOrder, openOrder } from './placing.ts';
import { settleOrder } from './settling.ts';
import type { Account, Transaction } from './state.ts';
import { indexOrder, orderOfId, orderOfTx, schedule, type World } from './world.ts';

/** How long a transaction waits before a block can take it. */
const WAIT_MIN_MS = 500;
const WAIT_SPREAD_MS = 1000;
/** What a call of the router uses: with a lower limit it runs out. */
const GAS_USED = 180_000;

export type Submission = Readonly<{
  account: Account;
  call: Call;
  /** 0 lets the venue estimate. */
  gasLimit: number;
}>;

/** Takes a transaction into the mempool. It is mined in the next seconds, and may revert then. */
export function submit(world: World, { account, call, gasLimit }: Submission, now: EpochMs): Transaction {
  const from = account.userAddress;
  const hash = hashHex(`transaction ${from} ${account.transactions} ${Object.values(call).join(' ')}`);
  const transaction: Transaction = { hash, from, call, gasLimit, minedAt: null, revert: null };
  account.transactions++;
  world.state.transactions.push(transaction);
  world.transactions.set(hash, transaction);
  if (call.kind === 'placeMarketOrder' || call.kind === 'placeLimitOrder') {
    const order = orderFrom(world, transaction, call);
    world.state.orders.push(order);
    indexOrder(world, order);
  }
  const wait = WAIT_MIN_MS + WAIT_SPREAD_MS * chanceOf(`${world.state.seed} wait ${hash}`);
  account.lastBlock = epochMs(Math.max(account.lastBlock, blockAfter(now + wait)));
  schedule(world.state, { due: account.lastBlock, kind: 'mine', txHash: hash });
  return transaction;
}

/** Mines a waiting transaction into the block of `at`. */
export function mine(world: World, transaction: Transaction, at: EpochMs): void {
  const { hash, from, call } = transaction;
  transaction.minedAt = at;
  transaction.revert = outOfBounds(transaction, at) ?? execute(world, { call, from, hash }, at);
  if (transaction.revert === null) return;
  const order = world.ordersByTx.get(hash);
  if (order) note(order, { at, word: 'Failed', raw: null });
  if (call.kind === 'cancelLimitOrder') orderOfId(world, call.orderId).canceling = false;
}

function outOfBounds({ call, gasLimit }: Transaction, at: EpochMs): string | null {
  if (gasLimit > 0 && gasLimit < GAS_USED) return 'out of gas';
  return 'deadline' in call && toSeconds(at) > call.deadline ? 'deadline has passed' : null;
}

/** A call with the transaction that carries it and the wallet it acts for. */
export type Execution = Readonly<{ call: Call; hash: string; from: Address | 'venue' }>;

/** The only place where money moves. Gives the reason when the call reverts: then nothing has changed. */
export function execute(world: World, { call, hash, from }: Execution, at: EpochMs): string | null {
  switch (call.kind) {
    case 'placeMarketOrder':
    case 'placeLimitOrder':
      return openOrder(world, orderOfTx(world, hash), at);
    case 'cancelLimitOrder': {
      const order = orderOfId(world, call.orderId);
      return sameAddress(order.userAddress, from) ? cancelOrder(world, order, at) : 'not your order';
    }
    case 'settleOrder':
      settleOrder(world, orderOfId(world, call.orderId), at);
      return null;
    case 'moveForeign':
      return moveForeign(world, call);
  }
}
