import type { VenueClient } from '../../api/client.ts';
import { parseDecimal } from '../../core/amount.ts';
import { ConfigError, VenueRefusedError } from '../../core/errors.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { isUnreadable, type Unreadable } from '../../api/wire.ts';
import { spenderOf, type Connection } from './connect.ts';
import type { Chain } from '../../wallet/chain.ts';

/** A token with the decimals that the venue states for it. */
export type StatedToken = Readonly<{ symbol: string; address: Address; decimals: number }>;

type Answer<Name extends keyof VenueClient> = VenueClient[Name] extends (...args: never) => Promise<infer A>
  ? A
  : never;
type Readable<Rows> = Rows extends readonly (infer Row)[] ? Exclude<Row, Unreadable> : never;

export type TokenBalance = Readable<Answer<'balance'>['tokenBalances']>;

export const readableOf = <Row>(rows: readonly (Row | Unreadable)[]): Row[] =>
  rows.filter((row): row is Row => !isUnreadable(row));

/** True when `wanted` names it, in any case. */
const isNamed = (wanted: string | undefined, names: readonly (string | null | undefined)[]): boolean =>
  names.some((name) => name != null && name.toLowerCase() === wanted?.toLowerCase());

/** Tokens of a balance by a name: a symbol, a stock's symbol or an address. @throws {ConfigError} for an unknown name */
export function tokensNamed(tokens: readonly TokenBalance[], wanted: string): TokenBalance[] {
  const found = tokens.filter(({ symbol, stockSymbol, address }) =>
    isNamed(wanted, [symbol, stockSymbol, address]),
  );
  if (found.length === 0) throw new ConfigError(`the venue knows no token ${wanted} of this wallet`);
  return found;
}

export type ListedRow = Readable<Answer<'symbols'>>;

/** Amounts of a token in the wallet and on the exchange. Wads; `allowance` only where a spender was given. */
type Holding = Readonly<{ wallet: bigint; exchange: bigint; allowance: bigint | null }>;

export function holdingOf(tokens: readonly TokenBalance[], address: string): Holding {
  const row = tokens.find((token) => sameAddress(token.address, address));
  const wad = (text: string | null | undefined) => parseDecimal(text ?? '0', { signed: true });
  return {
    wallet: wad(row?.walletBalance),
    exchange: wad(row?.exchangeBalance),
    allowance: row?.walletAllowance == null ? null : wad(row.walletAllowance),
  };
}

type AccountBalance = Readonly<{
  mUsd: bigint;
  tokens: readonly TokenBalance[];
  /** Spender whose allowances are read; null when the config names none. */
  spender: Address | null;
}>;

export async function walletOf({
  client,
  venue,
}: Pick<Connection, 'client' | 'venue'>): Promise<AccountBalance> {
  const spender = spenderOf(venue);
  const { mUsdBalance, tokenBalances } = await client.balance({
    path: { userId: venue.userAddress },
    ...(spender && { query: { spenderAddress: spender } }),
  });
  return { mUsd: parseDecimal(mUsdBalance, { signed: true }), tokens: readableOf(tokenBalances), spender };
}

/**
 * Compares the decimals that the venue states with the token's own: with a wrong number the wallet would sign ten times the amount.
 * @throws {VenueRefusedError} when they differ
 */
export async function requirePlaces(
  { address, decimals }: Pick<StatedToken, 'address' | 'decimals'>,
  chain: Pick<Chain, 'decimals'>,
): Promise<void> {
  const actual = await chain.decimals(address);
  if (actual !== decimals)
    throw new VenueRefusedError(
      `the venue states ${decimals} decimals for ${address}, and the token itself ${actual}. Nothing was sent`,
      { token: address },
    );
}
