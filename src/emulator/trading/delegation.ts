import { hashTypedData } from 'viem/utils';
import type { EpochSeconds } from '../../core/brand.ts';
import { CHAIN_ID, contracts } from '../state/constants.ts';
import type { Account, Hex } from '../state/state.ts';

const types = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  Delegate: [
    { name: 'user', type: 'address' },
    { name: 'delegatee', type: 'address' },
    { name: 'nonce', type: 'uint64' },
    { name: 'deadline', type: 'uint32' },
  ],
} as const;

/** The typed data with which a wallet allows its proxy wallet to act (spec, "One Click resources"). */
export const payloadOf = ({ userAddress, delegation }: Account, deadline: EpochSeconds) => ({
  domain: {
    name: 'OneClickRouter',
    version: '1',
    chainId: CHAIN_ID,
    verifyingContract: contracts.oneClickRouter,
  },
  types,
  primaryType: 'Delegate' as const,
  message: {
    user: userAddress,
    delegatee: delegation.delegatee,
    nonce: delegation.nonce,
    deadline: Number(deadline),
  },
});

/** Digest that the wallet signs. Null when nothing was prepared. */
export function digestOf(account: Account): Hex | null {
  const { prepared } = account.delegation;
  if (prepared === null) return null;
  const { domain, message, ...payload } = payloadOf(account, prepared);
  return hashTypedData({
    ...payload,
    domain: { ...domain, chainId: BigInt(domain.chainId) },
    message: { ...message, nonce: BigInt(message.nonce) },
  });
}
