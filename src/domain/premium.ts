import { formatDecimal, magnitude, WAD, type Price } from '../core/amount.ts';
import type { Brand, EpochMs } from '../core/brand.ts';
import type { Ticker } from './instrument.ts';

/** Whole number of 10⁻¹⁸ mUSD per token. */
export type PerToken = Brand<bigint, 'PerToken'>;
/** Whole number of 10⁻¹⁸ shares that one token stands for. */
export type TokenRatio = Brand<bigint, 'TokenRatio'>;

/**
 * Multiplier of a token in its own contract, as a wad; null if it has none. `ratio`: for a balance that stays constant,
 * its shares per token. `growth`: for a balance that grows with the multiplier.
 */
export type TokenMultipliers = Readonly<{ ratio: TokenRatio | null; growth: bigint | null }>;

/**
 * Price of a token and of a share, from one answer of the venue. `price`: null if none above 0 is shown. `ratio`: null
 * if neither config, venue nor token states one.
 */
export type TokenPrice = Readonly<{
  symbol: Ticker;
  share: Price;
  price: PerToken | null;
  ratio: TokenRatio | null;
}>;

/** The same with the time of the venue's prices; Infinity if it states none. */
export type TokenQuote = TokenPrice & Readonly<{ at: EpochMs }>;

/** Ratios stated in the config, per stock and for all others: they override the venue's. */
export type TokenRatios = Readonly<{ all?: TokenRatio | undefined; stocks: ReadonlyMap<Ticker, TokenRatio> }>;

/**
 * Premium of a token over its shares, in bps with two decimals, rounded away from 0 so that it exceeds a limit in whole bps exactly
 * when the exact premium does. `noRatio`: there is nothing to compare. `unknown`: there should be a figure, but none is believed.
 */
export type Premium = Readonly<
  { kind: 'known'; bps: number; figures: string } | { kind: 'noRatio' | 'unknown'; why: string }
>;

/** Age in ms above which a token price no longer counts. */
export const TOKEN_AGE_MS = 300_000;
/** Largest premium or discount in bps that is believed. */
const BELIEVED_BPS = 5_000;
/** Hundredths of a bp in one. */
const WHOLE = 1_000_000n;
const HUNDRED = 100;

const unknown = (why: string): Premium => ({ kind: 'unknown', why });

/** Premium from the latest prices of a token; `token` is undefined if none were read. */
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
