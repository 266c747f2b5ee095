import type { Session, TradingCalendar } from '../calendar/index.ts';
import { formatDecimal, type Shares } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { Books } from '../domain/books.ts';
import type { FeeSchedule } from '../domain/documented.ts';
import type { Entry, Fact } from '../domain/fact.ts';
import { contentOf } from '../domain/freezes.ts';
import type { Address, Ticker } from '../domain/instrument.ts';
import type { Asset, Holding } from '../domain/ledger.ts';
import type { Limits } from '../domain/limits.ts';
import type { Order, OrderId } from '../domain/order.ts';
import { transition, type OrderEvent } from '../domain/orderMachine.ts';
import type { OperationId } from '../domain/operation.ts';
import type { Listing, SignedSend } from '../domain/venue.ts';
import type { Wish } from '../domain/wish.ts';
import type { OrderStatus } from '../strategy/contract.ts';
import { Drops } from './drops.ts';
import { Holds } from './holds.ts';
import { MarketView } from './market.ts';
import type { Notice, NoticeKind } from './notice.ts';
import { dearestCost } from './feeSchedules.ts';
import { OperatorWords } from './operatorWords.ts';
import { Problems } from './problems.ts';

/** What the kernel asks of the world. Carried out only after the facts of its turn are durable. */
export type Effect = Readonly<
  | { kind: 'place'; id: OrderId }
  | { kind: 'cancel'; id: OrderId }
  | { kind: 'look'; id: OrderId }
  | { kind: 'operate'; id: OperationId }
  | Reading
>;

/** The account or the list of corporate actions is to be read now, or the bars of a stock once more. */
export type Reading = Readonly<
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

/** What an order's change sets going: planning sees the end of it, its strategy hears of it. */
export type OrderListener = (before: Order, after: Order) => void;

/** A wish waits, or has ended without an order to tell it by. */
export type WishListener = (wish: Wish, status: OrderStatus) => void;

/** A sell lacks so much stock on the exchange. True: it is on its way, and the sell waits. */
export type LackListener = (wish: Wish, missing: Shares) => boolean;

/** The kernel's table: what is believed, what is known of the market, and what this turn has brought so far. */
export class Desk {
  readonly books = new Books();
  readonly market = new MarketView();
  readonly holds = new Holds();
  readonly words = new OperatorWords();
  readonly problems = new Problems();
  readonly drops = new Drops();
  readonly calendar: TradingCalendar;
  readonly rules: TradingRules;
  /** Nobody listens: only alarms are told. */
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
  onOrder: OrderListener = () => undefined;
  onWish: WishListener = () => undefined;
  onLack: LackListener = () => false;
  #now = epochMs(0);
  #facts: Entry[] = [];
  #effects: Effect[] = [];
  #notices: Notice[] = [];

  #session: Session | undefined;

  constructor(calendar: TradingCalendar, rules: TradingRules, quiet = false) {
    this.calendar = calendar;
    this.rules = rules;
    this.quiet = quiet;
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
  finish(): { facts: Entry[]; effects: Effect[]; notices: Notice[] } {
    const turn = { facts: this.#facts, effects: this.#effects, notices: this.#notices };
    this.#facts = [];
    this.#effects = [];
    this.#notices = [];
    return turn;
  }

  record(fact: Fact): void {
    const entry = { at: this.#now, fact };
    this.books.apply(entry);
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
        this.tell(
          'alarm',
          `the price of ${symbol} went to ${formatDecimal(doubted.price)} at once: no orders on it until the next says the same`,
        );
    }
    return changed;
  }

  /** Whether there is something of it, or somebody wants it. */
  concerns(symbol: Ticker): boolean {
    return (
      this.books.ledger.assets.has(symbol) ||
      [...this.books.wishes.values()].some((wish) => wish.symbol === symbol)
    );
  }

  ask(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** A text given as a function is made only where somebody listens. */
  tell(kind: NoticeKind, text: string | (() => string), owner: string | null = null): void {
    if (this.quiet && kind !== 'alarm') return;
    this.#notices.push({ at: this.#now, kind, owner, text: typeof text === 'string' ? text : text() });
  }

  /** Counts a wish that was dropped; true when people are to be told. Nothing where nobody listens. */
  notesDrop(wish: Wish, why: string): boolean {
    if (this.quiet) return false;
    return this.drops.note(wish, why, { now: this.#now, date: this.books.sessionDate });
  }

  /** `shown`: what the venue shows, and may show again: once an operator has released the symbol from it, it freezes no more. */
  freeze(symbol: Ticker, why: string, shown?: string): void {
    const { frozen, freezes } = this.books;
    if (frozen.has(symbol) || (shown !== undefined && freezes.isAccepted(symbol, shown))) return;
    this.record({ kind: 'frozen', symbol, why, ...(shown === undefined ? {} : { shown }) });
    this.tell('alarm', `${symbol} is frozen: ${why}`);
  }

  /** Moves an order. An impossible event freezes its symbol and changes nothing else. */
  move(id: OrderId, event: OrderEvent, request?: SignedSend): boolean {
    const before = this.books.order(id);
    const result = transition(before, event);
    if (result.kind === 'stale') return false;
    if (result.kind === 'illegal') {
      const why = `order ${id}: ${result.rule}`;
      const shown = event.kind === 'reported' ? `${why}: ${contentOf(event.report)}` : undefined;
      this.freeze(before.terms.symbol, why, shown);
      return false;
    }
    const fact: Fact = request ? { kind: 'order', id, event, request } : { kind: 'order', id, event };
    this.#facts.push({ at: this.#now, fact });
    this.books.advance({ before, after: result.order, event, request }, this.#now);
    if (result.warning !== undefined) this.tell('alarm', `order ${id}: ${result.warning}`, before.owner);
    if (result.alarm !== undefined) this.#alarm(before.terms.symbol, `order ${id}: ${result.alarm}`);
    if (this.rules.confirmsBalance) this.#await(result.order);
    this.onOrder(before, result.order);
    return true;
  }

  /** Freezes the symbol; where it is frozen already, what has happened is told all the same. */
  #alarm(symbol: Ticker, why: string): void {
    if (this.books.frozen.has(symbol)) this.tell('alarm', why);
    else this.freeze(symbol, why);
  }

  #await({ state, terms }: Order): void {
    if (state.kind !== 'closed' || !state.settlement) return;
    const asset = terms.side === 'buy' ? terms.symbol : 'mUSD';
    this.unshown.set(asset, (this.unshown.get(asset) ?? 0n) + state.settlement.receive);
  }

  liveOf(filter: Readonly<{ owner?: string; symbol?: Ticker; wish?: string }>): Order[] {
    const { owner, symbol, wish } = filter;
    const found: Order[] = [];
    for (const order of this.books.live.values())
      if (
        (owner === undefined || order.owner === owner) &&
        (symbol === undefined || order.terms.symbol === symbol) &&
        (wish === undefined || order.wish === wish)
      )
        found.push(order);
    return found;
  }
}
