import type { EpochMs } from '../../core/brand.ts';
import { formatDecimal } from '../../core/amount.ts';
import { filledOf, type Order, type OrderId } from '../../domain/orders/order.ts';
import type { TransferId } from '../../domain/transfers/transfer.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { Settlement } from '../../domain/venue.ts';
import { aboutOrder, type AlarmCode, type AlarmOf } from './alarmCodes.ts';
import type { EngineContext } from './engineContext.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';

export type NoticeKind =
  | 'session'
  | 'decision'
  | 'sent'
  | 'fill'
  | 'cancel'
  | 'end'
  | 'account'
  | 'strategy'
  | 'alarm'
  | 'clear'
  | 'info';

/**
 * A notice for people. `alarm` needs attention; `clear` reports that an alarm is over. `about`: subject, the same in
 * both; an alarm without one has no all-clear.
 */
export type Notice = Readonly<{
  at: EpochMs;
  kind: NoticeKind;
  strategyId: string | null;
  text: string;
  about?: string;
  /** Code of an alarm; absent for other notices. */
  code?: AlarmCode;
  symbol?: string;
  /** Id of the alarm ended by an all-clear. */
  ends?: string;
}>;

/** Strategy of a notice, and the code and stock of an alarm. */
export function classified(
  kind: NoticeKind,
  of: AlarmOf | string | null,
): Pick<Notice, 'strategyId' | 'code' | 'symbol'> {
  if (of === null || typeof of === 'string') return { strategyId: of };
  const { code, strategyId = null, symbol } = of;
  if (kind !== 'alarm') return { strategyId };
  return { strategyId, code, ...(symbol === undefined ? {} : { symbol }) };
}

/** Raises a notice of the runtime now. `about`: subject of an alarm that can end, the same in its all-clear. */
export type Notify = (
  kind: NoticeKind,
  text: string,
  of?: Readonly<{ strategyId?: string; about?: string; code?: AlarmCode }>,
) => void;

export function narrateOrder(context: EngineContext, before: Order, after: Order): void {
  const { id, strategyId, state, terms } = after;
  if (before.state.kind === state.kind) return;
  const what = describeTerms(terms);
  const isOpen = before.state.kind === 'unknown' || context.raised.has(unknownOf(id));
  if (isOpen && state.kind !== 'unknown')
    context.allClear(unknownOf(id), `${what}: its outcome is known, ${fateOf(state)}`, strategyId);
  switch (state.kind) {
    case 'sent':
      return context.notify('sent', what, strategyId);
    case 'working':
      return context.notify('info', `${what}: rests at the venue`, strategyId);
    case 'closed':
      return state.settlement && state.settlement.receive > 0n
        ? context.notify('fill', describeFill(after, state.settlement, state.how), strategyId)
        : context.notify('end', `${what}: ${state.how}`, strategyId);
    case 'reverted':
      return context.notify(
        'alarm',
        `${what}: reverted on chain${state.cause ? `, ${state.cause}` : ''}`,
        aboutOrder('ORDER_FAILED', after),
      );
    default:
  }
}

/** Text such as `bought 3 AAPL at 187.2, paid 561.6, then cancelled`. */
function describeFill(order: Order, { price, pay, receive }: Settlement, how: string): string {
  const { symbol, side } = order.terms;
  const [verb, moved] =
    side === 'buy'
      ? ['bought', `paid ${formatDecimal(pay)}`]
      : ['sold', `received ${formatDecimal(receive)}`];
  const part = how === 'filled' ? '' : `, then ${how}`;
  return `${verb} ${formatDecimal(filledOf(order))} ${symbol} at ${formatDecimal(price)}, ${moved}${part}`;
}

/** Subject of the alarms about an order or transfer without an answer. */
export const unknownOf = (id: OrderId | TransferId): string => `unknown ${id}`;

/** Outcome of an order in a few words. */
export function fateOf(state: Order['state']): string {
  switch (state.kind) {
    case 'closed':
      return state.how;
    case 'neverExisted':
      return 'never placed';
    case 'acknowledged':
    case 'working':
      return 'the venue has it';
    default:
      return state.kind;
  }
}

/** A lasting problem: `text` says what it is, what it stops and what ends it. */
type Problem = Readonly<{ since: EpochMs; text: string }>;

/**
 * Lasting problems of a run, by key. Each is reported when it begins and when it is over, and is in the summary in
 * between. Not journaled: after a restart, those that remain are found again.
 */
export class Problems {
  readonly #standing = new Map<string, Problem>();

  /** All problems, oldest first. */
  get all(): Problem[] {
    return [...this.#standing.values()].sort((a, b) => a.since - b.since);
  }

  has(key: string): boolean {
    return this.#standing.has(key);
  }

  /** Adds a problem; true if it is new. A known one keeps its start and takes the newer text. */
  stand(key: string, problem: Problem): boolean {
    const known = this.#standing.get(key);
    this.#standing.set(key, known ? { since: known.since, text: problem.text } : problem);
    return known === undefined;
  }

  /** Ends a problem; returns its start, or undefined. Called for every order of every list, usually without any problem. */
  end(key: string): EpochMs | undefined {
    if (this.#standing.size === 0) return undefined;
    const since = this.#standing.get(key)?.since;
    this.#standing.delete(key);
    return since;
  }
}

const GAS = 'gas too dear';

/** Reports that something was not sent because its gas costs more than the config allows. Alarms the first time. */
export function reportGas(context: EngineContext, what: string, why: string): void {
  const text = `${what}: not sent, ${why}`;
  if (context.problems.stand(GAS, { since: context.now, text }))
    context.alarm(GAS, text, { code: 'GAS_TOO_DEAR' });
  else context.notify('end', text);
}

/** Ends the gas alarm after a successful send. */
export function gasIsWithin(context: EngineContext): void {
  if (context.problems.end(GAS) !== undefined)
    context.allClear(GAS, 'gas costs no more than the config allows again');
}

/** Maximum number of reasons counted separately per strategy: reasons that contain amounts differ each time. */
const REASONS_MAX = 20;

/** Why intents of a strategy on a stock were dropped, how often, and since when. */
type DropReason = Readonly<{ symbol: string; why: string; since: EpochMs; count: number }>;

type DropCount = {
  count: number;
  decisions: number;
  planned: number;
  notReached: number;
  readonly reasons: Map<string, DropReason>;
};

const noDrops = (): DropCount => ({
  count: 0,
  decisions: 0,
  planned: 0,
  notReached: 0,
  reasons: new Map(),
});

/**
 * Dropped intents by strategy. A strategy that decides every minute may be dropped every minute, so a reason is
 * reported when new and then only counted, until an order of its stock is sent or the next session begins.
 */
export class Drops {
  readonly #byStrategy = new Map<string, DropCount>();
  readonly #reported = new Set<string>();
  #date: string | null = null;

  /** Counts a dropped intent. True if its reason is new and should be reported. */
  note(
    { strategyId, symbol }: Pick<OrderIntent, 'strategyId' | 'symbol'>,
    why: string,
    { now, date }: Readonly<{ now: EpochMs; date: string | null }>,
  ): boolean {
    if (date !== this.#date) this.#reported.clear();
    this.#date = date;
    const of = this.#of(strategyId);
    of.count++;
    const key = `${symbol} ${why}`;
    const known = of.reasons.get(key);
    const { since = now, count = 0 } = known ?? {};
    if (known || of.reasons.size < REASONS_MAX) of.reasons.set(key, { symbol, why, since, count: count + 1 });
    const reason = `${strategyId} ${key}`;
    if (this.#reported.has(reason)) return false;
    if (this.#reported.size < REASONS_MAX * this.#byStrategy.size) this.#reported.add(reason);
    return true;
  }

  /** Notes that a strategy sends an order: later drops are reported again. */
  over({ strategyId, symbol }: OrderIntent): void {
    this.#of(strategyId).planned++;
    for (const reason of this.#reported)
      if (reason.startsWith(`${strategyId} ${symbol} `)) this.#reported.delete(reason);
  }

  /** Counts a call of `order`. */
  noteDecision(strategyId: string): void {
    this.#of(strategyId).decisions++;
  }

  /** Counts a target that ended without the cash for an order. */
  noteNotReached(strategyId: string): void {
    this.#of(strategyId).notReached++;
  }

  #of(strategyId: string): DropCount {
    let of = this.#byStrategy.get(strategyId);
    if (!of) this.#byStrategy.set(strategyId, (of = noDrops()));
    return of;
  }

  /** Counts of a strategy's dropped intents, calls, orders and missed targets, with the drop reasons by frequency. */
  of(strategyId: string): Readonly<Omit<DropCount, 'reasons'> & { reasons: readonly DropReason[] }> {
    const { reasons, ...counts } = this.#byStrategy.get(strategyId) ?? noDrops();
    return { ...counts, reasons: [...reasons.values()].sort((a, b) => b.count - a.count) };
  }
}
