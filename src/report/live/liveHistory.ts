import { newYorkDate } from '../../calendar/index.ts';
import type { Price } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { AccountChange } from '../../domain/account/accountChange.ts';
import { ACCOUNT_KINDS, AccountHistory } from '../../domain/account/history.ts';
import type { Bar } from '../../domain/bar.ts';
import { rescalePrice, type Split } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { orderOf, type JournalEvent, type JournalEventOf } from '../../domain/journalEvent.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { IntentEnd, IntentRefusal, OrderIntent } from '../../domain/orders/orderIntent.ts';
import { PlotHistory } from '../../domain/plots.ts';
import { StopHistory } from '../../domain/stops.ts';
import { valuationOf, type Valuation } from '../../engine/state/exposure.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { accountMark, ownerMarks, type AccountMark, type OwnerMarks } from './accountMarks.ts';
import { eventsOf, type RunEvent } from './events.ts';
import { PastPrices } from './pastPrices.ts';
import type { Line } from '../../store/codec.ts';

const isSameMoney = (one: OwnerMarks, other: OwnerMarks): boolean =>
  one.account.equity === other.account.equity &&
  [...one.strategies].every(([id, { equity }]) => equity === other.strategies.get(id)?.equity);

/** Kinds of events from which a record is made. Quotes are looked up only where a price is needed. */
const KINDS = [
  ...ACCOUNT_KINDS,
  'epoch',
  'session',
  'intentCreated',
  'intentEnded',
  'intentRefused',
  'syntheticPlaced',
  'syntheticMoved',
  'syntheticEnded',
  'operator',
  'restricted',
  'restrictionLifted',
  'strategyStopped',
  'bar',
  'logged',
  'plotted',
] as const satisfies readonly JournalEvent['kind'][];

/** Changes that affect the capital of the account or of a strategy. */
const CAPITAL_KINDS: readonly AccountChange['kind'][] = ['allocated', 'flow', 'flowReturned', 'covered'];

/** Journal from which a history is read. */
export type LiveJournal = Pick<JournalReader, 'ofKinds' | 'backwards'>;

/** Intent from the journal with the price at its decision, and its end. Price per present share. */
export type Decision = {
  readonly intent: OrderIntent;
  price: Price | null;
  end: Readonly<{ at: EpochMs; how: IntentEnd; why: string }> | null;
};

/** Rejected call of `order`, with the reason. */
type Refusal = Readonly<Pick<IntentRefusal, 'strategyId' | 'why'>>;

/** Event that moves a position or shows a price, in journal order. */
export type Step = Readonly<
  | { kind: 'change'; change: AccountChange }
  | { kind: 'split'; action: Split }
  | { kind: 'bar'; bar: Bar }
  | { kind: 'mark'; mark: AccountMark }
>;

/** Sequence number of a journal entry, with its time. */
type Place = Pick<Line, 'seq' | 'at'>;

/**
 * History of a run from its journal. It uses the engine's account state, so its sums equal the books.
 */
export class LiveHistory {
  readonly #history = new AccountHistory();
  readonly #prices: PastPrices;
  readonly #reader: LiveJournal;
  readonly #marks: AccountMark[] = [];
  readonly #steps: Step[] = [];
  #flows: OwnerMarks[] = [];
  #last: Place = { seq: 0, at: epochMs(0) };
  /** Number of the last entry at which a mark was taken. */
  #markedAt = 0;
  /** Mark at the end of the journal: of a session in progress or, if money has changed, of the time after a close. */
  #endMark: AccountMark | null = null;
  readonly decisions = new Map<string, Decision>();
  /** Calls of `order` that were rejected and became no intent. */
  readonly refused: Refusal[] = [];
  readonly events: RunEvent[] = [];
  readonly logs: (JournalEventOf<'logged'> & Readonly<{ at: EpochMs }>)[] = [];
  readonly plots = new PlotHistory();
  readonly stops = new StopHistory();
  /** Limit orders that the venue has reported as open, with the times at which they were sent. */
  readonly rested = new Map<OrderId, EpochMs>();
  /** Numbers of the latest entries that changed an order or intent, by id. */
  readonly changedAt = new Map<string, number>();
  /** Money at the end of the journal; null if it is empty. Its date is the last session's, '' before the first. */
  now: AccountMark | null = null;

  /** Reads a journal to its current end. @throws {ConfigError} when it cannot be read */
  constructor(reader: LiveJournal) {
    this.#reader = reader;
    this.#prices = new PastPrices(reader);
    this.advance();
  }

  /** Reads the entries added since. @throws {ConfigError} when the journal cannot be read */
  advance(): void {
    // Reads the latest price first, so that no earlier price can be missing below.
    const [quotes] = this.#reader.backwards(['quotes'], Infinity);
    for (const line of this.#reader.ofKinds(KINDS, this.#last.seq)) this.#take(line);
    if (this.#last.seq > 0) this.#end(quotes);
  }

  /** Number of the last entry read; 0 for an empty journal. */
  get seq(): number {
    return this.#last.seq;
  }

  /** One mark for each session, at its close, and one at the end of the journal, which is a different instant. */
  get marks(): readonly AccountMark[] {
    return this.#endMark ? [...this.#marks, this.#endMark] : this.#marks;
  }

  /** Number of sessions: those closed, and one in progress. */
  get sessions(): number {
    const { sessionDate, sessionClosed } = this.#history.account;
    return this.#marks.length + (sessionDate !== null && !sessionClosed ? 1 : 0);
  }

  /** Moves and prices in journal order. */
  get steps(): readonly Step[] {
    return this.#endMark ? [...this.#steps, { kind: 'mark', mark: this.#endMark }] : this.#steps;
  }

  /** Account and prices at the end of the journal. */
  get valuation(): Valuation {
    return valuationOf(this.#history.account, this.#prices);
  }

  /** Changes of the account, without trades reverted by the chain. */
  get changes(): AccountChange[] {
    return this.#steps.flatMap((step) => (step.kind === 'change' ? [step.change] : []));
  }

  #take(line: Line): void {
    const { seq, at, fact } = line;
    this.#last = line;
    this.stops.take(line);
    if (fact.kind === 'split') this.#split(fact.action, seq);
    const changes = this.#history.apply(line);
    for (const change of changes) this.#change(change);
    if (changes.some(({ kind }) => CAPITAL_KINDS.includes(kind))) this.#flow(seq);
    this.events.push(...eventsOf(line, changes, this.#history.account));
    if (fact.kind === 'intentCreated') this.#decide(fact.intent, seq);
    if (fact.kind === 'intentEnded') this.#endIntent(fact, line);
    if (fact.kind === 'intentRefused') this.refused.push({ strategyId: fact.strategyId, why: fact.why });
    if (fact.kind === 'planned' || fact.kind === 'order') this.#noteOrder(line);
    if (fact.kind === 'logged') this.logs.push({ ...fact, at });
    if (fact.kind === 'plotted') this.plots.take(fact.strategyId, fact.series);
    if (fact.kind === 'bar' && !fact.warm) this.#steps.push({ kind: 'bar', bar: fact.bar });
    if (fact.kind === 'session') this.#session(fact, line);
  }

  #noteOrder({ seq, fact }: Line): void {
    const id = orderOf(fact);
    const order = id === null ? undefined : this.#history.account.orders.get(id as OrderId);
    if (!order) return;
    this.changedAt.set(order.id, seq).set(order.intentId, seq);
    if (order.terms.type === 'limit' && order.state.kind === 'working' && !this.rested.has(order.id))
      this.rested.set(order.id, order.state.at);
  }

  /** Records a change; a trade reverted by the chain is removed again. */
  #change(change: AccountChange): void {
    if (change.kind !== 'reversed') return void this.#steps.push({ kind: 'change', change });
    const { orderId } = change;
    const place = this.#steps.findLastIndex(
      (step) => step.kind === 'change' && step.change.kind === 'traded' && step.change.orderId === orderId,
    );
    if (place < 0) throw new InvariantError(`a trade of order ${orderId} is undone that was not booked`);
    this.#steps.splice(place, 1);
  }

  #split(action: Split, seq: number): void {
    this.#prices.split(action, seq);
    this.#steps.push({ kind: 'split', action });
    for (const decision of this.decisions.values())
      if (!decision.end && decision.intent.symbol === action.symbol && decision.price !== null)
        decision.price = rescalePrice(decision.price, action) as Price;
  }

  #decide(intent: OrderIntent, seq: number): void {
    this.#prices.learn([intent.symbol], seq);
    this.changedAt.set(intent.id, seq);
    this.decisions.set(intent.id, { intent, price: this.#prices.price(intent.symbol), end: null });
  }

  #endIntent({ id, how, why }: JournalEventOf<'intentEnded'>, { seq, at }: Place): void {
    const decision = this.decisions.get(id);
    if (decision) decision.end = { at, how, why };
    this.changedAt.set(id, seq);
  }

  #session({ change, date }: JournalEventOf<'session'>, { seq, at }: Line): void {
    if (change !== 'closed') return;
    const mark = this.#mark(date, { seq, at });
    if (this.#marks.at(-1)?.date === date) this.#marks.pop();
    this.#marks.push(mark);
    this.#flows = [];
    this.#markedAt = seq;
    this.#steps.push({ kind: 'mark', mark });
  }

  /** Records the money just after a change of capital, so that returns are measured around it. */
  #flow(seq: number): void {
    this.#prices.learn(this.#held(), seq);
    this.#flows.push(ownerMarks(this.valuation));
  }

  /** Mark of a session, which replaces an earlier one of the same session. */
  #mark(date: string, { seq, at }: Place): AccountMark {
    this.#prices.learn(this.#held(), seq);
    const last = this.#marks.at(-1);
    const flows = [...(last?.date === date ? last.flows : []), ...this.#flows];
    return accountMark(this.valuation, { date, at, flows });
  }

  /** Mark of the session in progress; after its close, one of the current day, or null if nothing has changed since. */
  #markAfter(date: string, end: Place): AccountMark | null {
    const last = this.#marks.at(-1);
    if (!this.#history.account.sessionClosed || last?.date !== date) return this.#mark(date, end);
    this.#prices.learn(this.#held(), end.seq);
    const now = accountMark(this.valuation, { date: newYorkDate(end.at), at: end.at, flows: this.#flows });
    return this.#flows.length === 0 && isSameMoney(now, last) ? null : now;
  }

  #held(): Ticker[] {
    return this.#history.account.ledger.heldStocks;
  }

  /** Updates the money at the current end of the journal. */
  #end(quotes: Place | undefined): void {
    const { seq, at } = quotes && quotes.seq > this.#last.seq ? quotes : this.#last;
    const end = { seq: seq + 1, at };
    const { sessionDate } = this.#history.account;
    this.#endMark = sessionDate !== null && seq > this.#markedAt ? this.#markAfter(sessionDate, end) : null;
    this.#prices.learn(this.#held(), end.seq);
    this.now = accountMark(this.valuation, { date: sessionDate ?? '', at, flows: [] });
  }
}
