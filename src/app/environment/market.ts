import type { VenueClient } from '../../api/client.ts';
import { parseSigned } from '../../core/amount.ts';
import { ConfigError } from '../../core/errors.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { isUnreadable, type Unreadable } from '../../core/nesting.ts';
import type { Connection } from './connect.ts';

/** A token with the decimals stated by the venue. */
export type StatedToken = Readonly<{ symbol: string; address: Address; decimals: number }>;

type Answer<Name extends keyof VenueClient> = VenueClient[Name] extends (...args: never) => Promise<infer A>
  ? A
  : never;
type Readable<Rows> = Rows extends readonly (infer Row)[] ? Exclude<Row, Unreadable> : never;

export type TokenBalance = Readable<Answer<'balance'>['tokenBalances']>;

export const readableOf = <Row>(rows: readonly (Row | Unreadable)[]): Row[] =>
  rows.filter((row): row is Row => !isUnreadable(row));

/** True when `wanted` is one of the names, ignoring case. */
const isNamed = (wanted: string | undefined, names: readonly (string | null | undefined)[]): boolean =>
  names.some((name) => name != null && name.toLowerCase() === wanted?.toLowerCase());

/** Tokens of a balance by name: a symbol, a stock's symbol or an address. @throws {ConfigError} for an unknown name */
export function tokensNamed(tokens: readonly TokenBalance[], wanted: string): TokenBalance[] {
  const found = tokens.filter(({ symbol, stockSymbol, address }) =>
    isNamed(wanted, [symbol, stockSymbol, address]),
  );
  if (found.length === 0) throw new ConfigError(`the venue knows no token ${wanted} of this wallet`);
  return found;
}

export type ListedRow = Readable<Answer<'symbols'>>;

/** Amount of a token in the wallet, and the amount a spender may take; null if no spender was given. Wads. */
type Holding = Readonly<{ wallet: bigint; allowance: bigint | null }>;

export function holdingOf(tokens: readonly TokenBalance[], address: string): Holding {
  const row = tokens.find((token) => sameAddress(token.address, address));
  const wad = (text: string | null | undefined) => parseSigned(text ?? '0');
  return {
    wallet: wad(row?.walletBalance),
    allowance: row?.walletAllowance == null ? null : wad(row.walletAllowance),
  };
}

/** Tokens of the wallet, each with the amount a spender may take. */
export async function tokensOf(
  { client, venue }: Pick<Connection, 'client' | 'venue'>,
  spender: Address,
): Promise<TokenBalance[]> {
  const path = { userId: venue.userAddress };
  const { tokenBalances } = await client.balance({ path, query: { spenderAddress: spender } });
  return readableOf(tokenBalances);
}
