import { epochMs, toSeconds, type EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { chanceOf, hashHex } from '../../core/random.ts';
import { contracts, desk } from '../deployment.ts';
import { note, orderFrom, placementOf } from '../orders.ts';
import type { Account, Hex, Receipt, Transaction } from '../state.ts';
import { indexOrder, schedule, type World } from '../world.ts';
import { blockAfter } from './block.ts';
import { decodeCall, encodeCall, isDeskCall, type ContractCall, type DeskCall } from './call.ts';
import type { ChainEvent } from './events.ts';
import { execute } from './execute.ts';
import { estimateOf, gasOf, gasOfRevert } from './gas.ts';

/** How long a transaction waits before a block can take it. */
const WAIT_MIN_MS = 500;
const WAIT_SPREAD_MS = 1000;

export type Submission = Readonly<{
  account: Account;
  data: Hex;
  /** 0 lets the venue estimate. */
  gasLimit: number;
}>;

/** Sends calldata to the router by the proxy wallet of an account (One Click). */
export function submit(world: World, { account, data, gasLimit }: Submission, now: EpochMs): Transaction {
  const from = account.delegation.delegatee;
  const nonce = account.proxyNonce++;
  const transaction: Transaction = {
    hash: hashHex(`transaction ${from} ${nonce} ${data}`),
    ...{ from, user: account.userAddress, to: contracts.router, nonce, data },
    gas: gasLimit > 0 ? gasLimit : estimateOf(decodeCall(data)),
    ...{ minedAt: null, receipt: null },
  };
  takeIn(world, { account, transaction }, now);
  return transaction;
}

type Incoming = Readonly<{ account: Account; transaction: Transaction }>;

/** Takes a transaction into the mempool. It is mined in the next seconds, and may revert then. */
function takeIn(world: World, { account, transaction }: Incoming, now: EpochMs): void {
  const { hash, data } = transaction;
  keep(world, transaction);
  const call = decodeCall(data);
  const placement = call && placementOf(call);
  const order = placement && orderFrom(world, transaction, placement);
  if (order) {
    world.state.orders.push(order);
    indexOrder(world, order);
  }
  const wait = WAIT_MIN_MS + WAIT_SPREAD_MS * chanceOf(`${world.state.seed} wait ${hash}`);
  account.lastBlock = epochMs(Math.max(account.lastBlock, blockAfter(now + wait)));
  schedule(world.state, { due: account.lastBlock, kind: 'mine', txHash: hash });
}

function keep({ state, transactions }: World, transaction: Transaction): void {
  state.transactions.push(transaction);
  transactions.set(transaction.hash, transaction);
}

/** Mines a waiting transaction into the block of `at`. */
export function mine(world: World, transaction: Transaction, at: EpochMs): void {
  const call = decodeCall(transaction.data);
  transaction.minedAt = at;
  const receipt = (transaction.receipt = receiptOf(world, { transaction, call }, at));
  if (receipt.revert === null) return;
  const order = world.ordersByTx.get(transaction.hash);
  if (order) note(order, { at, word: 'Failed', raw: null });
  const cancelled = call?.kind === 'cancelLimitOrder' ? world.orders.get(call.orderId) : undefined;
  if (cancelled) cancelled.canceling = false;
}

type Mining = Readonly<{ transaction: Transaction; call: ContractCall | null }>;

function receiptOf(world: World, { transaction, call }: Mining, at: EpochMs): Receipt {
  const { user, hash, gas } = transaction;
  const events: ChainEvent[] = [];
  const outOfGas = { revert: 'out of gas', gasUsed: gas, events: [] };
  if (!call) return gas < gasOfRevert(null) ? outOfGas : failed('unknown function', null);
  if (gas < gasOf(call)) return outOfGas;
  if (isDeskCall(call) !== (user === 'venue')) return failed('only the desk may call this', call);
  if ('deadline' in call && toSeconds(at) > call.deadline) return failed('deadline has passed', call);
  const revert = execute(world, { call, hash, user, emit: (event) => void events.push(event) }, at);
  return revert === null ? { revert, gasUsed: gasOf(call), events } : failed(revert, call);
}

const failed = (revert: string, call: ContractCall | null): Receipt => ({
  ...{ revert, gasUsed: gasOfRevert(call), events: [] },
});

export type DeskAct = Readonly<{ call: DeskCall; hash: Hex }>;

/** A transaction of the desk, mined at once. */
export function act(world: World, { call, hash }: DeskAct, at: EpochMs): void {
  const transaction: Transaction = {
    ...{ hash, from: desk, user: 'venue', data: encodeCall(call), gas: estimateOf(call) },
    to: call.kind === 'settleOrder' ? contracts.stock : contracts.cashier,
    nonce: world.state.deskNonce++,
    ...{ minedAt: null, receipt: null },
  };
  keep(world, transaction);
  mine(world, transaction, at);
  const revert = transaction.receipt?.revert ?? null;
  if (revert !== null) throw new InvariantError(`${call.kind} reverted: ${revert}`);
}
