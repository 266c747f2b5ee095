import type { EpochMs } from '../../core/brand.ts';
import type { Address } from '../../domain/instrument.ts';
import { CHAIN_ID } from '../state/constants.ts';
import { nativeOf } from '../chain/tokens.ts';
import type { Hex, Signed, Transaction } from '../state/state.ts';
import type { World } from '../state/world.ts';
import { baseFeeAt } from '../chain/blocks.ts';
import { refuse } from '../chain/clientWords.ts';
import { BLOCK_GAS_LIMIT, costOf, intrinsicGas, priceOf } from '../chain/gas.ts';
import { takeIn } from './mempool.ts';
import { faceOf } from '../state/nodeFace.ts';
import { minedNonce, waitingAt, waitingOf } from '../chain/wallets.ts';

/** A transaction as its bytes say it, with the signer that its carrier has recovered from them. */
export type RawTransaction = Readonly<{
  hash: Hex;
  from: Address;
  to: Address;
  nonce: number;
  data: Hex;
  value: bigint;
  gas: bigint;
  chainId: number;
  signed: Signed;
}>;

/** So far may a nonce be ahead of the last that was mined. */
const NONCES_AHEAD = 64;

/** Takes a user's own transaction into the mempool. @throws {NodeRefusal} and then nothing has changed */
export function accept(world: World, raw: RawTransaction, now: EpochMs): Transaction {
  const { client } = faceOf(world.state);
  if (waitingAt(world, raw.from, raw.nonce)?.hash === raw.hash) refuse(client, 'known', { hash: raw.hash });
  checkAlone(world, raw, now);
  const { hash, from, to, nonce, data, value, gas, signed } = raw;
  const transaction: Transaction = {
    hash,
    from,
    user: from,
    to,
    nonce,
    data,
    value,
    gas: Number(gas),
    signed,
    minedAt: null,
    receipt: null,
  };
  checkNonce(world, raw, now);
  checkFunds(world, transaction, raw.signed);
  takeIn(world, transaction, now);
  return transaction;
}

/** Refuses what the transaction alone shows to be invalid. */
function checkAlone(world: World, { chainId, gas, data, signed }: RawTransaction, now: EpochMs): void {
  const { maxFeePerGas, maxPriorityFeePerGas } = signed;
  const { client } = faceOf(world.state);
  const [gasMax, gasNeeded] = [BLOCK_GAS_LIMIT, intrinsicGas(data)];
  if (chainId !== CHAIN_ID) refuse(client, 'chainId', { chainId, ownChainId: CHAIN_ID });
  if (gas > gasMax) refuse(client, 'gasAboveBlock', { gas, gasMax });
  if (maxPriorityFeePerGas > maxFeePerGas) refuse(client, 'tipAboveFee');
  if (gas < gasNeeded) refuse(client, 'gasTooLow', { gas, gasNeeded });
  if (maxFeePerGas < baseFeeAt(world.state, now)) refuse(client, 'feeBelowBase');
}

function checkNonce(world: World, { from, nonce, signed }: RawTransaction, now: EpochMs): void {
  const { client, replacementPercent } = faceOf(world.state);
  const next = minedNonce(world, from);
  if (nonce < next) refuse(client, 'nonceTooLow', { nonce, next });
  if (nonce > next + NONCES_AHEAD) refuse(client, 'nonceTooHigh', { nonce, next });
  const old = waitingAt(world, from, nonce)?.signed;
  const outbids =
    replacementPercent === 0 ? paysMore(baseFeeAt(world.state, now)) : raises(replacementPercent);
  if (!old || outbids(signed, old)) return;
  const feeNeeded = (old.maxFeePerGas * BigInt(100 + replacementPercent)) / 100n;
  refuse(client, 'notReplaced', { nonce, feeNeeded });
}

type Outbids = (bid: Signed, old: Signed) => boolean;

/** Compares by the price that the next block would take. */
const paysMore =
  (baseFee: bigint): Outbids =>
  (bid, old) =>
    priceOf(bid, baseFee) > priceOf(old, baseFee);

/** Asks that both fees be higher by `percent`. */
const raises =
  (percent: number): Outbids =>
  (bid, old) =>
    (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
      (fee) => bid[fee] * 100n >= old[fee] * BigInt(100 + percent),
    );

/** A wallet has to have what all that waits can cost at most. */
function checkFunds(world: World, transaction: Transaction, signed: Signed): void {
  const others = waitingOf(world, transaction.from).filter(({ nonce }) => nonce !== transaction.nonce);
  const cost = others.reduce(
    (sum, each) => sum + (each.signed ? costOf(each, each.signed) : 0n),
    costOf(transaction, signed),
  );
  const balance = nativeOf(world, transaction.from);
  if (balance < cost) refuse(faceOf(world.state).client, 'funds', { cost, balance });
}
