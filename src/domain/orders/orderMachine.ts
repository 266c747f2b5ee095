import {
  type OrderState,
  hasEnded,
  sameVenueId,
  sentOf,
  txHashOf,
  type CancelState,
  type Ending,
  type Order,
  type SentState,
  brokenRule,
  overcharge,
  type OrderEvent,
  type EndEvent,
} from './order.ts';
import { contradictsEnd, isReopening } from './contradiction.ts';
import type { OrderReport } from '../venue.ts';

/*
 * The life cycle of an order: the effect of each event in each state. A cell is the next state; `-` is stale (no change);
 * `!` is illegal (our model of the venue is wrong: the symbol is frozen, and nothing else changes).
 * The events from `pending` to `rejected` are reports of the venue, by their status.
 *
 *   event        planned   sent         unknown      acknowledged working closed  refused reverted neverExisted abandoned
 *   sent         sent      !            !            !            !       !       !       !        !            !
 *   accepted     !         acknowledged acknowledged -            -       -       acknowledged - acknowledged !
 *   refused      !         refused      !            !            !       !       !       !        !            !
 *   lost         -         unknown      -            -            -       -       -       -        -            -
 *   mistaken     -         -            -            unknown      -       -       -       -        -            -
 *   abandoned    abandoned !            !            !            !       !       !       !        !            !
 *   absent       -         -            neverExisted neverExisted !       -       -       -        -            -
 *   pending      !         -            -            -            -       -       !       -        -            !
 *   unrecognised !         -            -            -            -       -       !       -        -            !
 *   open         !         working      working      working      -       !       !       -        working      !
 *   canceling    !         working      working      working      working !       !       -        working      !
 *   reverted     !         reverted     reverted     reverted     !       !       !       -        reverted     !
 *   filled       !         closed       closed       closed       closed  -       !       closed   closed       !
 *   cancelled    !         closed       closed       closed       closed  !       !       closed   closed       !
 *   expired      !         closed       closed       closed       closed  !       !       closed   closed       !
 *   rejected     !         closed       closed       closed       closed  !       !       closed   closed       !
 *   reopened     !         !            !            !            !       working !       working  !            !
 *
 * In addition:
 * - An answer or a report with a transaction other than the known one is illegal; so is a changed venue id while working,
 *   and a settlement that breaks a rule (settlementRules.ts).
 * - `accepted` also revives a refused order that the venue has executed all the same, with an alarm.
 * - `open` without a venue id is stale. While working, a report with another status word of the venue keeps it working.
 * - `filled` without its settlement is stale. A closed order accepts a settlement that was still missing; otherwise the
 *   same end is stale and any other is illegal.
 * - `endClaimed` carries an event that ends an order. If that event would move the order, the state stays and the claim is
 *   recorded; if it is stale or illegal, so is the claim. Claimed `absent`, an accepted order freezes its symbol.
 *
 * The order's cancel, while the order has not ended (afterwards all five are stale):
 *
 *   cancel         none    wanted  sent     unknown  accepted refused
 *   cancelWanted   wanted  -       -        wanted   wanted   wanted
 *   cancelSent     !       sent    !        !        !        !
 *   cancelAccepted !       !       accepted accepted !        !
 *   cancelRefused  refused refused refused  refused  refused  refused
 *   cancelLost     -       -       unknown  -        -        -
 *
 * `cancelWanted` without `lapse`, for a lapsed order, only removes that mark.
 */

type ClosedState = Extract<OrderState, { kind: 'closed' }>;

/** True if a settlement arrives after the report of the same end. */
const isCompletion = (before: ClosedState, { how, settlement }: ClosedState): boolean =>
  how === before.how && before.settlement === null && settlement !== null;

/** True when two reports show the same end. */
function sameEnd(a: ClosedState, b: ClosedState): boolean {
  const [was, is] = [a.settlement, b.settlement];
  if (!was || !is) return a.how === b.how && was === is;
  const sameTx = was.txHash === null || is.txHash === null || was.txHash === is.txHash;
  return (
    a.how === b.how && was.pay === is.pay && was.receive === is.receive && was.price === is.price && sameTx
  );
}

/**
 * Result of an event. `stale` is normal, because polls overlap; `illegal` means that our model of the venue is wrong,
 * and the symbol is frozen. `alarm` freezes it too. `warning` raises an alarm without a freeze, because the account
 * state explains what happened.
 */
type Transition = Readonly<
  | { kind: 'moved'; order: Order; alarm?: string; warning?: string }
  | { kind: 'stale' }
  | { kind: 'illegal'; rule: string }
>;

/** Order after an event, with the doubt that an end leaves. Pure: it logs, sends and reads nothing. */
export function transition(order: Order, event: OrderEvent): Transition {
  const result = applied(order, event);
  if (result.kind !== 'moved' || !('doubt' in event)) return result;
  return { ...result, order: { ...result.order, doubt: event.doubt } };
}

function applied(order: Order, event: OrderEvent): Transition {
  const { state } = order;
  switch (event.kind) {
    case 'sent':
      return state.kind === 'planned' ? move(order, event) : illegal('an order is sent once');
    case 'accepted':
      return applyAccepted(order, event.txHash);
    case 'refused':
      return state.kind === 'sent'
        ? move(order, refusedFrom(state, event))
        : illegal('only an order that awaits its answer can be refused');
    case 'lost':
      return state.kind === 'sent' ? move(order, { ...state, kind: 'unknown', reason: event.reason }) : stale;
    case 'mistaken':
      if (state.kind !== 'acknowledged') return stale;
      return move(order, { kind: 'unknown', at: state.at, deadline: state.deadline, reason: event.reason });
    case 'abandoned':
      return state.kind === 'planned'
        ? move(order, event)
        : illegal('only an order that was not sent is abandoned');
    case 'absent':
      if (state.kind === 'unknown' || state.kind === 'acknowledged')
        return move(order, goneFrom(state, event.assumed));
      return state.kind === 'working' ? illegal('a working order cannot vanish') : stale;
    case 'reported':
      return applyReport(order, event.report);
    case 'endClaimed':
      return applyClaim(order, event);
    case 'reopened':
      return applyReopened(order, event.report);
    default:
      return applyCancel(order, event);
  }
}

const stale = { kind: 'stale' } as const;
const illegal = (rule: string): Transition => ({ kind: 'illegal', rule });

/** Order in another state, without a claimed end. Copied field by field, because a spread takes ten times as long. */
function move(from: Order, state: OrderState, alarm?: string): MovedTransition {
  const { id, intentId, strategyId, terms, reserve, reason, tag, parent, plannedAt, cancel, reduced, until } =
    from;
  const plain = { id, intentId, strategyId, terms, reserve, reason, plannedAt, state, cancel };
  const isPlain = tag === undefined && parent === undefined && reduced === undefined && until === undefined;
  const order: Order = isPlain
    ? plain
    : {
        ...plain,
        ...(tag && { tag }),
        ...(parent && { parent }),
        ...(reduced && { reduced }),
        ...(until && { until }),
        ...(from.lapsed && { lapsed: from.lapsed }),
      };
  return alarm === undefined ? { kind: 'moved', order } : { kind: 'moved', order, alarm };
}

type MovedTransition = Extract<Transition, { kind: 'moved' }>;

const REVERT_UNDONE = 'a reorganisation of the chain has undone its revert';

/** Adds only a warning, because the chain has decided again and that explains everything. */
const undone = (moved: MovedTransition): Transition => ({ ...moved, warning: REVERT_UNDONE });

/** State of a refused order, with its send: it may appear all the same. */
const refusedFrom = (
  { at, deadline }: SentState,
  { reason, unproven = false }: Extract<OrderEvent, { kind: 'refused' }>,
): OrderState => ({ kind: 'refused', reason, sent: { at, deadline }, ...(unproven && { unproven }) });

function goneFrom(
  state: Extract<OrderState, { kind: 'unknown' | 'acknowledged' }>,
  assumed: boolean,
): OrderState {
  const { at, deadline, txHash } = state;
  const gone = { kind: 'neverExisted', assumed, at, deadline } as const;
  return txHash === undefined ? gone : { ...gone, txHash };
}

/** Records a claimed end next to the current state. The same claim again is stale. */
function applyClaim(order: Order, { at, end }: Extract<OrderEvent, { kind: 'endClaimed' }>): Transition {
  const ended = transition(order, end);
  if (ended.kind !== 'moved') return ended;
  if (order.claim && claimText(order.claim.end) === claimText(end)) return stale;
  const moved = { kind: 'moved', order: { ...order, claim: { at, end } } } as const;
  return end.kind === 'absent' ? { ...moved, alarm: NEVER_SHOWN } : moved;
}

const NEVER_SHOWN = 'the venue has accepted it, and it was never shown';

export function claimText(end: EndEvent): string {
  if (end.kind === 'absent') return NEVER_SHOWN;
  return end.kind === 'refused' ? end.reason : end.report.rawStatus;
}

/** Applies the venue's answer to a send, or the row that identified an unanswered order. */
function applyAccepted(order: Order, txHash: string): Transition {
  const known = txHashOf(order);
  if (known !== null && known !== txHash) return illegal('the transaction of an order has changed');
  const sent = sentOf(order);
  if (!sent) return known === null ? illegal('the venue has an order that never left this machine') : stale;
  const { at, deadline } = sent;
  const late = order.claim ? REFUSED_AND_THERE : foundLate(order);
  return move(order, { kind: 'acknowledged', at, deadline, txHash }, late);
}

function applyCancel(order: Order, event: Extract<OrderEvent, { kind: `cancel${string}` }>): Transition {
  const { cancel } = order;
  if (hasEnded(order)) return stale;
  const to = (next: CancelState): Transition => ({ kind: 'moved', order: { ...order, cancel: next } });
  switch (event.kind) {
    case 'cancelWanted': {
      const { lapsed, ...unlapsed } = order;
      if (lapsed && !event.lapse) return { kind: 'moved', order: unlapsed };
      if (cancel.kind === 'wanted' || cancel.kind === 'sent') return stale;
      const wanted = { ...order, cancel: { kind: 'wanted' } } as const;
      return { kind: 'moved', order: event.lapse ? { ...wanted, lapsed: true } : wanted };
    }
    case 'cancelSent':
      return cancel.kind === 'wanted'
        ? to({ kind: 'sent', deadline: event.deadline })
        : illegal('a cancel is sent once for each time it is wanted');
    case 'cancelAccepted':
      if (cancel.kind !== 'sent' && cancel.kind !== 'unknown')
        return illegal('a cancel that was not sent is accepted');
      return to({ ...cancel, kind: 'accepted', txHash: event.txHash });
    case 'cancelRefused':
      return to({ kind: 'refused', reason: event.reason, at: event.at });
    case 'cancelLost':
      return cancel.kind === 'sent' ? to({ kind: 'unknown', deadline: cancel.deadline }) : stale;
  }
}

/** Applies a report. Reports repeat and arrive late: an order only moves forward, and a closed one stays as it is. */
function applyReport(order: Order, report: OrderReport): Transition {
  const { state } = order;
  if (state.kind === 'planned' || state.kind === 'abandoned')
    return illegal('the venue has an order that never left this machine');
  if (state.kind === 'refused') return illegal('the venue has an order that it had refused');
  const known = txHashOf(order);
  if (known !== null && known !== report.txHash) return illegal('the transaction of an order has changed');
  switch (report.status) {
    case 'pending':
    case 'unrecognised':
      return stale;
    case 'open':
    case 'canceling':
      return applyOpen(order, report);
    case 'reverted':
      if (state.kind === 'reverted') return stale;
      if (state.kind === 'working' || state.kind === 'closed') return illegal('a mined order has reverted');
      // Late or not, it moved nothing.
      return move(order, revertedBy(report));
    default:
      return applyEnd(order, report, report.status);
  }
}

const revertedBy = ({ txHash, cause }: OrderReport): OrderState => ({
  kind: 'reverted',
  txHash,
  ...(cause === undefined ? {} : { cause }),
});

const REFUSED_AND_THERE = 'an order that was refused has turned up';
const LATE = 'an accepted order has turned up after its deadline';

function foundLate({ state, claim }: Order): string | undefined {
  if (state.kind === 'refused') return REFUSED_AND_THERE;
  if (claim?.end.kind === 'absent') return LATE;
  return state.kind === 'neverExisted' ? 'an order taken for never placed has turned up' : undefined;
}

function applyOpen(order: Order, report: OrderReport): Transition {
  const { state } = order;
  if (state.kind === 'closed') return illegal(REOPENED);
  if (state.kind === 'reverted' || report.orderId === null) return stale;
  if (state.kind === 'working') {
    if (!sameVenueId(state.venueId, report.orderId)) return illegal('the venue id of an order has changed');
    const isSame = state.rawStatus === report.rawStatus && state.status === openStatus(report);
    if (isSame && !order.claim) return stale;
  }
  const late = order.claim?.end.kind === 'refused' ? REFUSED_AND_THERE : foundLate(order);
  return move(order, workingBy(order, report), late);
}

const REOPENED = 'an ended order is open again';

function applyReopened(order: Order, report: OrderReport): Transition {
  if (!contradictsEnd(order, report)) return illegal('what has not ended cannot be open again');
  const working = workingBy(order, report);
  if (!isReopening(order, report)) return move(order, working);
  return order.state.kind === 'reverted' ? undone(move(order, working)) : move(order, working, REOPENED);
}

/** State of an open order. A reopened one counts as sent when it was planned. */
function workingBy({ state, reserve, plannedAt }: Order, report: OrderReport): OrderState {
  const at = 'at' in state ? state.at : plannedAt;
  const { txHash, orderId, rawStatus, locked } = report;
  return {
    kind: 'working',
    at,
    txHash,
    venueId: orderId ?? '',
    locked: locked ?? reserve,
    status: openStatus(report),
    rawStatus,
  };
}

const openStatus = ({ status }: OrderReport) => (status === 'canceling' ? 'canceling' : 'open');

function applyEnd(order: Order, report: OrderReport, how: Ending): Transition {
  const { state } = order;
  const { txHash, orderId: venueId, settlement } = report;
  const closed = { kind: 'closed', how, txHash, venueId, settlement } as const;
  if (state.kind === 'closed' && !isCompletion(state, closed))
    return sameEnd(state, closed) ? stale : illegal('a settled order has changed');
  const rule = settlement && brokenRule(order, settlement);
  if (rule) return illegal(rule);
  if (how === 'filled' && !settlement) return stale;
  const moved = move(order, closed, alarmOf(order, closed));
  return isRevertUndone(order, closed) ? undone(moved) : moved;
}

const ENDED_AND_FILLED = 'the venue said that it had ended without a fill, and now shows what it filled';

/** True for an end that proves the transaction was not reverted. */
function isRevertUndone({ state, claim }: Order, { settlement }: ClosedState): boolean {
  if (state.kind === 'reverted') return true;
  return settlement !== null && claim?.end.kind === 'reported' && claim.end.report.status === 'reverted';
}

/** True when the venue has reported a different end before. A settlement may arrive after the report of the end. */
const contradicts = ({ claim }: Order, how: Ending): boolean =>
  claim !== undefined &&
  claim.end.kind !== 'absent' &&
  (claim.end.kind === 'refused' || claim.end.report.status !== how);

/** Alarm for an unexpected end of an order; undefined for most ends. */
function alarmOf(order: Order, closed: ClosedState): string | undefined {
  const { how, settlement } = closed;
  const isContradicted = settlement && contradicts(order, how) && !isRevertUndone(order, closed);
  const late = isContradicted ? ENDED_AND_FILLED : foundLate(order);
  const dear = settlement ? overcharge(order, settlement) : undefined;
  return late === undefined || dear === undefined ? (late ?? dear) : `${late}, and ${dear}`;
}
