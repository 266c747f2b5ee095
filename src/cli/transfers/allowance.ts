import { formatDecimal, parseDecimal } from '../../core/amount.ts';
import { NotSentError, VenueRefusedError } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { plainOr } from '../../domain/account/pins.ts';
import type { VenueConfig } from '../config/schema.ts';
import type { Account } from './account.ts';
import { readableOf, type Holding, type TokenBalance } from './market.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { CashToken } from '../../wallet/router.ts';

/** The contract that takes tokens out of the wallet, as far as the config names it. */
export const spenderOf = ({ spender, router }: VenueConfig): Address | null => spender ?? router ?? null;

type AccountBalance = Readonly<{
  mUsd: bigint;
  tokens: readonly TokenBalance[];
  /** Whose allowance the tokens tell; null when the config names none. */
  spender: Address | null;
}>;

export async function walletOf({ client, venue }: Account): Promise<AccountBalance> {
  const spender = spenderOf(venue);
  const { mUsdBalance, tokenBalances } = await client.balance({
    path: { userId: venue.userAddress },
    ...(spender && { query: { spenderAddress: spender } }),
  });
  return { mUsd: parseDecimal(mUsdBalance, { signed: true }), tokens: readableOf(tokenBalances), spender };
}

type TokenNeed = Readonly<{
  amount: bigint;
  token: Readonly<{ symbol: string; address: Address }>;
  spender: Address | null;
}>;

/** @throws {NotSentError} when the wallet has approved too little; what is not known is left to the chain */
export function requireAllowance({ allowance }: Holding, { amount, token, spender }: TokenNeed): void {
  if (spender === null || allowance === null || allowance >= amount) return;
  throw new NotSentError(
    `the wallet has approved ${formatDecimal(allowance)} ${token.symbol} for ${spender}, and ${formatDecimal(amount)} ` +
      `is needed. Nothing was sent. \`drover wallet approve ${plainOr(token.symbol, token.address)} ${formatDecimal(amount)}\` approves it`,
  );
}

/** What a plan says of it. */
export const allowanceFact = ({ allowance }: Holding, spender: Address | null): readonly [string, string] => [
  'approved',
  spender === null || allowance === null
    ? 'not known: name the contract by venue.router or venue.spender; without its approval the transaction reverts'
    : `${formatDecimal(allowance)} for ${spender}`,
];

/**
 * How many places a token has is asked of the token: by a wrong number the wallet signs ten times what was meant.
 * @throws {VenueRefusedError} when the venue says another number than the chain
 */
export async function requirePlaces(
  { address, decimals }: CashToken,
  chain: Pick<Chain, 'decimals'>,
): Promise<void> {
  const actual = await chain.decimals(address);
  if (actual !== decimals)
    throw new VenueRefusedError(
      `the venue says that ${address} has ${decimals} places, and the token itself says ${actual}: nothing was sent`,
      { token: address },
    );
}
