import { encodeFunctionData, parseAbi, parseTransaction } from 'viem/utils';
import { type Address, sameAddress } from '../domain/instrument.ts';
import type { WalletCall } from './sender.ts';
import type { SignedTransaction } from '../domain/venue.ts';

const abi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);

type Approval = Readonly<{
  chainId: number;
  token: Address;
  spender: Address;
  /** Raw units of the token. 0 revokes the approval. */
  amount: bigint;
}>;

/** Call that lets a contract take an amount of a token from the wallet, replacing the previous allowance. */
export const approvalCall = ({ chainId, token, spender, amount }: Approval): WalletCall => ({
  chainId,
  to: token,
  data: encodeFunctionData({ abi, functionName: 'approve', args: [spender, amount] }),
});

/** Call that moves nothing: sent with the nonce of a pending transaction, it replaces it. */
export const emptyCall = (wallet: Address): Omit<WalletCall, 'chainId'> => ({
  to: wallet,
  data: '0x',
});

/** True for a transaction to the wallet itself that sends nothing. */
export function isEmptyCall({ raw }: SignedTransaction, wallet: Address): boolean {
  const { to, data = '0x', value = 0n } = parseTransaction(raw as `0x02${string}`);
  return to != null && sameAddress(to, wallet) && data === '0x' && value === 0n;
}
