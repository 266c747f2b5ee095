import { cash, type Cash, formatDecimal } from '../../core/amount.ts';
import { type FeeSchedule, buyCost, sellProceeds } from '../../domain/fees.ts';
import { FEES, type PinTerms } from '../../domain/account/pins.ts';
import type { Side, Listing, SignedSend } from '../../domain/venue.ts';
import type { TransferId } from '../../domain/transfers/transfer.ts';
import type { OrderId, Order } from '../../domain/orders/order.ts';
import type { Session, TradingCalendar } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { AccountState } from '../../domain/account/accountState.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import { contentOf } from '../../domain/account/freezes.ts';
import type { Address, Ticker } from '../../domain/instrument.ts';
import type { Asset, Holding } from '../../domain/account/ledger.ts';
import type { Limits } from '../../domain/limits.ts';
import { transition, type OrderEvent } from '../../domain/orders/orderMachine.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OrderStatus } from '../../strategy/contract.ts';
import { Drops } from './drops.ts';
import { Holds } from './holds.ts';
import { MarketView } from './market.ts';
import { type Notice, type NoticeKind, Problems } from './notice.ts';

/** Highest rate that a fee is reckoned with, in hundredths of a percent: all of the notional. */
const BPS_MAX = 10_000;

type Known = Pick<EngineContext, 'rules' | 'accountState'>;

/**
 * Schedules by which the venue may charge: that of the rules, the pinned one, the one stated instead of it, and the rates that
 * settlements have shown above all of these.
 */
export function feeSchedules({ rules, accountState }: Known): FeeSchedule[] {
  const { pins, feesTaken } = accountState;
  const stated = [pins.of(FEES), pins.departed(FEES)].flatMap((terms) => (terms ? [scheduleOf(terms)] : []));
  const taken = feesTaken.size === 0 ? [] : [scheduleTaken(feesTaken)];
  return [rules.fees, ...stated, ...taken];
}

/** mUSD that a buy of `notional` costs at most, fees included. */
function dearestCost(known: Known, notional: bigint): bigint {
  let most = 0n;
  for (const schedule of feeSchedules(known)) {
    const { total } = buyCost(cash(notional), schedule);
    if (total > most) most = total;
  }
  return most;
}

/** mUSD that a schedule takes of `notional`, on either side. */
export function feeOf(side: Side, notional: Cash, schedule: FeeSchedule): bigint {
  const { mintFee, protocolFee } =
    side === 'buy' ? buyCost(notional, schedule) : sellProceeds(notional, schedule);
  return mintFee + protocolFee;
}

/** Rates of either side, in hundredths of a percent. */
export const bpsBySide = (schedule: FeeSchedule): Readonly<Record<Side, number>> => ({
  buy: schedule.buyMintFeeBps + schedule.buyProtocolFeeBps,
  sell: schedule.sellProtocolFeeBps,
});

/** Rates as `GET /config` states them; 0 for what it does not state. */
export const scheduleOf = (terms: PinTerms): FeeSchedule => ({
  buyMintFeeBps: bpsOf(terms['buyMintFeeBps']),
  buyProtocolFeeBps: bpsOf(terms['buyProtocolFeeBps']),
  sellProtocolFeeBps: bpsOf(terms['sellProtocolFeeBps']),
});

const scheduleTaken = (taken: ReadonlyMap<Side, number>): FeeSchedule => ({
  buyMintFeeBps: 0,
  buyProtocolFeeBps: Math.ceil(taken.get('buy') ?? 0),
  sellProtocolFeeBps: Math.ceil(taken.get('sell') ?? 0),
});

/** Whole bps of a rate, rounded up; 0 for a text that is no rate. */
function bpsOf(text = '0'): number {
  const bps = Math.ceil(Number(text));
  return bps > 0 ? Math.min(bps, BPS_MAX) : 0;
}

type Subject = OrderId | TransferId;

/** Complete order lists, read after the word, that must bear it out. */
const LISTS_MIN = 2;

type Word = { lists: number; lacking: string };

/**
 * Words of an operator on orders and operations without a proved end. A word stands for one proof alone, that the indexer has
 * passed the deadline (or, of an end that the venue claims, that the account confirms it); everything else must hold on a look
 * begun after it. Kept in memory: a word is for the look that follows it.
 */
class OperatorWords {
  readonly #given = new Map<Subject, Word>();

  take(id: Subject): void {
    this.#given.set(id, { lists: 0, lacking: 'the account has not been read since' });
  }

  isGiven(id: Subject): boolean {
    return this.#given.has(id);
  }

  /** A complete order list has been read and taken in. */
  listed(): void {
    for (const word of this.#given.values()) word.lists++;
  }

  /** True when as many complete lists as are needed have been read since the word. */
  hasLists(id: Subject): boolean {
    return (this.#given.get(id)?.lists ?? 0) >= LISTS_MIN;
  }

  /** Notes what keeps a word from counting, in words for the operator. */
  lack(id: Subject, what: string): void {
    const word = this.#given.get(id);
    if (word) word.lacking = what;
  }

  /** Proof that the last look lacked for the word to count. */
  lacking(id: Subject): string {
    return this.#given.get(id)?.lacking ?? 'nobody has vouched for it';
  }
}

/** What the kernel asks of the world. Carried out only after the facts of its turn are durable. */
export type Effect = Readonly<
  | { kind: 'place'; id: OrderId }
  | { kind: 'cancel'; id: OrderId }
  | { kind: 'look'; id: OrderId }
  | { kind: 'operate'; id: TransferId }
  | ReadRequest
>;

/** The account or the list of corporate actions is to be read now, or the bars of a stock once more. */
export type ReadRequest = Readonly<
  { kind: 'readAccount' } | { kind: 'readActions' } | { kind: 'rewarm'; symbol: Ticker }
>;

/** The rules by which orders are made and checked. */
export type TradingRules = Readonly<{
  limits: Limits;
  /** Narrower limits of one strategy, by its id. */
  ownLimits: ReadonlyMap<string, Limits>;
  /** Contracts by stock that the config pins: orders name no other. */
  contracts?: ReadonlyMap<Ticker, Address>;
  /** Proxy wallet that One Click may send by, where the config or a person has pinned it. */
  delegatee?: Address;
  /** How far above the quote a buy by shares may pay. */
  collarBps: number;
  /** Life of a send, at most 120 s. */
  deadlineMs: number;
  /** Closes an unanswered order as never placed, without proof, so long after its deadline. */
  assumeGoneAfterMs?: number | undefined;
  /** What an order has brought is spent only once the balance shows it. */
  confirmsBalance?: boolean;
  /** Oldest look at orders and account that a send may follow, in ms. */
  stateAgeMs?: number;
  /** Wait after an order that failed, before the next of its strategy, symbol and side; twice as long after each more. */
  failureSpacingMs?: number;
  /** Whether the venue can ask the chain itself about an order that it does not show. Default no. */
  readsChain?: boolean;
  /** Whether the venue tells of corporate actions. Default no. */
  readsActions?: boolean;
  /** Fees that orders cost where the venue states no others: the documented ones, or those of a backtest. */
  fees: FeeSchedule;
  /** A simulated venue answers every send at once: none is under way, and deadlines tell nothing apart. Default no. */
  answersAtOnce?: boolean;
  /** A plain exchange, simulated, instead of this venue: it takes market buys of exact shares and prices off the tick. */
  plainExchange?: boolean;
}>;

/** Reactions of the kernel to changes of orders and intents, within the same step. */
export type EngineListeners = Readonly<{
  /** An order has moved: its intent may go on, and its strategy is to hear of it. */
  orderMoved(before: Order, after: Order): void;
  /** An intent waits, is being sent, or has ended without an order that shows it. */
  intentMoved(intent: OrderIntent, status: OrderStatus): void;
}>;

type EngineSetup = Readonly<{
  calendar: TradingCalendar;
  rules: TradingRules;
  /** Only alarms are raised: nobody reads the other notices. Default no. */
  quiet?: boolean;
}>;

/** State that all parts of the kernel share: accounts, market, holds, and what the present step has brought so far. */
export class EngineContext {
  readonly accountState = new AccountState();
  readonly market = new MarketView();
  readonly holds = new Holds();
  readonly words = new OperatorWords();
  readonly problems = new Problems();
  readonly drops = new Drops();
  readonly calendar: TradingCalendar;
  readonly rules: TradingRules;
  /** True when only alarms are raised. */
  readonly quiet: boolean;
  /** What the latest look at the account found missing there, by asset. Null before the first. */
  account: Readonly<{ shortfalls: ReadonlyMap<Holding, bigint>; at: EpochMs }> | null = null;
  /** What settled orders have brought since the account was last read, by asset: reused only once a balance shows it. */
  readonly unshown = new Map<Asset, bigint>();
  /** When the question left whose answer was the latest complete order list. Null before the first. */
  sweptAt: EpochMs | null = null;
  /** From the recovery on until strategies start: what is found of others' orders now was not seen by the run before. */
  isStarting = false;
  /** False when the venue last said that One Click is off. */
  delegated = true;
  readonly #listeners: EngineListeners;
  #now = epochMs(0);
  #facts: JournalEntry[] = [];
  #effects: Effect[] = [];
  #notices: Notice[] = [];

  #session: Session | undefined;

  constructor({ calendar, rules, quiet = false }: EngineSetup, listeners: EngineListeners) {
    this.calendar = calendar;
    this.rules = rules;
    this.quiet = quiet;
    this.#listeners = listeners;
  }

  get now(): EpochMs {
    return this.#now;
  }

  /** The regular session that is open now. */
  get session(): Session | undefined {
    const known = this.#session;
    if (known && this.#now >= known.open && this.#now < known.close) return known;
    return (this.#session = this.calendar.sessionAt(this.#now));
  }

  /** Whether this turn has brought nothing yet. */
  get isClear(): boolean {
    return this.#facts.length === 0 && this.#effects.length === 0 && this.#notices.length === 0;
  }

  /** Facts of this turn so far. */
  get recorded(): number {
    return this.#facts.length;
  }

  /** mUSD that a buy of so much costs at most, by the fees that are known, stated or have been taken. */
  readonly costOf = (notional: bigint): bigint => dearestCost(this, notional);

  begin(now: EpochMs): void {
    this.#now = now;
  }

  /** What the turn has brought; the table is clear afterwards. */
  finish(): { facts: JournalEntry[]; effects: Effect[]; notices: Notice[] } {
    const turn = { facts: this.#facts, effects: this.#effects, notices: this.#notices };
    this.#facts = [];
    this.#effects = [];
    this.#notices = [];
    return turn;
  }

  record(fact: JournalEvent): void {
    const entry = { at: this.#now, fact };
    this.accountState.apply(entry);
    this.#facts.push(entry);
  }

  /** Takes prices in, and holds the symbols of those that cannot be believed yet. Gives what has changed. */
  list(listings: readonly Listing[]): ReturnType<MarketView['list']> {
    const changed = this.market.list(listings);
    for (const { instrument } of listings) {
      const { symbol } = instrument;
      const doubted = this.market.doubted.get(symbol);
      if (!doubted) this.holds.lift('price', symbol);
      else if (
        this.holds.put('price', `the price of ${symbol} is waited for once more`, symbol) &&
        this.concerns(symbol)
      )
        this.notify(
          'alarm',
          `the price of ${symbol} went to ${formatDecimal(doubted.price)} at once: no orders on it until the next says the same`,
        );
    }
    return changed;
  }

  /** Whether there is something of it, or somebody wants it. */
  concerns(symbol: Ticker): boolean {
    return (
      this.accountState.ledger.assets.has(symbol) ||
      [...this.accountState.intents.values()].some((intent) => intent.symbol === symbol)
    );
  }

  /** Reports where an intent stands while no order shows it. */
  intentMoved(intent: OrderIntent, status: OrderStatus): void {
    this.#listeners.intentMoved(intent, status);
  }

  ask(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** A text given as a function is made only where somebody listens. */
  notify(kind: NoticeKind, text: string | (() => string), owner: string | null = null): void {
    if (this.quiet && kind !== 'alarm') return;
    this.#notices.push({ at: this.#now, kind, owner, text: typeof text === 'string' ? text : text() });
  }

  /** Counts an intent that was dropped; true when people are to be told. Nothing where nobody listens. */
  notesDrop(intent: OrderIntent, why: string): boolean {
    if (this.quiet) return false;
    return this.drops.note(intent, why, { now: this.#now, date: this.accountState.sessionDate });
  }

  /** `shown`: what the venue shows, and may show again: once an operator has released the symbol from it, it freezes no more. */
  freeze(symbol: Ticker, why: string, shown?: string): void {
    const { frozen, freezes } = this.accountState;
    if (frozen.has(symbol) || (shown !== undefined && freezes.isAccepted(symbol, shown))) return;
    this.record({ kind: 'frozen', symbol, why, ...(shown === undefined ? {} : { shown }) });
    this.notify('alarm', `${symbol} is frozen: ${why}`);
  }

  /** Moves an order. An impossible event freezes its symbol and changes nothing else. */
  move(id: OrderId, event: OrderEvent, request?: SignedSend): boolean {
    const before = this.accountState.order(id);
    const result = transition(before, event);
    if (result.kind === 'stale') return false;
    if (result.kind === 'illegal') {
      const why = `order ${id}: ${result.rule}`;
      const shown = event.kind === 'reported' ? `${why}: ${contentOf(event.report)}` : undefined;
      this.freeze(before.terms.symbol, why, shown);
      return false;
    }
    const fact: JournalEvent = request ? { kind: 'order', id, event, request } : { kind: 'order', id, event };
    this.#facts.push({ at: this.#now, fact });
    this.accountState.advance({ before, after: result.order, event, request }, this.#now);
    if (result.warning !== undefined) this.notify('alarm', `order ${id}: ${result.warning}`, before.owner);
    if (result.alarm !== undefined) this.#alarm(before.terms.symbol, `order ${id}: ${result.alarm}`);
    if (this.rules.confirmsBalance) this.#await(result.order);
    this.#listeners.orderMoved(before, result.order);
    return true;
  }

  /** Freezes the symbol; where it is frozen already, what has happened is told all the same. */
  #alarm(symbol: Ticker, why: string): void {
    if (this.accountState.frozen.has(symbol)) this.notify('alarm', why);
    else this.freeze(symbol, why);
  }

  #await({ state, terms }: Order): void {
    if (state.kind !== 'closed' || !state.settlement) return;
    const asset = terms.side === 'buy' ? terms.symbol : 'mUSD';
    this.unshown.set(asset, (this.unshown.get(asset) ?? 0n) + state.settlement.receive);
  }

  liveOf(filter: Readonly<{ owner?: string; symbol?: Ticker; wish?: string }>): Order[] {
    const { owner, symbol, wish: intent } = filter;
    const found: Order[] = [];
    for (const order of this.accountState.live.values())
      if (
        (owner === undefined || order.owner === owner) &&
        (symbol === undefined || order.terms.symbol === symbol) &&
        (intent === undefined || order.wish === intent)
      )
        found.push(order);
    return found;
  }
}
