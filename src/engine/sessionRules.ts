import type { Session } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { OrderTerms } from '../domain/venue.ts';
import type { Wish } from '../domain/wish.ts';
import type { Desk } from './desk.ts';

/** No market order goes out in the last part of a session: it might be mined after the close. */
const CLOSING_MS = 30_000;

/** Whether the session does not take such an order now. */
export function isTooLate({ session, now, books }: Desk, { type }: Pick<OrderTerms, 'type'>): boolean {
  if (type === 'market' && session?.date === books.doubtedDate) return true;
  return !session || (type === 'market' && now > session.close - CLOSING_MS);
}

/** The venue refused a market order naming another session than ours: it knows better, for the rest of this one. */
export function doubtCalendar(desk: Desk, named: string): void {
  const { session, books } = desk;
  if (!session || books.doubtedDate === session.date) return;
  desk.record({ kind: 'sessionDoubted', date: session.date, named });
  const text = `the venue says that it is in another session (${named}) than the calendar has for ${session.date}`;
  desk.tell('alarm', `${text}: no more market orders today. See calendar.overrides in the config`);
}

export const nextOpen = ({ calendar, now }: Desk): EpochMs => epochMs(calendar.nextSession(now).open);

/** The session that an order intent is for, unless it is good till cancelled. */
export const sessionMeant = ({ calendar }: Desk, { notBefore }: Pick<Wish, 'notBefore'>): Session =>
  calendar.sessionAt(notBefore) ?? calendar.nextSession(notBefore);

/**
 * The session that an order intent was for, once it has closed without any price of the symbol: halted, or without data. Null
 * before its close, and where there was a price.
 */
export function pricelessSession(desk: Desk, wish: Pick<Wish, 'symbol' | 'notBefore'>): Session | null {
  const meant = sessionMeant(desk, wish);
  const priced = desk.market.quote(wish.symbol)?.at ?? -Infinity;
  return desk.now >= meant.close && priced < meant.open ? meant : null;
}
