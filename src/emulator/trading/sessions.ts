import { z } from 'zod';
import { createTradingCalendar, type CalendarException } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { dayEnd } from '../../sim/dayEnd.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { orderOfId, rebuild, schedule, type VenueState } from '../state/venueState.ts';

const time = z.string().regex(/^\d\d:\d\d$/, 'must be a time in New York such as 13:00');

/** A day with hours that differ from the exchange's calendar: closed, or these. */
export const session = z.union([
  z.strictObject({ date: z.iso.date(), closed: z.literal(true) }),
  z.strictObject({ date: z.iso.date(), open: time.optional(), close: time.optional() }),
]);

/**
 * Overrides a session from now on. Prices and bars follow if it has not opened yet; a session in progress ends only for
 * the venue. DAY orders end with their session as overridden.
 * @throws {InvalidValueError} for a day without a session, or impossible hours
 */
export function overrideSession(venue: VenueState, override: z.output<typeof session>, now: EpochMs): void {
  const { sessions } = venue.state;
  const usual = venue.calendar.sessionOn(override.date);
  if (!usual) throw new InvalidValueError(`there is no session on ${override.date}`);
  if (usual.close <= now) throw new InvalidValueError(`the session of ${override.date} is over`);
  const exception = exceptionOf(override);
  createTradingCalendar([...sessions.map((each) => each.exception), exception]);
  sessions.push({ exception, hasOpened: usual.open <= now });
  rebuild(venue);
  moveExpiries(venue, now);
}

function exceptionOf(override: z.output<typeof session>): CalendarException {
  const common = { date: override.date, reason: 'override' };
  if ('closed' in override) return { ...common, closed: true };
  const { open, close } = override;
  return { ...common, ...(open !== undefined && { open }), ...(close !== undefined && { close }) };
}

/** End of a DAY order that is mined at an instant. */
export const dayEndIn = ({ calendar, state }: VenueState, at: EpochMs): EpochMs =>
  dayEnd(calendar, at, state.constants.dayEnds ?? 'nextClose');

/** Moves the expiry of DAY orders to match the current sessions. */
function moveExpiries(venue: VenueState, now: EpochMs): void {
  const { state } = venue;
  const expiries = state.tasks.filter((task) => task.kind === 'expire');
  state.tasks = state.tasks.filter((task) => task.kind !== 'expire');
  for (const task of expiries) {
    const minedAt = orderOfId(venue, task.orderId).minedAt ?? now;
    schedule(state, { ...task, due: epochMs(Math.max(dayEndIn(venue, minedAt), now)) });
  }
}

/** Freezes quotes and bars of one or all stocks until released; orders continue. */
export const quotes = z.strictObject({ symbol: z.string().optional(), frozen: z.boolean() });

/** Freezes or releases quotes. @throws {InvalidValueError} for an unlisted stock */
export function freeze(venue: VenueState, { symbol, frozen }: z.output<typeof quotes>, now: EpochMs): void {
  const { listings } = venue.market;
  const selected = symbol === undefined ? listings : [venue.listings.get(symbol.toUpperCase())];
  for (const listing of selected) {
    if (!listing) throw new InvalidValueError(`${String(symbol)} is not listed`);
    if (frozen) venue.state.frozen[listing.symbol] ??= now;
    else Reflect.deleteProperty(venue.state.frozen, listing.symbol);
  }
}
