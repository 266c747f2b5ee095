import { cash, formatDecimal, type Cash, type Price } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Exposure, LimitName, Limits } from './limits.ts';
import { isDeferred } from './orders/order.ts';
import type { OrderTerms } from './venue.ts';

/**
 * Limit that an order would break. `failureSpacing`: a similar order has just failed; not set by a config. `room`: maximum
 * value of the order under a size limit; negative if that is exceeded without it. `until`: when the breach ends by itself.
 */
export type Breach = Readonly<{
  limit: LimitName | 'failureSpacing';
  message: string;
  room?: Cash;
  until?: EpochMs;
}>;

type Order = Readonly<{
  terms: OrderTerms;
  /** Value at the order's own price, or at the quote. */
  notional: Cash;
}>;

/** First limit that the order would break, or null. Holding limits do not stop a sell, but a deferred one adds debt. */
export function breachOf(order: Order, limits: Limits, at: Exposure): Breach | null {
  const { terms } = order;
  const byTerms =
    staleQuote(limits, at) ??
    tooMany(limits, at) ??
    outsideBand(terms, limits, at.quote.price) ??
    offPremium(terms, limits, at);
  if (byTerms) return byTerms;
  if (terms.side === 'sell') return tooLarge(order, limits) ?? tooMuchDebt(order, limits, at);
  return (
    tooLarge(order, limits) ??
    tooMuch(order, limits, at) ??
    inGroup(order, limits, at) ??
    tooMuchTurnover(order, limits, at) ??
    lostToday(limits, at)
  );
}

/** Sum bounded by a limit, including the order. `path`: place of the limit in the config. */
type Sum = Readonly<{ limit: LimitName; path: string; what: string; value: bigint }>;

function over({ notional }: Order, max: Cash | undefined, { limit, path, what, value }: Sum): Breach | null {
  if (max === undefined || value <= max) return null;
  const message = `${what} ${formatDecimal(value)} is over the limit of ${formatDecimal(max)} (${path})`;
  return { limit, message, room: cash(max - (value - notional)) };
}

function tooLarge(order: Order, { orderNotional, symbols }: Limits): Breach | null {
  const { notional: value, terms } = order;
  const what = 'order of';
  const path = `symbols.${terms.symbol}.orderNotional`;
  return (
    over(order, orderNotional, { limit: 'orderNotional', path: 'orderNotional', what, value }) ??
    over(order, symbols?.[terms.symbol]?.orderNotional, { limit: 'orderNotional', path, what, value })
  );
}

function tooMuch(order: Order, limits: Limits, at: Exposure): Breach | null {
  const { symbol } = order.terms;
  const value = at.position + order.notional;
  const what = `position in ${symbol} of`;
  const limit = 'positionNotional';
  const own = limits.symbols?.[symbol]?.positionNotional;
  const gross = { what: 'gross exposure of', value: at.gross + order.notional };
  return (
    over(order, limits.positionNotional, { limit, path: limit, what, value }) ??
    over(order, own, { limit, path: `symbols.${symbol}.${limit}`, what, value }) ??
    over(order, limits.grossExposure, { limit: 'grossExposure', path: 'grossExposure', ...gross })
  );
}

/** Breach of the limit of a group that contains the stock. */
function inGroup(order: Order, { groups }: Limits, at: Exposure): Breach | null {
  if (!groups || !at.groups) return null;
  for (const [name, position] of at.groups) {
    const path = `groups.${name}.positionNotional`;
    const value = position + order.notional;
    const sum = { limit: 'groups', path, what: `positions of the group ${name} of`, value } as const;
    const breach = over(order, groups[name]?.positionNotional, sum);
    if (breach) return breach;
  }
  return null;
}

function tooMuchTurnover(order: Order, { turnoverPerDay }: Limits, { turnover }: Exposure): Breach | null {
  if (turnoverPerDay === undefined || turnover === undefined) return null;
  const name = 'turnoverPerDay';
  const value = turnover + order.notional;
  return over(order, turnoverPerDay, { limit: name, path: name, what: "today's turnover of", value });
}

function tooMuchDebt(order: Order, { debt: limit }: Limits, { debt }: Exposure): Breach | null {
  if (limit === undefined || debt === undefined || !isDeferred(order.terms)) return null;
  const name = 'debt';
  if (debt.unpriced !== null)
    return {
      limit: name,
      message: `no price of ${debt.unpriced} is known, which is owed: it cannot be counted (${name})`,
    };
  const value = debt.value + order.notional;
  return over(order, limit, { limit: name, path: name, what: 'debt of deferred sells of', value });
}

function lostToday({ dayLoss }: Limits, { dayProfit }: Exposure): Breach | null {
  const lost = -dayProfit;
  if (dayLoss === undefined || lost < dayLoss) return null;
  const how = lost === dayLoss ? 'at' : 'over';
  const message = `today's loss of ${formatDecimal(lost)} is ${how} the limit of ${formatDecimal(dayLoss)} (dayLoss)`;
  return { limit: 'dayLoss', message };
}

function staleQuote({ quoteAgeMs }: Limits, { now, quote }: Exposure): Breach | null {
  if (quoteAgeMs === undefined || now - quote.at <= quoteAgeMs) return null;
  const message = `the price of ${quote.symbol} is ${Math.ceil((now - quote.at) / 1000)} s old, over ${quoteAgeMs / 1000} s (quoteAgeMs)`;
  return { limit: 'quoteAgeMs', message };
}

function tooMany({ ordersPerMinute }: Limits, { ordersLastMinute }: Exposure): Breach | null {
  if (ordersPerMinute === undefined || ordersLastMinute < ordersPerMinute) return null;
  const message = `${ordersLastMinute} orders in the last minute, at most ${ordersPerMinute} (ordersPerMinute)`;
  return { limit: 'ordersPerMinute', message };
}

/**
 * Checks for a limit price that would give money away: a buy far above or a sell far below the market. The other side
 * is not limited.
 */
function outsideBand(terms: OrderTerms, { priceBandBps }: Limits, quoted: Price): Breach | null {
  if (priceBandBps === undefined || terms.type === 'market') return null;
  const slack = (quoted * BigInt(priceBandBps)) / 10_000n;
  const bad = terms.side === 'buy' ? terms.price > quoted + slack : terms.price < quoted - slack;
  if (!bad) return null;
  const message = `a ${terms.side} at ${formatDecimal(terms.price)} is more than ${priceBandBps} bps from the price of ${formatDecimal(quoted)} (priceBandBps)`;
  return { limit: 'priceBandBps', message };
}

/** Checks the token's price: a buy at a premium or a sell at a discount gives money away, and so may one at an unknown premium. */
function offPremium(
  { side, symbol }: OrderTerms,
  { premiumBps }: Limits,
  { premium }: Exposure,
): Breach | null {
  if (premiumBps === undefined || premium === undefined) return null;
  const limit = 'premiumBps';
  if (premium.kind !== 'known')
    return premium.kind === 'unknown' ? { limit, message: `${premium.why} (${limit})` } : null;
  const over = side === 'buy' ? premium.bps : -premium.bps;
  if (over <= premiumBps) return null;
  const what = side === 'buy' ? 'premium' : 'discount';
  const message = `the token of ${symbol} is at a ${what} of ${over} bps (${premium.figures}), over ${premiumBps} bps (${limit})`;
  return { limit, message };
}
