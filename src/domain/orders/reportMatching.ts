import type { EpochMs } from '../../core/brand.ts';
import {
  bareId,
  hasEnded,
  isDeferred,
  sentOf,
  txHashOf,
  type Order,
  type OrderId,
  type SentState,
  MINABLE_MS,
} from './order.ts';
import type { OrderReport, OrderTerms, ReportedTerms, UnreadableRow } from '../venue.ts';
import type { ExternalCancelEvent, JournalEventOf } from '../journalEvent.ts';

/** Orders of an account, indexed by the fields of the venue's rows. */
type OrderIndex = Readonly<{
  orders: ReadonlyMap<OrderId, Order>;
  live: ReadonlyMap<OrderId, Order>;
  absent: ReadonlyMap<OrderId, Order>;
  byTx: ReadonlyMap<string, OrderId>;
  byVenueId: ReadonlyMap<string, OrderId>;
  nonces: ReadonlyMap<string, number>;
  external: Readonly<{ has(txHash: string): boolean }>;
}>;

/**
 * Match of a row with an order. `wait`: it may still turn out to be an order without an answer, or concerns a known
 * order, such as a cancel.
 */
type ReportMatch = Readonly<
  | { kind: 'known'; id: OrderId }
  | { kind: 'found'; id: OrderId }
  | { kind: 'wait' }
  | { kind: 'ambiguous'; ids: readonly OrderId[] }
  | { kind: 'external' }
>;

/** Tolerance of the venue's time stamps in ms: whole seconds, and a clock at most 20 s from ours while orders are sent. */
export const STAMP_SLACK_MS = 25_000;
/** Time in ms after its deadline up to which an order may be linked to the key; it is mined by the deadline. */
const DEADLINE_SLACK_MS = 60_000;

/**
 * Finds the order that a row of the venue's list belongs to, by transaction hash if known. An order whose answer was
 * lost is matched on its exact terms and time, never on less, and so is one closed as never placed or refused without
 * proof. An order refused with a documented text is matched only if no other fits.
 */
export function matchReport(report: OrderReport, accountState: OrderIndex): ReportMatch {
  const known = accountState.byTx.get(report.txHash);
  if (known !== undefined) return { kind: 'known', id: known };
  const match = byTerms(report, accountState);
  if (match.kind === 'wait' || accountState.external.has(report.txHash)) return match;
  return isAboutKnown(report, accountState) ? { kind: 'wait' } : match;
}

const isAboutKnown = ({ orderId }: OrderReport, { byVenueId }: OrderIndex): boolean =>
  orderId !== null && byVenueId.has(bareId(orderId));

function byTerms({ terms, createdAt }: OrderReport, accountState: OrderIndex): ReportMatch {
  const isLike = (order: Order) => !terms || !contradict(order.terms, terms);
  const live = [...accountState.live.values()];
  const fitting = [...live, ...accountState.absent.values()].filter(
    (order) => inTime(order, createdAt) && isLike(order),
  );
  const awaited = fitting.filter((order) => !hasDocumentedRefusal(order));
  if (awaited.length === 0 && live.some((order) => isNotShownYet(order, createdAt) && isLike(order)))
    return { kind: 'wait' };
  const alike = awaited.length > 0 ? awaited : fitting;
  const [first] = alike;
  if (!first) return { kind: 'external' };
  if (!terms || createdAt <= 0 || !alike.some((order) => sameTerms(order.terms, terms)))
    return { kind: 'wait' };
  if (alike.length > 1 && !areDuplicates(alike, terms))
    return { kind: 'ambiguous', ids: alike.map(({ id }) => id) };
  const mayBeAnswered = first.state.kind === 'sent' && !first.claim;
  return mayBeAnswered ? { kind: 'wait' } : { kind: 'found', id: first.id };
}

/** True for an order that the venue refused with a documented text. */
const hasDocumentedRefusal = ({ state }: Order): boolean => state.kind === 'refused' && !state.unproven;

/**
 * True when a row may be booked as any of these orders: all have one owner and the same terms, and at most the first
 * still waits for its answer. The others were closed without proof, and match the next such rows.
 */
const areDuplicates = ([first, ...rest]: readonly Order[], terms: ReportedTerms): boolean =>
  first !== undefined &&
  sameTerms(first.terms, terms) &&
  rest.every(
    (other) => other.strategyId === first.strategyId && hasEnded(other) && sameTerms(other.terms, terms),
  );

/** True when a row created at `createdAt` (0: unknown) could be this order: sent, transaction unknown, fitting times. */
function inTime(order: Order, createdAt: EpochMs): boolean {
  const sent = sentOf(order);
  return sent !== null && txHashOf(order) === null && (createdAt <= 0 || fits(sent, createdAt));
}

/** True when a row may still be this order, whose transaction is unknown: nothing in the row contradicts it. */
export const couldBe = (order: Order, row: OrderReport, accountState: OrderIndex): boolean =>
  inTime(order, row.createdAt) &&
  row.status !== 'reverted' &&
  (!row.terms || (!accountState.byTx.has(row.txHash) && !contradict(order.terms, row.terms))) &&
  !isAboutKnown(row, accountState);

/**
 * True when an unreadable row may be this order: by its transaction or, if that is unknown, unless a row above it is
 * from before the send. `rows`: newest first.
 */
export function mayHide(order: Order, rows: Rows, { byTx }: OrderIndex): boolean {
  const own = txHashOf(order);
  for (const row of rows)
    if (!('unreadable' in row)) {
      if (own === null && isFromBefore(order, row.createdAt)) return false;
    } else if (own === null ? row.txHash === null || !byTx.has(row.txHash) : row.txHash === own) return true;
  return false;
}

type Rows = readonly (OrderReport | UnreadableRow)[];

const isFromBefore = (order: Order, createdAt: EpochMs): boolean =>
  createdAt > 0 && createdAt < (sentOf(order)?.at ?? 0) - STAMP_SLACK_MS;

/** True when a row could be this order although the response named another transaction, which the venue has not shown. */
const isNotShownYet = ({ state }: Order, createdAt: EpochMs): boolean =>
  state.kind === 'acknowledged' && fits(state, createdAt);

const fits = ({ at, deadline }: SentState, createdAt: EpochMs): boolean =>
  createdAt >= at - STAMP_SLACK_MS && createdAt <= deadline * 1000 + DEADLINE_SLACK_MS;

/** Own order that an external row duplicates: same terms, placed within the same minutes. */
export function duplicateOf({ terms, createdAt }: OrderReport, { orders }: OrderIndex): Order | undefined {
  if (!terms) return undefined;
  for (const order of orders.values()) {
    const after = createdAt - order.plannedAt;
    const { kind } = order.state;
    if (after < -STAMP_SLACK_MS || after > MINABLE_MS || kind === 'planned' || kind === 'abandoned') continue;
    if (sameTerms(order.terms, terms)) return order;
  }
  return undefined;
}

export function sameTerms(ours: OrderTerms, theirs: ReportedTerms): boolean {
  if (isDeferred(ours) !== (theirs.deferred ?? false)) return false;
  if (ours.symbol !== theirs.symbol || ours.side !== theirs.side || ours.type !== theirs.type) return false;
  if (ours.type === 'limit') return ours.quantity === theirs.quantity && ours.price === theirs.price;
  return ours.side === 'buy' ? ours.notional === theirs.notional : ours.quantity === theirs.quantity;
}

/** True for the terms of another order. A missing term, such as whether a sell is deferred, contradicts nothing. */
function contradict(ours: OrderTerms, theirs: ReportedTerms): boolean {
  const differs = (theirsIs: bigint | null, oursIs: bigint | undefined) =>
    theirsIs !== null && oursIs !== undefined && theirsIs !== oursIs;
  if (ours.symbol !== theirs.symbol || ours.side !== theirs.side || ours.type !== theirs.type) return true;
  if (theirs.deferred && !isDeferred(ours)) return true;
  if (ours.type === 'limit')
    return differs(theirs.quantity, ours.quantity) || differs(theirs.price, ours.price);
  return ours.side === 'buy'
    ? differs(theirs.notional, ours.notional)
    : differs(theirs.quantity, ours.quantity);
}

/** Order whose response named another order's transaction: the venue shows it with other terms, or from before the send. */
export function hashMismatchOf(report: OrderReport, accountState: OrderIndex): Order | undefined {
  const order = liveBy(report, accountState);
  if (order?.state.kind !== 'acknowledged' || isSignedHere(order, accountState)) return undefined;
  return isOfAnotherOrder(report, order, order.state.at) ? order : undefined;
}

/**
 * Order whose row must be false: the wallet signed this transaction for an order with other terms, or later than the
 * row says. The hash is certain, so the row is wrong.
 */
export function deniedBy(report: OrderReport, accountState: OrderIndex): Order | undefined {
  const order = liveBy(report, accountState);
  if (!order || !isSignedHere(order, accountState) || !('at' in order.state)) return undefined;
  return isOfAnotherOrder(report, order, order.state.at) ? order : undefined;
}

function liveBy({ txHash }: OrderReport, { byTx, live }: OrderIndex): Order | undefined {
  const id = byTx.get(txHash);
  return id === undefined ? undefined : live.get(id);
}

const isSignedHere = (order: Order, { nonces }: OrderIndex): boolean => nonces.has(txHashOf(order) ?? '');

const isOfAnotherOrder = ({ terms, createdAt }: OrderReport, order: Order, sentAt: EpochMs): boolean =>
  (createdAt > 0 && createdAt < sentAt - STAMP_SLACK_MS) ||
  (terms !== null && contradict(order.terms, terms));

/** True when a row without an order shows this one, although the response named another transaction. */
export const isShownUnderOtherHash = (
  order: Order,
  { txHash, terms, createdAt }: OrderReport,
  accountState: OrderIndex,
): boolean =>
  terms !== null &&
  !accountState.byTx.has(txHash) &&
  !isSignedHere(order, accountState) &&
  isNotShownYet(order, createdAt) &&
  sameTerms(order.terms, terms);

/** External order on the key as last seen: one that no strategy of this journal placed. */
export type External = Readonly<{ txHash: string; report: OrderReport | null; why: string }>;

/** True for an external order resting at the venue. An unknown status is not an end, except in journals up to 0.8.0. */
export const isResting = ({ report, why }: External): boolean =>
  report?.status === 'open' ||
  report?.status === 'canceling' ||
  (why === 'open' && report?.status === 'unrecognised');

/** Text of an external order: its transaction, its known terms, and how it was last seen. */
export const describeExternal = ({ txHash, report, why }: External): string =>
  `${txHash} (${report?.terms ? `${report.terms.side} ${report.terms.symbol}, ` : ''}${why})`;

type ExternalFact = JournalEventOf<'external' | 'externalAccepted'>;

/** Kinds of cancel progress after which the cancel was sent and may have been accepted. */
const LEFT: ReadonlySet<ExternalCancelEvent['kind']> = new Set(['sent', 'accepted', 'lost']);

/** External orders on the key. */
export class Externals {
  /** All external orders, by transaction. */
  readonly all = new Map<string, External>();
  /** Reports of those resting at the venue, by transaction. */
  readonly open = new Map<string, OrderReport>();
  /** External orders found at a start and not accepted by an operator yet, by transaction; they block every start's sends. */
  readonly unaccepted = new Map<string, External>();

  /** Latest progress of each operator's cancel of an external order, by transaction. */
  readonly cancels = new Map<string, ExternalCancelEvent>();

  /** True while an open external order may be about to end because its cancel was sent. */
  get isCancelling(): boolean {
    return [...this.cancels].some(([txHash, { kind }]) => LEFT.has(kind) && this.open.has(txHash));
  }

  /** Applies an event. `cancels`: transactions of all cancels. */
  apply(fact: ExternalFact | JournalEventOf<'externalCancel'>, cancels: Set<string>): void {
    if (fact.kind === 'external') return this.#note(fact);
    if (fact.kind === 'externalAccepted') return void this.unaccepted.delete(fact.txHash);
    this.cancels.set(fact.txHash, fact.event);
    if (fact.event.kind === 'accepted') cancels.add(fact.event.txHash);
  }

  /** Records an external order. An open one that ends without a fill has moved nothing and needs no acceptance. */
  #note(seen: Extract<ExternalFact, { kind: 'external' }>): void {
    const { txHash, report, why } = seen;
    const isFirst = !this.all.has(txHash);
    this.all.set(txHash, seen);
    if (report && isResting(seen)) this.open.set(txHash, report);
    else this.open.delete(txHash);
    if (isFirst ? seen.unaccepted === true : this.unaccepted.has(txHash)) this.unaccepted.set(txHash, seen);
    if (!isFirst && why === 'ended' && !hasFilled(report)) this.unaccepted.delete(txHash);
  }
}

const hasFilled = (report: OrderReport | null): boolean =>
  report === null || (report.settlement !== null && report.settlement.receive > 0n);
