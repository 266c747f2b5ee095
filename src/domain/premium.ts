import { formatDecimal, magnitude, WAD, type Price } from '../core/amount.ts';
import type { Brand, EpochMs } from '../core/brand.ts';
import type { Ticker } from './instrument.ts';

/** Whole number of 10⁻¹⁸ mUSD a token. */
export type PerToken = Brand<bigint, 'PerToken'>;
/** Whole number of 10⁻¹⁸ shares that one token stands for. */
export type TokenRatio = Brand<bigint, 'TokenRatio'>;

/**
 * Multiplier of a token by its own contract, as a wad; null if it has none. `ratio`: of a balance that stands still, by which it
 * counts in shares. `growth`: of a balance that grows with it.
 */
export type TokenMultipliers = Readonly<{ ratio: TokenRatio | null; growth: bigint | null }>;

/**
 * Price of a token beside that of a share, from one answer of the venue. `price`: null if it shows none above 0. `ratio`: null if
 * neither config, venue nor token states one.
 */
export type TokenPrice = Readonly<{
  symbol: Ticker;
  share: Price;
  price: PerToken | null;
  ratio: TokenRatio | null;
}>;

/** The same with the time of the venue's prices; Infinity if it states none. */
export type TokenQuote = TokenPrice & Readonly<{ at: EpochMs }>;

/** Ratios that the config states, of stocks and of all others: they go before the venue's. */
export type TokenRatios = Readonly<{ all?: TokenRatio | undefined; stocks: ReadonlyMap<Ticker, TokenRatio> }>;

/**
 * Premium of a token over its shares, in bps with two places, rounded away from 0: it is over a limit in whole bps exactly where the
 * exact one is. `noRatio`: there is nothing to compare. `unknown`: there should be a figure, and none is believed.
 */
export type Premium = Readonly<
  { kind: 'known'; bps: number; figures: string } | { kind: 'noRatio' | 'unknown'; why: string }
>;

/** Age in ms from which on a token price counts as none. */
export const TOKEN_AGE_MS = 300_000;
/** Largest premium or discount in bps that is believed. */
const BELIEVED_BPS = 5_000;
/** Hundredths of a bp in the whole. */
const WHOLE = 1_000_000n;
const HUNDRED = 100;

const unknown = (why: string): Premium => ({ kind: 'unknown', why });

/** Premium by the latest prices of a token, undefined if none were read. */
export function premiumOf(symbol: Ticker, token: TokenQuote | undefined, now: EpochMs): Premium {
  if (!token)
    return unknown(
      `no price of the token of ${symbol} has been read: a run reads it within a minute from now on`,
    );
  const { share, price, ratio, at } = token;
  if (price === null || share <= 0n)
    return unknown(`the venue shows no present price of the token of ${symbol}`);
  if (now - at > TOKEN_AGE_MS)
    return unknown(`the price of the token of ${symbol} is ${Math.round((now - at) / 1_000)} s old`);
  const prices = `${formatDecimal(price)} a token, ${formatDecimal(share)} a share`;
  if (ratio === null)
    return {
      kind: 'noRatio',
      why: `how many shares a token of ${symbol} stands for is not known (${prices})`,
    };
  if (ratio <= 0n) return unknown(`a token of ${symbol} cannot stand for ${formatDecimal(ratio)} shares`);
  const [value, fair] = [price * WAD, share * ratio];
  const apart = magnitude(value - fair) * WHOLE;
  const bps = Number((apart + fair - 1n) / fair) / HUNDRED;
  const signed = value < fair ? -bps : bps;
  const figures = `${prices}, ${formatDecimal(ratio)} shares a token`;
  if (bps <= BELIEVED_BPS) return { kind: 'known', bps: signed, figures };
  return unknown(`a premium of ${signed} bps on the token of ${symbol} is not believed (${figures})`);
}
