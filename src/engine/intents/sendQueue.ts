import { ownerName } from '../../domain/account/ledger.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { counted } from '../../core/counted.ts';
import { describeIntent } from '../../domain/describe.ts';
import type { EndReason } from '../../domain/orders/endCode.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { DECISION_AGE_MAX_MS } from '../risk/gate.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Longest wait in ms in a queue that moves; an author can shorten it with `expires`. */
const LINE_MAX_MS = 1_800_000;
/** Minimum time in ms between two alarms about decisions dropped for their age. */
const ALARM_EVERY_MS = 600_000;
/** Maximum number of dropped decisions named in an alarm. */
const NAMED_MAX = 3;

/** Order at the head of its stock and side, and since when. */
type Ahead = Readonly<{ id: OrderId; since: EpochMs }>;

/** True for the sell of a triggered exit and for orders of an operator, which come before all others. */
const isUrgent = ({ parent, command }: OrderIntent): boolean =>
  parent?.leg === 'exit' || command !== undefined;

/**
 * Queue of intents that cannot be sent at once: one order per stock and side is under way at a time, and in total no
 * more than there are deadlines. While any wait, strategies take turns, each with its oldest intent first.
 */
export class SendQueue {
  readonly #context: EngineContext;
  /** Number of orders planned per strategy since the first intent had to wait. */
  readonly #served = new Map<string, number>();
  readonly #ahead = new Map<string, Ahead>();
  #waitedBefore = false;
  #waits = false;
  #dropped: string[] = [];
  #nextAlarm = epochMs(0);

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Intents in the order in which to try them: by age, or by turns while any wait. */
  inTurn(): Iterable<OrderIntent> {
    const { now, accountState } = this.#context;
    const { intents, open } = accountState;
    if (!this.#waitedBefore) return intents.values();
    const turns = new Map(this.#served);
    const turnOf = (intent: OrderIntent): number => {
      if (isUrgent(intent) || open.has(intent.id)) return -1;
      const turn = turns.get(intent.strategyId) ?? 0;
      if (intent.notBefore <= now) turns.set(intent.strategyId, turn + 1);
      return turn;
    };
    const rows = [...intents.values()].map((intent) => ({ intent, turn: turnOf(intent) }));
    return rows.sort((a, b) => a.turn - b.turn).map(({ intent }) => intent);
  }

  /** Records that an intent has to wait for orders of others. */
  wait(): void {
    this.#waits = true;
  }

  /** Records that a strategy's order is planned. */
  serve({ strategyId }: OrderIntent): void {
    this.#served.set(strategyId, (this.#served.get(strategyId) ?? 0) + 1);
  }

  /**
   * True for an intent that has waited too long behind orders of its stock and side: two minutes behind the same one,
   * or half an hour in total.
   */
  isTooOld({ notBefore }: OrderIntent, { id, terms }: Order): boolean {
    const { now } = this.#context;
    const line = `${terms.symbol} ${terms.side}`;
    const ahead = this.#ahead.get(line);
    const since = ahead?.id === id ? ahead.since : now;
    if (ahead?.id !== id) this.#ahead.set(line, { id, since });
    return now - Math.max(since, notBefore) > DECISION_AGE_MAX_MS || now - notBefore > LINE_MAX_MS;
  }

  /** Records an intent that is dropped for its age. */
  dropped(intent: OrderIntent, { why }: EndReason): void {
    this.#dropped.push(`${describeIntent(intent)} of ${ownerName(intent.strategyId)}, ${why}`);
  }

  /** Ends a round in which every intent was tried. True when no intent waits and no drop is unreported. */
  endRound(): boolean {
    this.#waitedBefore = this.#waits;
    this.#waits = false;
    if (!this.#waitedBefore) for (const strategyId of this.#served.keys()) this.#served.set(strategyId, 0);
    if (this.#dropped.length > 0 && this.#context.now >= this.#nextAlarm) this.#raise();
    return !this.#waitedBefore && this.#dropped.length === 0;
  }

  #raise(): void {
    const named = this.#dropped.slice(0, NAMED_MAX);
    const more = this.#dropped.length - named.length;
    const decisions = counted(this.#dropped.length, 'decision');
    this.#context.alarm(
      'dropped for age',
      `${decisions} waited too long to be sent and ${this.#dropped.length === 1 ? 'was' : 'were'} dropped without being sent: ` +
        `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}. \`drover status\` shows what is under way`,
      { code: 'DROPPED_FOR_AGE' },
    );
    this.#dropped = [];
    this.#nextAlarm = epochMs(this.#context.now + ALARM_EVERY_MS);
  }
}
