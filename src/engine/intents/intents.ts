import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import type { EpochMs } from '../../core/brand.ts';
import { FENCE_SLACK_MS } from '../../domain/orders/fence.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import type { EndCode, EndReason, StoredReason } from '../../domain/orders/endCode.ts';
import {
  endReasonOf,
  type CancelState,
  type Order,
  type OrderEvent,
  type OrderId,
} from '../../domain/orders/order.ts';
import { latestOrder, type IntentEnd, type OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { Transfer } from '../../domain/transfers/transfer.ts';
import { describeTerms, describeIntent, describeTransfer } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { nextOpen, sessionMeant } from '../state/market.ts';
import { DECISION_AGE_MAX_MS } from '../risk/gate.ts';
import type { SendQueue } from './sendQueue.ts';

/** Pause in ms after a refused cancel: the order has usually ended, and the next list shows it. */
const CANCEL_AGAIN_MS = 30_000;

/** Reason for the end of an expired intent. */
export const EXPIRED = 'it has expired';

/** Intents that have not ended: they wait, are cancelled and end here. */
export class OpenIntents {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Ends an intent that has no live order. */
  end(id: string, how: IntentEnd, { code, why }: EndReason): void {
    this.conclude({ kind: 'intentEnded', id, how, why, code });
  }

  /** Ends an intent with an event that the journal already has, or will have. */
  conclude(ended: JournalEventOf<'intentEnded'>): void {
    const { id, how, why } = ended;
    const intent = this.#context.accountState.intents.get(id);
    if (!intent) return;
    this.#context.record(ended);
    if (how === 'done' && ended.code === 'NO_MONEY') this.#context.drops.noteNotReached(intent.strategyId);
    if (how === 'done' && intent.terms.kind !== 'limit') return;
    if (how === 'dropped' && this.#context.countDrop(intent, why))
      this.#context.notify('decision', `${describeIntent(intent)}: dropped, ${why}`, intent.strategyId);
    // A limit order with too little left, or nothing, ends without a further order.
    this.#context.intentMoved(intent, how === 'done' ? 'dropped' : how, ended);
  }

  /** Ends unsent intents of a manual command, so that no later run sends them unexpectedly. `before`: older intents. */
  endUnsent(before: ReadonlySet<string>): void {
    const { intents, open } = this.#context.accountState;
    const why = 'its command has ended before it was sent';
    for (const id of [...intents.keys()])
      if (!before.has(id) && !open.has(id)) this.end(id, 'dropped', { code: 'RUN_ENDED', why });
  }

  /** Ends an expired intent that has no live order. */
  expire(intent: OrderIntent): void {
    const reason = { code: 'EXPIRED', why: EXPIRED } as const;
    const hasFilled = this.#context.accountState.filledByIntent.get(intent.id) > 0n;
    const how = hasFilled ? 'done' : 'cancelled';
    this.#context.record({ kind: 'intentEnded', id: intent.id, how, ...reason });
    const text = () => `${describeIntent(intent)}: ${EXPIRED}, it is not sent any more`;
    this.#context.notify('decision', text, intent.strategyId);
    this.#context.intentMoved(intent, 'expired', reason);
  }

  wait(id: string, { notBefore, why, code }: StoredReason & Readonly<{ notBefore: EpochMs }>): void {
    const intent = this.#context.accountState.intents.get(id);
    if (!intent) return;
    this.#context.record({ kind: 'intentDeferred', id, notBefore, why, code });
    const text = () => `${describeIntent(intent)}: ${why}, ${this.#whenText(notBefore)}`;
    this.#context.notify('decision', text, intent.strategyId);
    this.#context.intentMoved(intent, 'waiting', { code, why });
  }

  /** Text such as `will be sent at 09:30`, with the date if that is not today. */
  #whenText(at: EpochMs): string {
    const verb = at === nextOpen(this.#context) ? 'will be sent' : 'tried again';
    const date = newYorkDate(at);
    return `${verb} at ${newYorkClock(at)}${date === newYorkDate(this.#context.now) ? '' : ` on ${date}`}`;
  }

  /** Cancels an intent and its live order. `code`: for an intent without an order. */
  cancel(id: string, why: string, code: EndCode = 'CANCELLED'): void {
    const intent = this.#context.accountState.intents.get(id);
    if (!intent) return;
    const order = this.#context.accountState.open.of(id);
    if (order) this.cancelOrder(order, why);
    else this.end(id, 'cancelled', { code, why });
  }

  /**
   * Cancels a live order; one not yet shown is cancelled once the venue shows it. False if nothing is requested,
   * because it is a market order already sent, or has a cancel. `lapse`: its phase is over, or the price has left its
   * limit, and its intent continues after its end.
   */
  cancelOrder(order: Order, why: string, lapse?: 'lapse'): boolean {
    if (order.terms.type === 'market' && order.state.kind !== 'planned') return false;
    const wanted: OrderEvent = lapse ? { kind: 'cancelWanted', lapse: true } : { kind: 'cancelWanted' };
    if (order.lapsed && !lapse) return this.#context.move(order.id, wanted);
    if (!this.#mayAskCancel(order) || !this.#context.move(order.id, wanted)) return false;
    this.#context.notify('cancel', `${describeTerms(order.terms)}: cancelling, ${why}`, order.strategyId);
    this.askCancel(order.id);
    return true;
  }

  /** False while the venue has, or may have, a cancel: the order tracker repeats it after its deadline. */
  #mayAskCancel({ cancel }: Order): boolean {
    if (cancel.kind === 'refused') return this.#context.now - cancel.at >= CANCEL_AGAIN_MS;
    return cancel.kind === 'none';
  }

  /** Sends the requested cancel, if the order is working. */
  askCancel(id: OrderId): void {
    const order = this.#context.accountState.order(id);
    if (order.state.kind === 'working' && order.cancel.kind === 'wanted')
      this.#context.ask({ kind: 'cancel', id });
  }

  /**
   * Repeats a cancel that has failed: it had no effect by its deadline, was refused, or was never sent. Safe once the
   * order was seen open.
   */
  repeatCancel({ id, cancel, state, lapsed }: Order): void {
    if (cancel.kind === 'wanted') return this.askCancel(id);
    if (state.kind !== 'working' || state.status === 'canceling' || !this.#hasFailed(cancel)) return;
    if (this.#context.move(id, { kind: 'cancelWanted', ...(lapsed && { lapse: lapsed }) }))
      this.askCancel(id);
  }

  #hasFailed(cancel: CancelState): boolean {
    const { now } = this.#context;
    if (cancel.kind === 'refused') return now - cancel.at >= CANCEL_AGAIN_MS;
    const isSent = cancel.kind === 'unknown' || cancel.kind === 'accepted';
    return isSent && now > cancel.deadline * 1000 + FENCE_SLACK_MS;
  }
}

/** Longest wait in ms for the end of a hold on everything; such a hold ends by itself. */
const HELD_MAX_MS = 600_000;

/** True for a good-till-cancelled intent, which is meant for any session. */
export const isStanding = ({ terms }: OrderIntent): boolean =>
  terms.kind === 'limit' && terms.goodTill === 'cancelled';

/** True for a slice of a working order: it is spread over time, and waits for the order budget. */
export const isSlice = ({ parent }: OrderIntent): boolean => parent?.leg === 'slice';

/** True for the sell of a triggered exit: it is sent as soon as temporary obstacles are gone. */
export const isExit = ({ parent }: OrderIntent): boolean => parent?.leg === 'exit';

const isOld = (since: EpochMs, now: EpochMs): boolean => now - since > DECISION_AGE_MAX_MS;

/** Deferral of intents that wait because of a hold or another order, not because of their timing. */
export class Deferral {
  readonly #context: EngineContext;
  readonly #queue: SendQueue;
  readonly #reported = new Set<string>();
  /** Restriction that each intent waits for, as reported. */
  readonly #restricted = new Map<string, string>();

  constructor(context: EngineContext, queue: SendQueue) {
    this.#context = context;
    this.#queue = queue;
  }

  /** Defers an intent until trading is no longer restricted; reported once. */
  restricted(intent: OrderIntent, why: string): void {
    if (this.#restricted.get(intent.id) === why) return;
    this.#restricted.set(intent.id, why);
    const text = () => `${describeIntent(intent)}: waits, ${why}. It is placed again after that`;
    this.#context.notify('decision', text, intent.strategyId);
  }

  /** Defers the sell of an exit until a limit that passes with time lets it through; reported once. */
  limited(intent: OrderIntent, why: string): void {
    if (this.#reported.has(intent.id)) return;
    this.#reported.add(intent.id);
    const text = () => `${describeIntent(intent)}: waits, ${why}. It is sent as soon as that is over`;
    this.#context.notify('decision', text, intent.strategyId);
  }

  /**
   * Defers an intent behind an order of its symbol and side. Returns a reason to drop it, or null if it waits, which is
   * reported once. The sell of an exit is never too old: it is sent as soon as possible.
   */
  behind(intent: OrderIntent, order: Order): EndReason | null {
    const { id, state, claim } = order;
    const lacks = claim ? 'the account has not confirmed its end' : 'it has no answer';
    this.#queue.wait();
    if (this.#queue.isTooOld(intent, order) && !isStanding(intent) && !isExit(intent)) {
      const reason = {
        code: 'UNRESOLVED',
        why: `order ${id} on the same side comes first: ${lacks} yet`,
      } as const;
      this.#queue.dropped(intent, reason);
      return reason;
    }
    if ((state.kind !== 'unknown' && !claim) || this.#reported.has(intent.id)) return null;
    this.#reported.add(intent.id);
    const text = `${describeIntent(intent)}: waits for order ${id} on the same side: ${lacks} yet`;
    this.#context.notify('decision', text, intent.strategyId);
    return null;
  }

  /**
   * Defers a deferred sell behind a repayment of its stock: if the chain is not read, only the debt shows that a
   * repayment is done. Returns a reason to drop it, or null if it waits.
   */
  behindRepayment({ notBefore }: OrderIntent, { id, terms }: Transfer): EndReason | null {
    if (!isOld(notBefore, this.#context.now)) return null;
    return { code: 'UNRESOLVED', why: `${describeTransfer({ terms })} (${id}) is under way and comes first` };
  }

  /** Defers an intent because of a hold. Returns a reason to drop it, or null if it waits. */
  held(intent: OrderIntent, why: string): EndReason | null {
    const age = this.#context.now - intent.notBefore;
    if (isStanding(intent) || age <= HELD_MAX_MS) return null;
    const minutes = Math.floor(age / 60_000);
    return { code: 'ON_HOLD', why: `it has been kept back for ${minutes} minutes: ${why}` };
  }

  /**
   * Reason why a start drops an intent that an earlier run did not send: it was meant for immediate sending, or for a
   * session that has closed since. Null for one that keeps waiting: good till cancelled, or until its sells have
   * brought money. A replacement waits for the end of the order it replaces, but not beyond its own session.
   */
  leftOver(intent: OrderIntent): string | null {
    const { at, notBefore, after } = intent;
    const isSuccessor = intent.replaces !== undefined;
    if (isStanding(intent) || (after.length > 0 && !isSuccessor)) return null;
    if (!isSuccessor && notBefore <= at && isOld(at, this.#context.now))
      return 'it was decided before the runner was restarted';
    const { date, close } = sessionMeant(this.#context, intent);
    return this.#context.now >= close
      ? `the session of ${date} that it was for has closed without a run`
      : null;
  }

  /**
   * Reason to drop an intent that waits for the money of a sell that a start has dropped: it would buy without it.
   * `dropped`: intents dropped by this start so far.
   */
  withoutSells({ after, replaces }: OrderIntent, dropped: ReadonlySet<string>): string | null {
    const isUnsent = (id: string): boolean => {
      const order = latestOrder(this.#context.accountState, id);
      return dropped.has(id) || (order !== undefined && endReasonOf(order)?.code === 'RESTARTED');
    };
    if (replaces !== undefined || !after.some(isUnsent)) return null;
    return 'a sell whose money it waits for was not sent before the runner was restarted';
  }
}

/** Decides whether an intent may be tried now. */
export type IsDue = (intent: OrderIntent) => boolean;

/** Input that a replay takes from its journal: which intents may be tried, and the next synthetic step (false if none). */
export type ReplayHooks = Readonly<{ isDue: IsDue; carryOn: () => boolean }>;
