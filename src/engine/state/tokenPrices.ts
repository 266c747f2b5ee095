import { epochMs } from '../../core/brand.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Limits, TradingRules } from '../../domain/limits.ts';
import {
  premiumOf,
  TOKEN_AGE_MS,
  type Premium,
  type TokenPrice,
  type TokenQuote,
} from '../../domain/premium.ts';
import type { EngineContext } from './engineContext.ts';

const bounds = ({ premiumBps, outside }: Limits): boolean =>
  premiumBps !== undefined || outside?.premiumBps !== undefined;

/** True if a limit on premiums is set: without token prices it lets no order pass. */
export const boundsPremium = ({ limits, ownLimits }: TradingRules): boolean =>
  [limits, ...ownLimits.values()].some(bounds);

/** Premium of a stock's token for checking orders; an old price gives none. A token not read yet is read from then on. */
export function premiumNow({ market, now }: EngineContext, symbol: Ticker): Premium {
  const token = market.tokens.get(symbol);
  if (!token) market.wantedTokens.add(symbol);
  return premiumOf(symbol, token, now);
}

const ANY_TIME = epochMs(-Infinity);

/** Premium as shown to strategies and people: from the last read, so that a replay shows the same. */
export const premiumShown = ({ market }: EngineContext, symbol: Ticker): Premium =>
  premiumOf(symbol, market.tokens.get(symbol), ANY_TIME);

const isSame = (one: TokenPrice, other: TokenPrice | undefined): boolean =>
  one.share === other?.share && one.price === other.price && one.ratio === other.ratio;

/** Stores token prices just read. Old ones no longer count; changes are recorded. */
export function takeTokenQuotes(context: EngineContext, read: readonly TokenQuote[]): void {
  const { market, now, rules, isStarting } = context;
  const { tokens } = market;
  const latest = new Map([
    ...tokens,
    ...read.map((quote) => [quote.symbol, inForce(context, quote)] as const),
  ]);
  const changed = [...latest.values()]
    .map((quote) => (now - quote.at > TOKEN_AGE_MS ? { ...quote, price: null } : quote))
    .filter((quote) => {
      const before = tokens.get(quote.symbol);
      tokens.set(quote.symbol, quote);
      if (boundsPremium(rules)) remark(context, premiumShown(context, quote.symbol), before);
      return !isSame(quote, before);
    });
  if (!isStarting) recordTokenPrices(context, changed);
}

/** A quote with the ratio in force, so that a limit still applies if the venue stops stating one. Its time is at most that of the read. */
export function inForce(
  { rules: { tokenRatios }, market, now }: EngineContext,
  quote: TokenQuote,
): TokenQuote {
  const configured = tokenRatios?.stocks.get(quote.symbol) ?? tokenRatios?.all;
  const ratio = configured ?? quote.ratio ?? market.tokens.get(quote.symbol)?.ratio ?? null;
  return { ...quote, ratio, at: epochMs(Math.min(quote.at, now)) };
}

/** Reports once why a limit on premiums does not apply to a stock, or blocks all of its orders. */
function remark(context: EngineContext, premium: Premium, before: TokenQuote | undefined): void {
  if (premium.kind === 'known') return;
  if (before && premiumOf(before.symbol, before, ANY_TIME).kind === premium.kind) return;
  const effect =
    premium.kind === 'noRatio' ? 'does not bind it' : 'lets no buy of it pass, and no sell but exits';
  context.notify('info', `${premium.why}: limits.premiumBps ${effect}`);
}

/** Records token prices, if any: decisions are based on them. */
export function recordTokenPrices(context: EngineContext, quotes: Iterable<TokenQuote>): void {
  const tokens = [...quotes].map(({ at: _, ...token }): TokenPrice => token);
  if (tokens.length > 0) context.record({ kind: 'tokenPrices', tokens });
}

/** Restores recorded token prices for a replay, which does not decide again whether they were too old. */
export function recallTokenPrices(
  { market }: EngineContext,
  { tokens }: Pick<JournalEventOf<'tokenPrices'>, 'tokens'>,
): void {
  for (const token of tokens) market.tokens.set(token.symbol, { ...token, at: epochMs(Infinity) });
}
