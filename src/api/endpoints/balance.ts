import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { rowsOf, userPath, wire } from '../wire.ts';

/** Spender whose allowance `walletAllowance` gives; the all-zero address when absent. */
export const spenderQuery = z.strictObject({ spenderAddress: wire.address.optional() });

export const tokenBalance = z.object({
  address: wire.address,
  name: z.string().nullish(),
  symbol: z.string(),
  /** Ticker, for stock tokens. */
  stockSymbol: z.string().nullish(),
  isStock: z.boolean(),
  /** Decimals of the token on the chain. */
  decimals: z.number().nullish(),
  /** mUSD a share, for stock tokens. */
  price: z.number().nullish(),
  /** Whole units of the token, or shares. */
  walletBalance: wire.signedDecimal,
  /** Whole units that the queried spender may take from the wallet. */
  walletAllowance: wire.signedDecimal.nullish(),
  /** Whole units of the token, or shares, net of what open orders lock. */
  exchangeBalance: wire.signedDecimal,
  logoUrl: z.string().nullish(),
});

/** Some deployments write `musdBalance`. */
const spellCash = (raw: unknown): unknown =>
  typeof raw === 'object' && raw !== null && 'musdBalance' in raw
    ? { mUsdBalance: raw.musdBalance, ...raw }
    : raw;

/**
 * Cash in the cashier and every token of the user, net of what open orders lock. Amounts in whole units.
 *
 * Source: venue specification, "Balance".
 *
 * @example
 * const { mUsdBalance } = await client.balance({ path: { userId: wallet }, query: { spenderAddress: router } });
 */
export const balance = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/{userId}/balance',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  maxBytes: 4 * 2 ** 20,
  params: userPath,
  query: spenderQuery,
  response: z.preprocess(
    spellCash,
    z.object({
      chainId: z.number().nullish(),
      productType: z.string().nullish(),
      address: wire.address.nullish(),
      /** Cash in the cashier, in mUSD, net of what open orders lock. */
      mUsdBalance: wire.signedDecimal,
      tokenBalances: rowsOf(tokenBalance),
    }),
  ),
});

export type BalanceRequest = RequestOf<typeof balance>;
export type BalanceResponse = ResponseOf<typeof balance>;
