import { newYorkClock } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { failureOf, type Order } from '../domain/order.ts';
import type { Desk } from './desk.ts';

/** Failed orders in a row that freeze the symbol. */
const FAILURES_MAX = 3;

/** Reason why an order has to wait after others like it that failed; null when it need not. */
export function spacingOf({ books, rules, now }: Desk, order: Pick<Order, 'owner' | 'terms'>): string | null {
  const streak = rules.failureSpacingMs === undefined ? undefined : books.failures.of(order);
  if (!streak || rules.failureSpacingMs === undefined) return null;
  const next = epochMs(streak.at + rules.failureSpacingMs * 2 ** (streak.count - 1));
  if (now >= next) return null;
  const { side, symbol } = order.terms;
  return `the last ${side} of ${symbol} failed (${streak.why}): the next may go out at ${newYorkClock(next)}`;
}

/** Freezes the symbol of an order that was the last of too many in a row to end without a fill. */
export function freezeAfterFailures(desk: Desk, order: Order): void {
  const streak = desk.books.failures.of(order);
  if (failureOf(order) === null || !streak || streak.count < FAILURES_MAX) return;
  const { side, symbol } = order.terms;
  desk.freeze(
    symbol,
    `${streak.count} orders of ${order.owner} in a row to ${side} ${symbol} ended without a fill, the last ${streak.why}`,
  );
}
