import type { EpochMs } from '../../core/brand.ts';
import { CHAIN_ID } from '../state/constants.ts';
import { nativeOf } from '../state/tokens.ts';
import type { SignatureFields, Transaction } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';
import { baseFeeAt, BLOCK_GAS_LIMIT, costOf, intrinsicGas, priceOf } from './gas.ts';
import { refuse } from './clientWords.ts';
import { takeIn } from './mempool.ts';
import { faceOf } from '../state/nodeFace.ts';
import { minedNonce, waitingAt, waitingOf } from './wallets.ts';

/** A decoded raw transaction with its recovered signer. */
export type RawTransaction = Pick<Transaction, 'hash' | 'from' | 'to' | 'nonce' | 'data' | 'value'> &
  Readonly<{ gas: bigint; chainId: number; signed: SignatureFields }>;

/** Maximum distance of a nonce from the last mined one. */
const NONCES_AHEAD = 64;

/** Adds a user's own transaction to the mempool. @throws {NodeRefusal}; nothing has changed then */
export function accept(venue: VenueState, raw: RawTransaction, now: EpochMs): Transaction {
  const { client } = faceOf(venue.state);
  if (waitingAt(venue, raw.from, raw.nonce)?.hash === raw.hash) refuse(client, 'known', { hash: raw.hash });
  checkAlone(venue, raw, now);
  const { chainId: _, gas, ...sent } = raw;
  const transaction: Transaction = {
    ...sent,
    user: raw.from,
    gas: Number(gas),
    minedAt: null,
    receipt: null,
  };
  checkNonce(venue, raw, now);
  checkFunds(venue, transaction, raw.signed);
  takeIn(venue, transaction, now);
  return transaction;
}

/** Refuses transactions that are invalid in themselves, whatever the state of the chain. */
function checkAlone(venue: VenueState, { chainId, gas, data, signed }: RawTransaction, now: EpochMs): void {
  const { maxFeePerGas, maxPriorityFeePerGas } = signed;
  const { client } = faceOf(venue.state);
  const [gasMax, gasNeeded] = [BLOCK_GAS_LIMIT, intrinsicGas(data)];
  if (chainId !== CHAIN_ID) refuse(client, 'chainId', { chainId, ownChainId: CHAIN_ID });
  if (gas > gasMax) refuse(client, 'gasAboveBlock', { gas, gasMax });
  if (maxPriorityFeePerGas > maxFeePerGas) refuse(client, 'tipAboveFee');
  if (gas < gasNeeded) refuse(client, 'gasTooLow', { gas, gasNeeded });
  if (maxFeePerGas < baseFeeAt(venue.state, now)) refuse(client, 'feeBelowBase');
}

function checkNonce(venue: VenueState, { from, nonce, signed }: RawTransaction, now: EpochMs): void {
  const { client, replacementPercent } = faceOf(venue.state);
  const next = minedNonce(venue, from);
  if (nonce < next) refuse(client, 'nonceTooLow', { nonce, next });
  if (nonce > next + NONCES_AHEAD) refuse(client, 'nonceTooHigh', { nonce, next });
  const old = waitingAt(venue, from, nonce)?.signed;
  const outbids =
    replacementPercent === 0 ? paysMore(baseFeeAt(venue.state, now)) : raises(replacementPercent);
  if (!old || outbids(signed, old)) return;
  const feeNeeded = (old.maxFeePerGas * BigInt(100 + replacementPercent)) / 100n;
  refuse(client, 'notReplaced', { nonce, feeNeeded });
}

type Outbids = (bid: SignatureFields, old: SignatureFields) => boolean;

/** Compares the prices per unit of gas that the next block would charge. */
const paysMore =
  (baseFee: bigint): Outbids =>
  (bid, old) =>
    priceOf(bid, baseFee) > priceOf(old, baseFee);

/** Requires both fees to be higher by `percent`. */
const raises =
  (percent: number): Outbids =>
  (bid, old) =>
    (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
      (fee) => bid[fee] * 100n >= old[fee] * BigInt(100 + percent),
    );

/** Requires the wallet to cover the maximum cost of all its pending transactions. */
function checkFunds(venue: VenueState, transaction: Transaction, signed: SignatureFields): void {
  const others = waitingOf(venue, transaction.from).filter(({ nonce }) => nonce !== transaction.nonce);
  const cost = others.reduce(
    (sum, each) => sum + (each.signed ? costOf(each, each.signed) : 0n),
    costOf(transaction, signed),
  );
  const balance = nativeOf(venue, transaction.from);
  if (balance < cost) refuse(faceOf(venue.state).client, 'funds', { cost, balance });
}
