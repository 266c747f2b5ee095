import { formatDecimal, parseDecimal } from '../../core/amount.ts';
import { NotSentError } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { plainOr } from '../../domain/pins.ts';
import type { VenueConfig } from '../config/schema.ts';
import type { Account } from './account.ts';
import { readableOf, type Holding, type TokenBalance } from './market.ts';

/** The contract that takes tokens out of the wallet, as far as the config names it. */
export const spenderOf = ({ spender, router }: VenueConfig): Address | null => spender ?? router ?? null;

export type AccountBalance = Readonly<{
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
