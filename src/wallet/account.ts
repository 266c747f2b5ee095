import { privateKeyToAccount } from 'viem/accounts';
import { InvalidValueError } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { Hex } from './routerAbi.ts';
import { DELEGATE_FIELDS, type Delegation } from './delegation.ts';

/** Contract call with its nonce and maximum cost. Sends no native token. */
export type WalletTransaction = Readonly<{
  chainId: number;
  to: Address;
  data: Hex;
  nonce: number;
  gas: bigint;
  /** Wei. */
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}>;

/** A wallet whose key is in this process. It signs only checked delegations and calls. */
export type Wallet = Readonly<{
  address: Address;
  /** 65 bytes in hex. */
  signDelegation(delegation: Delegation): Promise<Hex>;
  /** The signed bytes, ready for the chain. */
  signTransaction(transaction: WalletTransaction): Promise<Hex>;
}>;

/** @throws {InvalidValueError} for an invalid private key; the message does not contain its text */
export function walletOf(privateKey: string): Wallet {
  const account = accountOf(privateKey);
  return {
    address: account.address,
    signDelegation: ({ domain, message }) =>
      account.signTypedData({
        domain,
        types: { Delegate: DELEGATE_FIELDS },
        primaryType: 'Delegate',
        message,
      }),
    signTransaction: (transaction) => account.signTransaction({ ...transaction, type: 'eip1559', value: 0n }),
  };
}

function accountOf(privateKey: string) {
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(privateKey)?.[1];
  try {
    if (hex !== undefined) return privateKeyToAccount(`0x${hex}`);
  } catch {
    // Outside the curve's range: reported like any other invalid key, without quoting it.
  }
  throw new InvalidValueError('the wallet key must be 64 hex digits, with or without 0x before them');
}
