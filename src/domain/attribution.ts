import type { EpochMs } from '../core/brand.ts';
import type { Books } from './books.ts';
import { sentOf, txHashOf, type Order, type OrderId } from './order.ts';
import type { OrderReport, OrderTerms, ReportedTerms } from './venue.ts';

/** Whose order a row is. `wait`: it may still turn out to be an order whose answer we do not have yet. */
export type Attribution = Readonly<
  | { kind: 'known'; id: OrderId }
  | { kind: 'found'; id: OrderId }
  | { kind: 'wait' }
  | { kind: 'ambiguous'; ids: readonly OrderId[] }
  | { kind: 'foreign' }
>;

/** The venue stamps whole seconds, and orders are sent as long as its clock is less than 20 s apart from ours. */
export const STAMP_SLACK_MS = 25_000;
/** A transaction can be mined until its deadline; the link to the key is made before or soon after. */
const DEADLINE_SLACK_MS = 60_000;

/**
 * Finds the order that a row of the venue's list belongs to. By transaction hash where we have one; an order whose answer was
 * lost is matched on its exact terms and time, never on less; so is one that was closed as
 * never placed, or refused without proof.
 */
export function attribute(report: OrderReport, books: Books): Attribution {
  const known = books.byTx.get(report.txHash);
  if (known !== undefined) return { kind: 'known', id: known };
  const candidates = [...books.live.values(), ...books.absent.values()].filter((order) =>
    inTime(order, report.createdAt),
  );
  if (candidates.length === 0) return { kind: 'foreign' };
  const { terms } = report;
  if (!terms) return { kind: 'wait' };
  const alike = candidates.filter((order) => sameTerms(order.terms, terms));
  const [first] = alike;
  if (!first) return { kind: 'foreign' };
  if (alike.length > 1) return { kind: 'ambiguous', ids: alike.map(({ id }) => id) };
  return first.state.kind === 'sent' ? { kind: 'wait' } : { kind: 'found', id: first.id };
}

/** Whether a row made at `createdAt` could be this order: it was sent, its transaction is not known, and the times fit. */
export function inTime(order: Order, createdAt: EpochMs): boolean {
  const sent = sentOf(order);
  if (!sent || txHashOf(order) !== null) return false;
  return createdAt >= sent.at - STAMP_SLACK_MS && createdAt <= sent.deadline * 1000 + DEADLINE_SLACK_MS;
}

export function sameTerms(ours: OrderTerms, theirs: ReportedTerms): boolean {
  if (ours.symbol !== theirs.symbol || ours.side !== theirs.side || ours.type !== theirs.type) return false;
  if (ours.type === 'limit') return ours.quantity === theirs.quantity && ours.price === theirs.price;
  return ours.side === 'buy' ? ours.notional === theirs.notional : ours.quantity === theirs.quantity;
}
