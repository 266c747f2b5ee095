import { newYorkMinute, type Session, type TradingCalendar } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { inTime, type Clock } from '../../core/clock.ts';
import { DroverError, InvariantError, atVenueFault } from '../../core/errors.ts';
import { isUnanswered, type Order } from '../../domain/orders/order.ts';
import { describeSynthetic, describeTerms } from '../../domain/describe.ts';
import type { SyntheticOrder } from '../../domain/orders/syntheticOrder.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Notify } from '../state/notice.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { dayEndsOf } from '../state/tradingWindow.ts';
import type { Until } from './runOptions.ts';

/** Longest wait in ms for responses to sends at the end, in real or venue time: a single send has a limit of 20 s. */
export const ANSWERS_MS = 25_000;
/** Longest time in ms for which the venue is then asked about the rest. */
const DRAIN_MS = 20_000;

/** Orders left at the end of a run. */
export type Remainder = Readonly<{
  /** Orders at the venue: resting, or accepted and not shown yet. */
  working: number;
  /** Orders that may be at the venue: the next start searches for them. */
  unknown: number;
  /** Orders never sent: the next start abandons them. */
  planned: number;
  orders: readonly Readonly<{ id: string; strategy: string; state: string; what: string }>[];
}>;

/** `unconfirmed`: reason why the run could send nothing from start to end, if any. */
export type StopReport = Readonly<{
  why: string;
  how: 'in order' | 'at once';
  left: Remainder;
  unconfirmed?: string;
}>;

export function leftBehind({ context }: Kernel): Remainder {
  const live = [...context.accountState.live.values()];
  const unknown = live.filter(isUnanswered).length;
  const planned = live.filter(({ state }) => state.kind === 'planned').length;
  return {
    working: live.length - unknown - planned,
    unknown,
    planned,
    orders: live.map(({ id, strategyId, state, terms }) => ({
      id,
      strategy: strategyId,
      state: state.kind,
      what: describeTerms(terms),
    })),
  };
}

/** Reports the orders that outlive the run: those at the venue, and synthetic ones. */
export function reportLeft({ context }: Kernel, notify: Notify): void {
  const { live, synthetics } = context.accountState;
  for (const order of live.values())
    notify('end', leftLiveText(context, order), { strategyId: order.strategyId });
  for (const { order } of synthetics.live.values())
    notify('end', leftHeldText(order), { strategyId: order.strategyId });
}

/** Notice of an order that outlives the run. */
function leftLiveText(context: EngineContext, order: Order): string {
  const { id, terms, state, claim } = order;
  const what = `${describeTerms(terms)} (order ${id})`;
  if (state.kind === 'planned') return `${what} was never sent: the next start abandons it`;
  if (claim)
    return `${what} has ended according to the venue, and the account has not confirmed it: the next start checks again`;
  if (state.kind === 'sent' || state.kind === 'unknown')
    return `${what} has no answer: the venue may have it, and the next start searches for it`;
  const until =
    terms.type === 'limit' ? `, a DAY order that ends ${dayEndText(context, order)} by itself` : '';
  return `${what} is left open${until}; nothing watches it until the next start`;
}

/** Text for the end of a DAY order that stays: if extended phases are traded, the latest end the venue may mean. */
function dayEndText(context: EngineContext, order: Order): string {
  if (!context.rules.trade && order.until === undefined) return 'at the close';
  const { last } = dayEndsOf(context, order);
  return `by ${newYorkMinute(last)} New York time at the latest`;
}

/** Notice of a synthetic order left behind: nothing watches it until the next start. */
function leftHeldText(order: SyntheticOrder): string {
  const what = `${describeSynthetic(order)} (order ${order.id})`;
  return order.terms.kind === 'work'
    ? `${what} pauses: the next start continues it, because the venue does not know it`
    : `${what} stays armed; nothing watches it until the next start, because the venue does not know it`;
}

/** True while a response may still change the order; false for one that merely rests. */
const isMoving = ({ state, cancel, claim }: Order): boolean =>
  state.kind !== 'working' || claim !== undefined || (cancel.kind !== 'none' && cancel.kind !== 'refused');

export type DrainOptions = Readonly<{
  kernel: Kernel;
  clock: Clock;
  everyMs: number;
  /** Reads the order list and the account once. */
  look: () => Promise<void>;
}>;

/** Reads until every order either rests or has ended, within a time limit. A failed read is repeated. */
export const drain = (options: DrainOptions): Promise<void> =>
  atMost(DRAIN_MS, options.clock, (signal) => drained(options, signal));

async function drained({ kernel, clock, everyMs, look }: DrainOptions, signal: AbortSignal): Promise<void> {
  const { live } = kernel.context.accountState;
  if (live.size === 0 && kernel.reconciliation.settled) return;
  while (!signal.aborted) {
    await look().catch(atVenueFault(() => undefined));
    if (![...live.values()].some(isMoving)) return;
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}

/** Waits for `work`, at most `ms`; then aborts the rest by its signal. */
export async function atMost(
  ms: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  await inTime(ms, clock, () => work(over.signal));
  over.abort();
}

/** Longest time in ms that a run continues after its last close, for orders to end and ledger and venue to agree. */
const WIND_DOWN_MS = 600_000;

type SpanOptions = Readonly<{ until: Until; clock: Clock; onOver: () => void }>;

/** End of a run: at a given time, or when all is settled after its last close. */
export class Span {
  readonly #options: SpanOptions;
  /** Time up to which closes are counted, at first the start of the run. */
  #since: EpochMs;
  #isTimed = false;
  /** True if the clock was wrong before the start: closes count from the actual start then. */
  isDoubted = false;
  #closes = 0;
  #windingDown = false;

  constructor(options: SpanOptions) {
    this.#options = options;
    this.#since = options.clock.now();
  }

  start(): void {
    const { until, clock, onOver } = this.#options;
    if (this.isDoubted) this.#since = clock.now();
    if (this.#isTimed) return;
    this.#isTimed = true;
    if (until.kind === 'instant') clock.at(until.at, onOver);
  }

  /** Counts closes before the schedule has begun, which reports later ones. */
  wait(calendar: TradingCalendar): void {
    this.start();
    const now = this.#options.clock.now();
    let session = calendar.sessionAt(this.#since) ?? calendar.nextSession(this.#since);
    for (; session.close <= now; session = calendar.nextSession(session.open)) this.closed(session);
  }

  /** Counts the close of a session, unless it came before the run. */
  closed({ close }: Session): void {
    const { until, clock, onOver } = this.#options;
    if (close <= this.#since) return;
    this.#since = close;
    this.#closes++;
    if (until.kind !== 'sessions' || this.#closes < until.count || this.#windingDown) return;
    this.#windingDown = true;
    clock.at(epochMs(clock.now() + WIND_DOWN_MS), onOver);
  }

  settled(): void {
    if (this.#windingDown) this.#options.onOver();
  }
}

/** How an error ended a run: a start that the config or the venue did not allow is not a crash. */
export const howOf = (error: unknown): 'at once' | 'crashed' =>
  error instanceof DroverError && !(error instanceof InvariantError) ? 'at once' : 'crashed';
