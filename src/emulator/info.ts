import type { Address } from '../domain/instrument.ts';
import { toIso, type EpochMs } from '../core/brand.ts';
import { cashToken, CHAIN_ID, contracts, PRODUCT } from './state/constants.ts';
import type { Machine } from './machine/machine.ts';
import { stocks } from './market/listings.ts';
import type { ApiKey } from './state/state.ts';

/** Where the emulator is and whom it knows: all that a client needs. Prints as one JSON line. */
export type EmulatorInfo = Readonly<{
  baseUrl: string;
  controlUrl: string;
  /** Of the chain's node. */
  rpcUrl: string;
  chainId: number;
  product: string;
  now: string;
  cashToken: Readonly<{ address: string; symbol: string; decimals: number }>;
  contracts: Readonly<Record<keyof typeof contracts, string>>;
  symbols: readonly Readonly<{ symbol: string; contractAddress: string }>[];
  accounts: readonly AccountInfo[];
}>;

export type AccountInfo = Readonly<{
  userAddress: Address;
  privateKey: string;
  /** `enable` or `disabled`. */
  oneClick: string;
  /** Proxy wallet that One Click sends by. */
  delegatee: Address;
  keys: readonly Pick<ApiKey, 'apiKey' | 'secret' | 'access'>[];
}>;

export type Urls = Pick<EmulatorInfo, 'baseUrl' | 'controlUrl' | 'rpcUrl'>;

export const infoOf = ({ state }: Machine, urls: Urls, now: EpochMs): EmulatorInfo => ({
  ...urls,
  chainId: CHAIN_ID,
  product: PRODUCT,
  now: toIso(now),
  cashToken,
  contracts,
  symbols: stocks.map(({ listing: { symbol, address } }) => ({ symbol, contractAddress: address })),
  accounts: state.accounts.map(({ userAddress, privateKey, delegation }) => ({
    userAddress,
    privateKey,
    oneClick: delegation.status,
    delegatee: delegation.delegatee,
    keys: state.keys
      .filter((key) => key.userAddress === userAddress)
      .map(({ apiKey, secret, access }) => ({ apiKey, secret, access })),
  })),
});
