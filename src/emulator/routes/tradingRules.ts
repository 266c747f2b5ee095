import { formatDecimal, notionalOf, shares, WAD, type Price } from '../../core/amount.ts';
import { toSeconds, type EpochMs, type EpochSeconds } from '../../core/brand.ts';
import type { Phase } from '../../calendar/index.ts';
import type { Address } from '../../domain/instrument.ts';
import { tickAt, type VenueConstants } from '../state/constants.ts';
import type { ListedSymbol } from '../market/index.ts';
import { against, invalid } from '../state/messages.ts';
import type { OrderBody, OrderRequest } from './orderRequest.ts';
import type { Account } from '../state/state.ts';
import { accountOf, priceOf, type VenueState } from '../state/venueState.ts';

/** The venue's names of the sessions in which market orders are refused. */
const SESSION_NAMES: Readonly<Record<Exclude<Phase, 'regular'>, string>> = {
  overnight: 'overnight',
  pre: 'pre-market',
  post: 'after-hours',
  closed: 'closed',
};

export type Proposal = Readonly<{
  order: OrderRequest;
  body: OrderBody;
  listing: ListedSymbol;
  /** Wallet of the caller; null when the key has none. */
  user: Address | null;
}>;

/**
 * Refuses what the venue refuses before building a call. Balances are not checked: insufficient ones revert on chain.
 * @throws {Refusal}
 */
export function checkOrder(venue: VenueState, { order, body, listing, user }: Proposal, now: EpochMs): void {
  checkDeferred(user === null ? null : accountOf(venue, user), body);
  checkTimeInForce(body);
  const { constants } = venue.state;
  checkDeadline(body.deadline, now);
  checkLife(constants, body.deadline, now);
  if (!listing.tradable) throw against(`${listing.symbol} is not tradable`);
  if (order.type === 'Market') checkSession(venue, now);
  checkFraction(order, listing);
  if (order.type === 'Limit') checkTick(order.price, constants);
  checkSize(order, priceOf(venue, listing.symbol, now), constants);
}

function checkDeferred(account: Account | null, { deferred, side }: OrderBody): void {
  if (!deferred) return;
  if (side !== 'Sell') throw invalid('deferred must not be true unless side is Sell');
  if (account?.deferredSell.whitelisted && !account.deferredSell.restricted) return;
  throw against('deferred sell is not allowed for this address, or the address is restricted');
}

/** Checks the time in force; market orders have none, whatever the request says. */
function checkTimeInForce({ type, timeInForce }: OrderBody): void {
  if (type !== 'Limit') return;
  if (!timeInForce) throw invalid('timeInForce is required for a limit order');
  if (timeInForce !== 'DAY') throw against('timeInForce only supports DAY');
}

export function checkDeadline(deadline: EpochSeconds, now: EpochMs): void {
  if (deadline <= toSeconds(now)) throw against('deadline has expired');
}

function checkLife({ deadlineMaxS }: VenueConstants, deadline: EpochSeconds, now: EpochMs): void {
  if (deadlineMaxS !== null && deadline > toSeconds(now) + deadlineMaxS)
    throw against(`deadline must be at most ${deadlineMaxS} seconds ahead`);
}

function checkSession({ calendar }: VenueState, now: EpochMs): void {
  const { phase } = calendar.phaseAt(now);
  if (phase === 'regular') return;
  throw against(
    `market order is only supported during the regular trading session, current session: ${SESSION_NAMES[phase]}`,
  );
}

function checkFraction(order: OrderRequest, { symbol, fractionable }: ListedSymbol): void {
  if (fractionable) return;
  if ('notional' in order) throw against(`${symbol} is not fractionable: it cannot be bought by notional`);
  if (order.quantity % WAD !== 0n) throw against(`${symbol} is not fractionable: quantity must be whole`);
}

function checkTick(price: Price, constants: VenueConstants): void {
  const tick = tickAt(constants, price);
  if (price % tick !== 0n) throw against(`price must be a multiple of ${formatDecimal(tick)}`);
}

/** Checks the minimum notional: a limit order counts at its own price, a market sell at the market price. */
function checkSize(order: OrderRequest, market: Price, { minNotional }: VenueConstants): void {
  const price = order.type === 'Limit' ? order.price : market;
  const notional = 'notional' in order ? order.notional : notionalOf(shares(order.quantity), price, 'down');
  if (notional < minNotional) throw against(`notional must be at least ${formatDecimal(minNotional)} mUSD`);
}
