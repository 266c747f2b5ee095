import { toSeconds, type EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import { contracts, operatorWallet } from '../state/constants.ts';
import { nativeOf, payGas } from '../state/tokens.ts';
import { note } from '../trading/orders.ts';
import type { Account, Hex, Receipt, Transaction } from '../state/state.ts';
import { keepMined, keepTransaction, type VenueState } from '../state/venueState.ts';
import {
  requestOf,
  type ContractRequest,
  decodeCall,
  encodeCall,
  type OperatorCall,
} from '../state/calls.ts';
import { baseFeeAt, costOf, estimateOf, gasOfRevert, gasToSucceed, priceOf } from './gas.ts';
import type { ChainEvent } from '../state/events.ts';
import { execute } from './execute.ts';
import { drop, postpone, takeIn } from './mempool.ts';
import { faceOf } from '../state/nodeFace.ts';
import { minedNonce, pendingNonce, waitingAt, walletOf } from './wallets.ts';

export type Submission = Readonly<{
  account: Account;
  data: Hex;
  /** 0 lets the venue estimate. */
  gasLimit: number;
}>;

/** Sends calldata to the router through an account's proxy wallet (One Click). */
export function submit(
  venue: VenueState,
  { account, data, gasLimit }: Submission,
  now: EpochMs,
): Transaction {
  const from = account.delegation.delegatee;
  const nonce = pendingNonce(venue, from);
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
  takeIn(venue, transaction, now);
  return transaction;
}

/** Mines the pending transaction with this nonce if it is the wallet's next and pays the block's base fee. */
export function mineNext(
  venue: VenueState,
  { from, nonce }: Pick<Transaction, 'from' | 'nonce'>,
  at: EpochMs,
) {
  const transaction = waitingAt(venue, from, nonce);
  if (!transaction || nonce !== minedNonce(venue, from)) return;
  const { signed } = transaction;
  if (signed && signed.maxFeePerGas < baseFeeAt(venue.state, at)) postpone(venue, transaction, at);
  else mine(venue, transaction, at);
}

/** Mines a transaction into the block of `at`, or drops it if its wallet can no longer pay for it. */
function mine(venue: VenueState, transaction: Transaction, at: EpochMs): void {
  const { hash, from, user, signed } = transaction;
  if (signed && nativeOf(venue, from) < costOf(transaction, signed)) return drop(venue, transaction);
  const asked = requestOf(venue, transaction);
  walletOf(venue, from).mined++;
  keepMined(venue, transaction, at);
  const receipt = (transaction.receipt = receiptOf(venue, { transaction, asked }, at));
  if (signed) payGas(venue, from, BigInt(receipt.gasUsed) * priceOf(signed, baseFeeAt(venue.state, at)));
  if (receipt.revert === null) return;
  const order = venue.ordersByTx.get(hash);
  if (order) note(order, { at, word: 'Failed', raw: null });
  const kept = asked?.kind === 'cancelLimitOrder' ? venue.orders.get(asked.orderId) : undefined;
  if (kept?.userAddress === user && kept.closing === null) kept.canceling = false;
}

type MiningTarget = Readonly<{ transaction: Transaction; asked: ContractRequest | null }>;

/** Cause of a revert that ran out of gas. */
export const OUT_OF_GAS = 'out of gas';

function receiptOf(venue: VenueState, { transaction, asked }: MiningTarget, at: EpochMs): Receipt {
  const { user, hash, gas, data, doom, pastDeadline } = transaction;
  const events: ChainEvent[] = [];
  const needed = gasToSucceed(asked, data);
  const charged = (used: number) => (faceOf(venue.state).charges === 'limit' ? gas : used);
  if (gas < needed || doom === OUT_OF_GAS) return { revert: OUT_OF_GAS, gasUsed: gas, events };
  const emit = (event: ChainEvent) => void events.push(event);
  const call = asked && pastDeadline && 'deadline' in asked ? { ...asked, deadline: toSeconds(at) } : asked;
  const revert = doom ?? (call ? execute(venue, { call, hash, user, emit }, at) : 'unknown function');
  return revert === null
    ? { revert, gasUsed: charged(needed), events }
    : { revert, gasUsed: charged(gasOfRevert(asked, data)), events: [] };
}

export type OperatorTransaction = Readonly<{ call: OperatorCall; hash: Hex }>;

/** Mines a transaction of the venue's operator immediately. */
export function mineOperatorCall(venue: VenueState, { call, hash }: OperatorTransaction, at: EpochMs): void {
  const transaction: Transaction = {
    hash,
    from: operatorWallet,
    user: 'venue',
    data: encodeCall(call),
    gas: estimateOf(call),
    value: 0n,
    to: call.kind === 'settleOrder' ? contracts.stock : contracts.cashier,
    nonce: minedNonce(venue, operatorWallet),
    signed: null,
    minedAt: null,
    receipt: null,
  };
  keepTransaction(venue, transaction);
  mine(venue, transaction, at);
  const revert = transaction.receipt?.revert ?? null;
  if (revert !== null) throw new InvariantError(`${call.kind} reverted: ${revert}`);
}
