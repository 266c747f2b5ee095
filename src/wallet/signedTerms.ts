import { parseTransaction } from 'viem/utils';
import type { TransactionSerializedEIP1559 } from 'viem';
import { epochSeconds, type EpochSeconds } from '../core/brand.ts';
import type { SignedTransaction } from '../domain/venue.ts';
import { decodeRouterCall, type RouterCodec } from './routerAbi.ts';

/** Fees of a transaction, in wei for a unit of gas. */
export type Fees = Readonly<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>;

type Signed = Pick<SignedTransaction, 'raw'>;

/** Reads the fees of a transaction from its signed bytes. */
export function feesOf({ raw }: Signed): Fees {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parsed(raw);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Reads from its signed bytes the last second in which a transaction does anything; null for a call without one. What the
 * codec does not know is read by the standard one: the config may have been another when it was signed.
 */
export function deadlineOf({ raw }: Signed, codec: Pick<RouterCodec, 'decode'>): EpochSeconds | null {
  const { data = '0x' } = parsed(raw);
  const call = codec.decode(data) ?? decodeRouterCall(data);
  return call && 'deadline' in call ? epochSeconds(call.deadline) : null;
}

const parsed = (raw: string) => parseTransaction(raw as TransactionSerializedEIP1559);

/** Least fees of a transaction that takes the place of another: nodes ask for 10 % more in both, this pays 12.5 %. */
export const outbidding = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => ({
  maxFeePerGas: raised(maxFeePerGas),
  maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
});

/** Rounded up: of 1 wei, an eighth more is 2. */
const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n;
