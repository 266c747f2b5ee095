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

/** Highest rate that a fee is calculated with, in bps: all of the notional. */
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

/** Rates of either side, in bps. */
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

/** Complete order lists, read after the operator's word, that must agree with it. */
const LISTS_MIN = 2;

type Word = { lists: number; lacking: string };

/**
 * Words of an operator (`drover orders resolve`) on orders and transfers without a proved end. A word replaces one proof only:
 * that the indexer has passed the deadline, or that the account confirms an end which the venue claims. Every other condition
 * must hold on a read that begins after it. Kept in memory, because a word is for the reads that follow it.
 */
class OperatorWords {
  readonly #given = new Map<Subject, Word>();

  take(id: Subject): void {
    this.#given.set(id, { lists: 0, lacking: 'the account has not been read since' });
  }

  isGiven(id: Subject): boolean {
    return this.#given.has(id);
  }

  /** Counts a complete order list that has been read. */
  countList(): void {
    for (const word of this.#given.values()) word.lists++;
  }

  /** True when as many complete lists as are needed have been read since the word. */
  hasLists(id: Subject): boolean {
    return (this.#given.get(id)?.lists ?? 0) >= LISTS_MIN;
  }

  /** Notes the proof that is still missing, in a text for the operator. */
  noteMissing(id: Subject, what: string): void {
    const word = this.#given.get(id);
    if (word) word.lacking = what;
  }

  /** Proof that was missing at the last read. */
  missing(id: Subject): string {
    return this.#given.get(id)?.lacking ?? 'nobody has vouched for it';
  }
}

/** Work that the kernel asks the runtime for. It is carried out only after the journal events of its step are durable. */
export type Effect = Readonly<
  | { kind: 'place'; id: OrderId }
  | { kind: 'cancel'; id: OrderId }
  | { kind: 'look'; id: OrderId }
  | { kind: 'operate'; id: TransferId }
  | ReadRequest
>;

/** A read that is wanted now: the account, the list of corporate actions, or the bars of a stock again. */
export type ReadRequest = Readonly<
  { kind: 'readAccount' } | { kind: 'readActions' } | { kind: 'rewarm'; symbol: Ticker }
>;

/** Rules by which orders are made and checked. */
export type TradingRules = Readonly<{
  limits: Limits;
  /** Narrower limits of one strategy, by its id. */
  ownLimits: ReadonlyMap<string, Limits>;
  /** Contracts by stock that the config pins: orders name no other. */
  contracts?: ReadonlyMap<Ticker, Address>;
  /** Proxy wallet that One Click may send by, where the config or a person has pinned it. */
  delegatee?: Address;
  /** Most that a buy by shares may pay above the quote, in bps. */
  collarBps: number;
  /** Life of a send in ms, at most 120 s. */
  deadlineMs: number;
  /** Time in ms after its deadline at which an unanswered order is assumed never placed, without proof. */
  assumeGoneAfterMs?: number | undefined;
  /** True when proceeds of an order are spent only once the balance shows them. */
  confirmsBalance?: boolean;
  /** Greatest age in ms of the last read of orders and account at which orders are sent. */
  stateAgeMs?: number;
  /** Wait in ms after a failed order before the next of its strategy, symbol and side; doubled after each further failure. */
  failureSpacingMs?: number;
  /** True when the chain itself can be asked about an order that the venue does not show. Default no. */
  readsChain?: boolean;
  /** True when the venue lists corporate actions. Default no. */
  readsActions?: boolean;
  /** Fees that orders cost where the venue states no others: the documented ones, or those of a backtest. */
  fees: FeeSchedule;
  /** True when a simulated venue answers every send at once, so that none is under way and deadlines need not differ. Default no. */
  answersAtOnce?: boolean;
  /** True for a simulated plain exchange, which takes market buys of exact shares and prices off the tick. */
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
  readonly operatorWords = new OperatorWords();
  readonly problems = new Problems();
  readonly drops = new Drops();
  readonly calendar: TradingCalendar;
  readonly rules: TradingRules;
  /** True when only alarms are raised. */
  readonly quiet: boolean;
  /** Amounts that the latest read of the account found missing there, by asset. Null before the first. */
  account: Readonly<{ shortfalls: ReadonlyMap<Holding, bigint>; at: EpochMs }> | null = null;
  /** Proceeds of orders that settled since the account was last read, by asset: reused only once a balance shows them. */
  readonly unshown = new Map<Asset, bigint>();
  /** Time at which the request for the latest complete order list left. Null before the first. */
  sweptAt: EpochMs | null = null;
  /** True from the recovery until strategies start: external orders found meanwhile appeared while no run was watching. */
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

  /** True while this step has brought nothing. */
  get isClear(): boolean {
    return this.#facts.length === 0 && this.#effects.length === 0 && this.#notices.length === 0;
  }

  /** Number of journal events of this step so far. */
  get recorded(): number {
    return this.#facts.length;
  }

  /** Highest cost of a buy in mUSD, by the fees that are known, stated or have been taken. */
  readonly costOf = (notional: bigint): bigint => dearestCost(this, notional);

  begin(now: EpochMs): void {
    this.#now = now;
  }

  /** Hands over what the step has brought, and clears it. */
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

  /** Takes listings in, holds the symbols whose new price needs confirmation, and returns what has changed. */
  list(listings: readonly Listing[]): ReturnType<MarketView['list']> {
    const changed = this.market.list(listings);
    for (const { instrument } of listings) {
      const { symbol } = instrument;
      const doubted = this.market.doubted.get(symbol);
      if (!doubted) this.holds.lift('price', symbol);
      else if (
        this.holds.put('price', `a second quote of ${symbol} has to confirm its price`, symbol) &&
        this.concerns(symbol)
      )
        this.notify(
          'alarm',
          `${symbol} jumped to ${formatDecimal(doubted.price)}: no orders on it until the next quote confirms the price`,
        );
    }
    return changed;
  }

  /** True for a stock that is held, or that an intent names. */
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

  /** Adds a notice. A text given as a function is made only where it is read. */
  notify(kind: NoticeKind, text: string | (() => string), owner: string | null = null): void {
    if (this.quiet && kind !== 'alarm') return;
    this.#notices.push({ at: this.#now, kind, owner, text: typeof text === 'string' ? text : text() });
  }

  /** Counts a dropped intent. True when it is to be reported; never while only alarms are raised. */
  countDrop(intent: OrderIntent, why: string): boolean {
    if (this.quiet) return false;
    return this.drops.note(intent, why, { now: this.#now, date: this.accountState.sessionDate });
  }

  /** Freezes a symbol. `shown`: what the venue shows; once an operator has released the symbol from it, it freezes no more. */
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

  /** Freezes the symbol. Where it is frozen already, the alarm is raised all the same. */
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
