import { parseTransaction, type TransactionSerializedEIP1559 } from 'viem';
import { sameAddress, type Address } from '../domain/instrument.ts';
import type { SignedTransaction } from '../domain/venue.ts';
import type { WalletCall } from './sender.ts';

/** A call that moves nothing: sent with the nonce of a transaction that waits, it takes its place. */
export const nothingToOneself = (wallet: Address): Omit<WalletCall, 'chainId'> => ({
  to: wallet,
  data: '0x',
});

/** True for a transaction that sends nothing to its own wallet. */
export function isNothing({ raw }: SignedTransaction, wallet: Address): boolean {
  const { to, data = '0x', value = 0n } = parseTransaction(raw as TransactionSerializedEIP1559);
  return to != null && sameAddress(to, wallet) && data === '0x' && value === 0n;
}
