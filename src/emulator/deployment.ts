import { getAddress } from 'viem/utils';
import { hashHex } from '../core/random.ts';
import type { Address } from '../domain/instrument.ts';

/** An address that depends on its name alone. */
export const addressOf = (name: string): Address => getAddress(hashHex(name).slice(0, 42));

/** The chain and the product of every key (spec, "Authentication", 1). */
export const CHAIN_ID = 143;
export const PRODUCT = 'ProductA';

export const contracts = {
  router: addressOf('contract router'),
  cashier: addressOf('contract cashier'),
  stock: addressOf('contract stock'),
  oneClickRouter: addressOf('contract oneClickRouter'),
} as const;

/** The wallet by which the venue itself acts on chain. */
export const desk = addressOf('wallet desk');

/** What deposits take and withdrawals give. */
export const cashToken = { address: addressOf('token USDC'), symbol: 'USDC', decimals: 6 } as const;

/** Places of a stock token, and of mUSD. */
export const TOKEN_DECIMALS = 18;
