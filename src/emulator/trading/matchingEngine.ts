import { cash, notionalOf, shares, WAD, type Price, type Shares } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { limitFill } from '../../sim/matching.ts';
import { note } from './orders.ts';
import { allowedOf, partOf, quoteFrom, scheduleSettlement } from './settlement.ts';
import type { Order } from '../state/state.ts';
import { listingOf, priceOf, schedule, type VenueState } from '../state/venueState.ts';

/** Milliseconds between two matching rounds: in the regular session, and in extended hours. */
const REGULAR_MS = 5_000;
const EXTENDED_MS = 60_000;
/** Divisor of the market's volume: this venue's orders may fill one share in ten. */
const PARTICIPATION = 10n;

/** Starts the matching engine unless it is running. It stops by itself when no limit order is open. */
export function startMatching(venue: VenueState, at: EpochMs): void {
  if (venue.state.tasks.some(({ kind }) => kind === 'desk')) return;
  schedule(venue.state, { due: nextLook(venue, at), kind: 'desk' });
}

function nextLook({ calendar }: VenueState, at: EpochMs): EpochMs {
  const { phase, nextChange } = calendar.phaseAt(at);
  if (phase === 'closed') return nextChange;
  const step = phase === 'regular' ? REGULAR_MS : EXTENDED_MS;
  return epochMs(Math.min((Math.floor(at / step) + 1) * step, nextChange));
}

/** Matches once: every open limit order fills as far as its limit and the volume allow. */
export function runMatching(venue: VenueState, at: EpochMs): void {
  if (venue.working.size === 0) return;
  const { phase } = venue.calendar.phaseAt(at);
  const trades = ({ symbol, quantity }: Order) => {
    const changed = venue.state.constants.nights?.[symbol];
    const { overnightTradable, fractionalEhEnabled } = { ...listingOf(venue, symbol), ...changed };
    const isWhole = quantity !== null && quantity % WAD === 0n;
    return (
      phase === 'regular' || (phase !== 'closed' && overnightTradable && (isWhole || fractionalEhEnabled))
    );
  };
  const looks = new Map<Ticker, Look>();
  for (const order of [...venue.working]) if (trades(order)) meet(venue, { order, looks }, at);
  schedule(venue.state, { due: nextLook(venue, at), kind: 'desk' });
}

/** A stock in one matching round: its mid price and the remaining volume. */
type Look = { readonly middle: Price; available: Shares | null };

function lookAt(venue: VenueState, { order, looks }: OrderMatch, at: EpochMs): Look {
  const known = looks.get(order.symbol);
  if (known) return known;
  const look: Look = { middle: priceOf(venue, order.symbol, at), available: null };
  looks.set(order.symbol, look);
  return look;
}

/** Volume for this venue's orders, which get it in the order they were mined. */
function volumeAt({ market }: VenueState, symbol: Ticker, at: EpochMs): Shares {
  const traded = BigInt(market.volumeAt(symbol, at) * (REGULAR_MS / 1000)) * WAD;
  return shares(traded / PARTICIPATION);
}

type OrderMatch = Readonly<{ order: Order; looks: Map<Ticker, Look> }>;

function meet(venue: VenueState, meeting: OrderMatch, at: EpochMs): void {
  const { order } = meeting;
  const { symbol, side, quantity, price: limit } = order;
  const look = lookAt(venue, meeting, at);
  if (quantity === null || limit === null) return;
  if (side === 'buy' ? look.middle > limit : look.middle < limit) return;
  const available = look.available ?? volumeAt(venue, symbol, at);
  const remaining = shares(allowedOf(order, quantity) - order.filled);
  if (remaining <= 0n) return;
  const fill = limitFill({
    side,
    remaining,
    limit,
    price: quoteFrom(look.middle, side, venue.state.constants),
    available,
  });
  look.available = fill ? shares(available - fill.quantity) : available;
  if (!fill) return;
  order.filled = shares(order.filled + fill.quantity);
  // Rounded down: the parts of a buy together never cost more than it has locked.
  order.cost = cash(order.cost + notionalOf(fill.quantity, fill.price, 'down'));
  if (order.word === 'New') note(order, { at, word: 'Partial filled', raw: 'placing' });
  if (order.filled === quantity) complete(venue, order, at);
}

/** Closes a fully executed order, which is shown as partly filled until it has settled. */
function complete(venue: VenueState, order: Order, at: EpochMs): void {
  close(venue, order, 'Filled');
  scheduleSettlement(venue, order, at);
}

/** Ends the execution of an order. */
export function close(venue: VenueState, order: Order, how: NonNullable<Order['closing']>): void {
  order.closing = how;
  venue.working.delete(order);
}

/** Executes this share of an order's remainder at its limit; nothing executes afterwards. */
export function raceCancel(
  venue: VenueState,
  { order, share }: Readonly<{ order: Order; share: number }>,
  at: EpochMs,
): void {
  const { quantity, price: limit, filled } = order;
  if (quantity === null || limit === null || order.closing !== null) return;
  const more = shares(partOf(shares(quantity - filled), share));
  order.filled = shares(filled + more);
  order.cost = cash(order.cost + notionalOf(more, limit, 'down'));
  venue.working.delete(order);
  if (order.filled === quantity) complete(venue, order, at);
}

/** Ends a DAY order with its session. */
export function expire(venue: VenueState, order: Order, at: EpochMs): void {
  if (order.closing !== null || order.word === 'Failed') return;
  close(venue, order, 'Expired');
  scheduleSettlement(venue, order, at);
}
