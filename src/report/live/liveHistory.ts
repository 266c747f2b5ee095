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

/** Kinds of events that a record is made from. Quotes are looked up where a price is needed. */
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

/** Changes that move capital, of the account or of a strategy. */
const CAPITAL_KINDS: readonly AccountChange['kind'][] = ['allocated', 'flow', 'flowReturned', 'covered'];

/** Journal that a history is read from. */
export type LiveJournal = Pick<JournalReader, 'ofKinds' | 'backwards'>;

/** Intent of the journal with the price at its decision, and how it ended. Price per present share. */
export type Decision = {
  readonly intent: OrderIntent;
  price: Price | null;
  end: Readonly<{ at: EpochMs; how: IntentEnd; why: string }> | null;
};

/** Call of `order` that could not be taken, with the reason. */
type Refusal = Readonly<Pick<IntentRefusal, 'strategyId' | 'why'>>;

/** Event that moves a position or shows a price, in the order of the journal. */
export type Step = Readonly<
  | { kind: 'change'; change: AccountChange }
  | { kind: 'split'; action: Split }
  | { kind: 'bar'; bar: Bar }
  | { kind: 'mark'; mark: AccountMark }
>;

/** Entry of the journal, by its number, with its time. */
type Place = Pick<Line, 'seq' | 'at'>;

/**
 * History of a run from its journal: everything that a record shows. The account state is the engine's, so its sums equal the books.
 */
export class LiveHistory {
  readonly #history = new AccountHistory();
  readonly #prices: PastPrices;
  readonly #reader: LiveJournal;
  readonly #marks: AccountMark[] = [];
  readonly #steps: Step[] = [];
  #flows: OwnerMarks[] = [];
  #last: Place = { seq: 0, at: epochMs(0) };
  /** Number of the last entry that a mark was taken at. */
  #markedAt = 0;
  /** Mark at the end of the journal: of a session under way, or of the time after a close where the money is another one than then. */
  #endMark: AccountMark | null = null;
  readonly decisions = new Map<string, Decision>();
  /** Calls of `order` that could not be taken, and became no intent. */
  readonly refused: Refusal[] = [];
  readonly events: RunEvent[] = [];
  readonly logs: (JournalEventOf<'logged'> & Readonly<{ at: EpochMs }>)[] = [];
  readonly plots = new PlotHistory();
  readonly stops = new StopHistory();
  /** Limit orders that the venue has shown open, with the times at which they were sent. */
  readonly rested = new Map<OrderId, EpochMs>();
  /** Numbers of the latest entries that have changed orders and intents, by their ids. */
  readonly changedAt = new Map<string, number>();
  /** Money at the end of the journal; null for an empty one. Its date is that of the last session, empty before the first. */
  now: AccountMark | null = null;

  /** Reads a journal to its present end. @throws {ConfigError} when it cannot be read */
  constructor(reader: LiveJournal) {
    this.#reader = reader;
    this.#prices = new PastPrices(reader);
    this.advance();
  }

  /** Reads what the journal has become longer by. @throws {ConfigError} when it cannot be read */
  advance(): void {
    // The latest price first: nothing that comes before it can then be missing below.
    const [quotes] = this.#reader.backwards(['quotes'], Infinity);
    for (const line of this.#reader.ofKinds(KINDS, this.#last.seq)) this.#take(line);
    if (this.#last.seq > 0) this.#end(quotes);
  }

  /** Number of the last entry that it has been made from; 0 for an empty journal. */
  get seq(): number {
    return this.#last.seq;
  }

  /** One for each session, at its close, and one at the end of the journal: the close and now are two instants. */
  get marks(): readonly AccountMark[] {
    return this.#endMark ? [...this.#marks, this.#endMark] : this.#marks;
  }

  /** Number of sessions: those that have closed, and one under way. */
  get sessions(): number {
    const { sessionDate, sessionClosed } = this.#history.account;
    return this.#marks.length + (sessionDate !== null && !sessionClosed ? 1 : 0);
  }

  /** Moves and prices in the order of the journal. */
  get steps(): readonly Step[] {
    return this.#endMark ? [...this.#steps, { kind: 'mark', mark: this.#endMark }] : this.#steps;
  }

  /** Account and prices as they are at the end. */
  get valuation(): Valuation {
    return valuationOf(this.#history.account, this.#prices);
  }

  /** Changes of the account, without trades that the chain has undone. */
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

  /** Keeps a change; a trade that the chain has undone is taken out again. */
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

  /** Keeps the money just after a change of capital, so that returns are measured around it. */
  #flow(seq: number): void {
    this.#prices.learn(this.#held(), seq);
    this.#flows.push(ownerMarks(this.valuation));
  }

  /** Mark of a session, in the place of an earlier one of it. */
  #mark(date: string, { seq, at }: Place): AccountMark {
    this.#prices.learn(this.#held(), seq);
    const last = this.#marks.at(-1);
    const flows = [...(last?.date === date ? last.flows : []), ...this.#flows];
    return accountMark(this.valuation, { date, at, flows });
  }

  /** Mark of the session under way; after its close one of the present day, or none if nothing has changed since. */
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

  /** Looks at the money at the present end of the journal. */
  #end(quotes: Place | undefined): void {
    const { seq, at } = quotes && quotes.seq > this.#last.seq ? quotes : this.#last;
    const end = { seq: seq + 1, at };
    const { sessionDate } = this.#history.account;
    this.#endMark = sessionDate !== null && seq > this.#markedAt ? this.#markAfter(sessionDate, end) : null;
    this.#prices.learn(this.#held(), end.seq);
    this.now = accountMark(this.valuation, { date: sessionDate ?? '', at, flows: [] });
  }
}
