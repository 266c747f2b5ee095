import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../domain/instrument.ts';
import type { WalletCall } from './sender.ts';

const abi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);

export type Approval = Readonly<{
  chainId: number;
  token: Address;
  spender: Address;
  /** Raw units of the token. 0 takes the approval back. */
  amount: bigint;
}>;

/** Lets a contract take so much of a token out of the wallet, in place of what it was allowed before. */
export const approvalCall = ({ chainId, token, spender, amount }: Approval): WalletCall => ({
  chainId,
  to: token,
  data: encodeFunctionData({ abi, functionName: 'approve', args: [spender, amount] }),
});
