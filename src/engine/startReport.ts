import { newYorkClock, newYorkDate, type Session } from '../calendar/index.ts';
import { formatDecimal } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import { isUnanswered } from '../domain/order.ts';
import { instantOf } from '../strategy/sessionTime.ts';
import { describeTerms } from './describe.ts';
import type { Desk } from './desk.ts';
import type { StrategySetup } from './host.ts';
import type { LastEnd } from './startCheck.ts';

const ENDS: Readonly<Record<LastEnd['how'], string>> = {
  'in order': 'ended in order',
  'at once': 'was stopped at once',
  crashed: 'ended by an error',
  killed: 'was killed',
};

/** Lines on what a start found: how the run before it ended, its orders and positions, and what differs. */
export function foundAtStart(desk: Desk, { how, at }: LastEnd, open: readonly string[]): string[] {
  const { live } = desk.books;
  const unknown = [...live.values()].filter(isUnanswered);
  const known = [...live.values()].filter((order) => !isUnanswered(order));
  const orders = known.map(({ owner, terms }) => `${owner} ${describeTerms(terms)}`);
  const lost = unknown.map(({ owner, terms, id }) => `${owner} ${describeTerms(terms)} (order ${id})`);
  return [
    `continues: the run before ${ENDS[how]} at ${newYorkDate(at)} ${newYorkClock(at)}`,
    `found: orders open: ${listed(orders)}; without an answer: ${listed(lost)}`,
    `found: positions: ${listed(positionsOf(desk))}`,
    `found: differences between ledger and venue: ${listed(open)}`,
  ];
}

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));

function positionsOf({ books: { allocations, positions } }: Desk): string[] {
  return [...allocations.keys()].flatMap((owner) =>
    [...positions.all(owner)].flatMap(([symbol, { quantity }]) =>
      quantity === 0n ? [] : [`${owner} ${formatDecimal(quantity)} ${symbol}`],
    ),
  );
}

export type TimerSight = Readonly<{
  setup: StrategySetup;
  /** The one that is open, and the one after it. */
  session: Session;
  next: Session;
}>;

/**
 * A line on the timers of a strategy at a start in the middle of a session: those that are past, and the next one. Null for
 * one that has none, or none of today's is past.
 */
export function timersAtStart({ books, now }: Desk, { setup, session, next }: TimerSight): string | null {
  const timers = timersIn(setup, session);
  const past = timers.filter(({ at }) => at < now);
  if (past.length === 0) return null;
  const firstStart = books.opened?.at ?? now;
  const pastText = past.map(({ name, at }) => {
    const wasFired = (books.timers.get(`${setup.id} ${name}`) ?? 0) >= at;
    const what = wasFired ? 'rung before' : at < firstStart ? 'not rung: before the first start' : 'rung now';
    return `${name} ${newYorkClock(at)} (${what})`;
  });
  return `timers past today: ${pastText.join(', ')}; next: ${nextText(
    timers.find(({ at }) => at >= now),
    timersIn(setup, next)[0],
  )}`;
}

type Timer = Readonly<{ name: string; at: EpochMs }>;

function timersIn({ needs }: StrategySetup, session: Session): Timer[] {
  const timers = (needs.timers ?? []).flatMap(({ name, at }) => {
    const instant = instantOf(at, session);
    return instant === null ? [] : [{ name, at: instant }];
  });
  return timers.sort((a, b) => a.at - b.at);
}

function nextText(today: Timer | undefined, later: Timer | undefined): string {
  if (today) return `${today.name} ${newYorkClock(today.at)}`;
  return later ? `${later.name} ${newYorkClock(later.at)} on ${newYorkDate(later.at)}` : 'none';
}
