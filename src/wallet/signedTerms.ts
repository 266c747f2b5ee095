import { parseTransaction } from 'viem/utils';
import type { TransactionSerializedEIP1559 } from 'viem';
import { epochSeconds, type EpochSeconds } from '../core/brand.ts';
import type { SignedTransaction } from '../domain/venue.ts';
import { decodeRouterCall } from './routerAbi.ts';

/** Fees of a transaction, in wei for a unit of gas. */
export type Fees = Readonly<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>;

/** Terms that signed bytes carry. `deadline`: last second in which the call does anything; null for a call without one. */
export type SignedTerms = Fees & Readonly<{ deadline: EpochSeconds | null }>;

/** Reads the terms of a transaction from its signed bytes. */
export function termsOf({ raw }: Pick<SignedTransaction, 'raw'>): SignedTerms {
  const parsed = parseTransaction(raw as TransactionSerializedEIP1559);
  const { data = '0x', maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parsed;
  const call = decodeRouterCall(data);
  const deadline = call && 'deadline' in call ? epochSeconds(call.deadline) : null;
  return { maxFeePerGas, maxPriorityFeePerGas, deadline };
}

/** Least fees of a transaction that takes the place of another: nodes ask for 10 % more in both, this pays 12.5 %. */
export const outbidding = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => ({
  maxFeePerGas: raised(maxFeePerGas),
  maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
});

/** Rounded up: of 1 wei, an eighth more is 2. */
const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n;
