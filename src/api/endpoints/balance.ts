import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { rowsOf, userPath, wire } from '../wire.ts';

/** Whose allowance `walletAllowance` tells; the all-zero address unless given. */
export const spenderQuery = z.strictObject({ spenderAddress: wire.address.optional() });

export const tokenBalance = z.object({
  address: wire.address,
  name: z.string().nullish(),
  symbol: z.string(),
  /** Of stock tokens. */
  stockSymbol: z.string().nullish(),
  isStock: z.boolean(),
  decimals: z.number().nullish(),
  price: z.number().nullish(),
  walletBalance: wire.signedDecimal,
  walletAllowance: wire.signedDecimal.nullish(),
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
      mUsdBalance: wire.signedDecimal,
      tokenBalances: rowsOf(tokenBalance),
    }),
  ),
});
