import { privateKeyToAccount } from 'viem/accounts';
import { InvalidValueError } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import { DELEGATE_FIELDS, type Delegation } from './delegation.ts';

/** A wallet whose key is in this process. It signs delegations that have been checked, and nothing else. */
export type Wallet = Readonly<{
  address: Address;
  /** 65 bytes in hex. */
  signDelegation(delegation: Delegation): Promise<`0x${string}`>;
}>;

/** @throws {InvalidValueError} without the key's text, when it is no private key */
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
  };
}

function accountOf(privateKey: string) {
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(privateKey)?.[1];
  try {
    if (hex !== undefined) return privateKeyToAccount(`0x${hex}`);
  } catch {
    // Out of the curve's range: told like any other text that is no key, and without it.
  }
  throw new InvalidValueError('the wallet key must be 64 hex digits, with or without 0x before them');
}
