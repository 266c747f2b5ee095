import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { DATA_READ, READ } from './kinds.ts';
import { tokenBalance } from '../views.ts';
import { rowsOf, userPath, wire } from '../wire.ts';

/**
 * The user behind an id, which is the wallet address.
 *
 * Source: venue specification, "User".
 *
 * @example
 * const { userAddress } = await client.user({ path: { userId: wallet } });
 */
export const user = defineEndpoint({
  ...DATA_READ,
  path: '/api/v1/users/{userId}',
  params: userPath,
  response: z.object({ userId: z.string(), userAddress: wire.address }),
});

export type UserRequest = RequestOf<typeof user>;
export type UserResponse = ResponseOf<typeof user>;

/** Spender whose allowance is returned as `walletAllowance`; the zero address if absent. */
const spenderQuery = z.strictObject({ spenderAddress: wire.address.optional() });

/** Renames `musdBalance`, which some deployments write. */
const spellCash = (raw: unknown): unknown =>
  typeof raw === 'object' && raw !== null && 'musdBalance' in raw
    ? { mUsdBalance: raw.musdBalance, ...raw }
    : raw;

/**
 * Cash in the cashier and every token of the user, net of amounts locked by open orders. Amounts in whole units.
 *
 * Source: venue specification, "Balance".
 *
 * @example
 * const { mUsdBalance } = await client.balance({ path: { userId: wallet }, query: { spenderAddress: router } });
 */
export const balance = defineEndpoint({
  ...READ,
  path: '/api/v1/users/{userId}/balance',
  maxBytes: 4 * 2 ** 20,
  params: userPath,
  query: spenderQuery,
  response: z.preprocess(
    spellCash,
    z.object({
      chainId: z.number().nullish(),
      productType: z.string().nullish(),
      address: wire.address.nullish(),
      /** Cash in the cashier, in mUSD, net of amounts locked by open orders. */
      mUsdBalance: wire.signedDecimal,
      tokenBalances: rowsOf(tokenBalance),
    }),
  ),
});

export type BalanceRequest = RequestOf<typeof balance>;
export type BalanceResponse = ResponseOf<typeof balance>;

/**
 * The stock tokens of the user, net of amounts locked by open orders. Rows are parsed one by one.
 *
 * Source: venue specification, "Positions".
 *
 * @example
 * const holdings = await client.positions({ path: { userId: wallet } });
 */
export const positions = defineEndpoint({
  ...READ,
  path: '/api/v1/users/{userId}/positions',
  maxBytes: 4 * 2 ** 20,
  params: userPath,
  query: spenderQuery,
  response: rowsOf(tokenBalance),
});

export type PositionsRequest = RequestOf<typeof positions>;
export type PositionsResponse = ResponseOf<typeof positions>;
