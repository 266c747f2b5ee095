import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import { contracts, desk } from '../state/constants.ts';
import { nativeOf, payGas } from '../chain/tokens.ts';
import { note } from '../trading/orders.ts';
import type { Account, Hex, Receipt, Transaction } from '../state/state.ts';
import { keepMined, keepTransaction, type World } from '../state/world.ts';
import { requestOf, type ContractRequest } from '../chain/requests.ts';
import { baseFeeAt } from '../chain/blocks.ts';
import { decodeCall, encodeCall, type DeskCall } from '../chain/call.ts';
import type { ChainEvent } from '../state/events.ts';
import { execute } from './execute.ts';
import { costOf, estimateOf, gasOfRevert, gasToSucceed, priceOf } from '../chain/gas.ts';
import { drop, postpone, takeIn } from './mempool.ts';
import { faceOf } from '../state/nodeFace.ts';
import { minedNonce, pendingNonce, waitingAt, walletOf } from '../chain/wallets.ts';

export type Submission = Readonly<{
  account: Account;
  data: Hex;
  /** 0 lets the venue estimate. */
  gasLimit: number;
}>;

/** Sends calldata to the router by the proxy wallet of an account (One Click). */
export function submit(world: World, { account, data, gasLimit }: Submission, now: EpochMs): Transaction {
  const from = account.delegation.delegatee;
  const nonce = pendingNonce(world, from);
  const transaction: Transaction = {
    hash: hashHex(`transaction ${from} ${nonce} ${data}`),
    from,
    user: account.userAddress,
    to: contracts.router,
    nonce,
    data,
    value: 0n,
    gas: gasLimit > 0 ? gasLimit : estimateOf(decodeCall(data)),
    signed: null,
    minedAt: null,
    receipt: null,
  };
  takeIn(world, transaction, now);
  return transaction;
}

/** Mines what waits with this nonce, when it is the wallet's next and pays the base fee of the block. */
export function mineNext(world: World, { from, nonce }: Pick<Transaction, 'from' | 'nonce'>, at: EpochMs) {
  const transaction = waitingAt(world, from, nonce);
  if (!transaction || nonce !== minedNonce(world, from)) return;
  const { signed } = transaction;
  if (signed && signed.maxFeePerGas < baseFeeAt(world.state, at)) postpone(world, transaction, at);
  else mine(world, transaction, at);
}

/** Mines a transaction into the block of `at`. One that its wallet cannot pay for any more is dropped instead. */
function mine(world: World, transaction: Transaction, at: EpochMs): void {
  const { hash, from, user, signed } = transaction;
  if (signed && nativeOf(world, from) < costOf(transaction, signed)) return drop(world, transaction);
  const asked = requestOf(world, transaction);
  walletOf(world, from).mined++;
  keepMined(world, transaction, at);
  const receipt = (transaction.receipt = receiptOf(world, { transaction, asked }, at));
  if (signed) payGas(world, from, BigInt(receipt.gasUsed) * priceOf(signed, baseFeeAt(world.state, at)));
  if (receipt.revert === null) return;
  const order = world.ordersByTx.get(hash);
  if (order) note(order, { at, word: 'Failed', raw: null });
  const kept = asked?.kind === 'cancelLimitOrder' ? world.orders.get(asked.orderId) : undefined;
  if (kept?.userAddress === user && kept.closing === null) kept.canceling = false;
}

type Mining = Readonly<{ transaction: Transaction; asked: ContractRequest | null }>;

/** The cause of a revert for want of gas. */
export const OUT_OF_GAS = 'out of gas';

function receiptOf(world: World, { transaction, asked }: Mining, at: EpochMs): Receipt {
  const { user, hash, gas, data, doom } = transaction;
  const events: ChainEvent[] = [];
  const needed = gasToSucceed(asked, data);
  const charged = (used: number) => (faceOf(world.state).charges === 'limit' ? gas : used);
  if (gas < needed || doom === OUT_OF_GAS) return { revert: OUT_OF_GAS, gasUsed: gas, events };
  const emit = (event: ChainEvent) => void events.push(event);
  const revert = doom ?? (asked ? execute(world, { call: asked, hash, user, emit }, at) : 'unknown function');
  return revert === null
    ? { revert, gasUsed: charged(needed), events }
    : { revert, gasUsed: charged(gasOfRevert(asked, data)), events: [] };
}

export type DeskAct = Readonly<{ call: DeskCall; hash: Hex }>;

/** A transaction of the desk, mined at once. */
export function act(world: World, { call, hash }: DeskAct, at: EpochMs): void {
  const transaction: Transaction = {
    hash,
    from: desk,
    user: 'venue',
    data: encodeCall(call),
    gas: estimateOf(call),
    value: 0n,
    to: call.kind === 'settleOrder' ? contracts.stock : contracts.cashier,
    nonce: minedNonce(world, desk),
    signed: null,
    minedAt: null,
    receipt: null,
  };
  keepTransaction(world, transaction);
  mine(world, transaction, at);
  const revert = transaction.receipt?.revert ?? null;
  if (revert !== null) throw new InvariantError(`${call.kind} reverted: ${revert}`);
}
