import type { EpochMs } from '../../core/brand.ts';
import type { Address } from '../../domain/instrument.ts';
import { CHAIN_ID } from '../deployment.ts';
import { nativeOf } from '../native.ts';
import type { Hex, Signed, Transaction } from '../state.ts';
import type { World } from '../world.ts';
import { BASE_FEE, BLOCK_GAS_LIMIT, costOf, intrinsicGas } from './gas.ts';
import { takeIn } from './mempool.ts';
import { NodeRefusal } from './nodeRefusal.ts';
import { minedNonce, waitingAt, waitingOf } from './wallets.ts';

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
/** By so many percent a replacement pays more. */
const BUMP_PERCENT = 10n;

/** Takes a user's own transaction into the mempool. @throws {NodeRefusal} and then nothing has changed */
export function accept(world: World, raw: RawTransaction, now: EpochMs): Transaction {
  if (waitingAt(world, raw.from, raw.nonce)?.hash === raw.hash) throw new NodeRefusal('already known');
  checkAlone(raw);
  const { hash, from, to, nonce, data, value, gas, signed } = raw;
  const transaction: Transaction = {
    ...{ hash, from, user: from, to, nonce, data, value, gas: Number(gas), signed },
    ...{ minedAt: null, receipt: null },
  };
  checkNonce(world, raw);
  checkFunds(world, transaction, raw.signed);
  takeIn(world, transaction, now);
  return transaction;
}

/** What the transaction alone can be refused for. */
function checkAlone({ chainId, gas, data, signed }: RawTransaction): void {
  const { maxFeePerGas, maxPriorityFeePerGas } = signed;
  if (chainId !== CHAIN_ID) throw new NodeRefusal('invalid chain id for signer');
  if (gas > BLOCK_GAS_LIMIT) throw new NodeRefusal('exceeds block gas limit');
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new NodeRefusal('max priority fee per gas higher than max fee per gas');
  if (gas < intrinsicGas(data)) throw new NodeRefusal('intrinsic gas too low');
  if (maxFeePerGas < BASE_FEE) throw new NodeRefusal('max fee per gas less than block base fee');
}

function checkNonce(world: World, { from, nonce, signed }: RawTransaction): void {
  const next = minedNonce(world, from);
  if (nonce < next) throw new NodeRefusal('nonce too low');
  if (nonce > next + NONCES_AHEAD) throw new NodeRefusal('nonce too high');
  const replaced = waitingAt(world, from, nonce)?.signed;
  if (replaced && !outbids(signed, replaced)) throw new NodeRefusal('replacement transaction underpriced');
}

const outbids = (bid: Signed, old: Signed): boolean =>
  (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
    (fee) => bid[fee] * 100n >= old[fee] * (100n + BUMP_PERCENT),
  );

/** A wallet has to have what all that waits can cost at most. */
function checkFunds(world: World, transaction: Transaction, signed: Signed): void {
  const others = waitingOf(world, transaction.from).filter(({ nonce }) => nonce !== transaction.nonce);
  const cost = others.reduce(
    (sum, each) => sum + (each.signed ? costOf(each, each.signed) : 0n),
    costOf(transaction, signed),
  );
  if (nativeOf(world, transaction.from) < cost)
    throw new NodeRefusal('insufficient funds for gas * price + value');
}
