import type { VenueClient } from '../../api/client.ts';
import { madeAt } from '../../api/convert.ts';
import { formatDecimal, parseDecimal, wadFromNumber, price, type Price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { ConfigError, NoAnswerError, NotSentError, VenueRefusedError } from '../../core/errors.ts';
import { sameAddress, ticker, type Address, type Ticker } from '../../domain/instrument.ts';
import { DOCUMENTED_FEES, type FeeSchedule } from '../../domain/fees.ts';
import { isUnreadable, type Unreadable } from '../../api/wire.ts';
import { suggest } from '../../core/suggest.ts';
import type { AmountText } from '../../domain/amountText.ts';
import { plainOr } from '../../domain/account/pins.ts';
import { spenderOf } from '../environment/connect.ts';
import type { Account } from './account.ts';
import type { Chain } from '../../wallet/chain.ts';

/** A token with the decimals that the venue states for it. */
export type StatedToken = Readonly<{ symbol: string; address: Address; decimals: number }>;

type Answer<Name extends keyof VenueClient> = VenueClient[Name] extends (...args: never) => Promise<infer A>
  ? A
  : never;
type Readable<Rows> = Rows extends readonly (infer Row)[] ? Exclude<Row, Unreadable> : never;

export type VenueTerms = Answer<'config'>;
export type TokenTerms = Readable<NonNullable<VenueTerms['cashierTokenConfig']>>;
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

/** A cash token by its symbol, or the only one there is. @throws {ConfigError} */
export function cashTokenOf(
  terms: VenueTerms,
  wanted?: string,
): Readonly<{ token: StatedToken; terms: TokenTerms }> {
  const tokens = readableOf(terms.cashierTokenConfig ?? []);
  const names = tokens.map(({ symbol, tokenAddress }) => symbol ?? tokenAddress);
  const found =
    wanted === undefined && tokens.length === 1
      ? tokens[0]
      : tokens.find(({ symbol, tokenAddress }) => isNamed(wanted, [symbol, tokenAddress]));
  if (!found) {
    const what =
      wanted === undefined ? 'the venue has several cash tokens' : `${wanted} is no cash token here`;
    throw new ConfigError(`${what}. Name one by --token: ${names.join(', ') || 'the venue names none'}`);
  }
  const { decimals, tokenAddress: address, symbol } = found;
  if (typeof decimals !== 'number')
    throw new NoAnswerError('the venue does not state the decimals of the token. Nothing was sent');
  return { token: { symbol: symbol ?? address, address, decimals }, terms: found };
}

export type Stock = Readonly<{
  symbol: Ticker;
  address: Address;
  tradable: boolean;
  fractionable: boolean;
  /** 0 where the venue has none. */
  price: Price;
  pricedAt: EpochMs;
}>;

export type ListedRow = Readable<Answer<'symbols'>>;

/** Finds a listed stock by its symbol, in any case. @throws {ConfigError} for one that is not listed */
export function stockIn(rows: readonly ListedRow[], text: string): Stock {
  const symbol = ticker(text.toUpperCase());
  const row = rows.find((each) => each.symbol === symbol);
  if (row)
    return {
      symbol,
      address: row.contractAddress,
      tradable: row.tradable,
      fractionable: row.fractionable,
      price: price(wadFromNumber(row.price)),
      pricedAt: madeAt(row.lastUpdateTimestamp),
    };
  const meant = suggest(
    symbol,
    rows.map((each) => each.symbol),
  );
  throw new ConfigError(`${symbol} is not listed at this venue.${meant ? ` Did you mean ${meant}?` : ''}`);
}

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

type Need = Readonly<{ needed: bigint; of: string; text: AmountText; remedy?: string }>;

/** @throws {NotSentError} when there is less than is needed */
export function requireEnough(held: bigint, { needed, of, text, remedy = '' }: Need): void {
  if (held < needed)
    throw new NotSentError(
      `${of}: ${text(held, 'down')}, and ${text(needed, 'up')} is needed. Nothing was sent${remedy && `. ${remedy}`}`,
    );
}

/** The venue's fees on orders; where it states none, the documented ones. */
export const feesOf = ({ exchangeFeeConfig: told }: VenueTerms): FeeSchedule => ({
  buyMintFeeBps: told?.buyMintFeeBps ?? DOCUMENTED_FEES.buyMintFeeBps,
  buyProtocolFeeBps: told?.buyProtocolFeeBps ?? DOCUMENTED_FEES.buyProtocolFeeBps,
  sellProtocolFeeBps: told?.sellProtocolFeeBps ?? DOCUMENTED_FEES.sellProtocolFeeBps,
});

/** True when the cashier credits a deposit of this amount of mUSD at once; null where the venue states too little to tell. */
export function isInstantDeposit(
  { cashierBuffer }: VenueTerms,
  token: TokenTerms,
  credit: bigint,
): boolean | null {
  const { creditBuffer, instantThresholdDivisor: divisor } = cashierBuffer ?? {};
  const { withdrawalBuffer, withdrawalBufferCapacity } = token;
  if (creditBuffer == null || divisor == null || !Number.isInteger(divisor)) return null;
  if (withdrawalBuffer == null || withdrawalBufferCapacity == null) return null;
  const wad = (text: string) => parseDecimal(text, { signed: true });
  return (
    credit * BigInt(divisor) <= wad(creditBuffer) &&
    wad(withdrawalBuffer) + credit <= wad(withdrawalBufferCapacity)
  );
}

export const speedOf = (instant: boolean | null): string =>
  instant === null ? 'the venue does not say' : instant ? 'at once' : 'queued: it may take a while';

type AccountBalance = Readonly<{
  mUsd: bigint;
  tokens: readonly TokenBalance[];
  /** Spender whose allowances are read; null when the config names none. */
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
  token: Readonly<{ symbol: string; address: Address }>;
  amount: bigint;
  text: AmountText;
  remedy?: string;
}>;

/**
 * Requires that the wallet holds an amount of a token, and has approved it as far as that is known. Returns the line of a plan
 * that states the allowance.
 * @throws {NotSentError} when it holds or has approved too little; an unknown allowance is left to the chain
 */
export function requireSpendable(
  { tokens, spender }: Pick<AccountBalance, 'tokens' | 'spender'>,
  { token, amount, text, remedy = '' }: TokenNeed,
): readonly [string, string] {
  const { wallet, allowance } = holdingOf(tokens, token.address);
  requireEnough(wallet, { needed: amount, of: `${token.symbol} in the wallet`, text, remedy });
  if (spender === null || allowance === null)
    return [
      'approved',
      'unknown: set venue.router or venue.spender; without an approval the transaction reverts',
    ];
  if (allowance < amount)
    throw new NotSentError(
      `the wallet has approved ${text(allowance, 'down')} ${token.symbol} for ${spender}, and ${text(amount, 'up')} ` +
        `is needed. Nothing was sent. \`drover wallet approve ${plainOr(token.symbol, token.address)} ${formatDecimal(amount)}\` approves it`,
    );
  return ['approved', `${text(allowance, 'down')} for ${spender}`];
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
