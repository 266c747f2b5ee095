import { formatDecimal } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Session, ChangeableCalendar, TradingCalendar } from '../../calendar/index.ts';
import { AccountState } from '../../domain/account/accountState.ts';
import { contentOf } from '../../domain/account/freezes.ts';
import type { Split, Entitlement } from '../../domain/corporateAction.ts';
import { costBy, feeSchedules } from '../../domain/fees.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import type { TradingRules } from '../../domain/limits.ts';
import { rulesWith, type PollingPeriods, type Settings } from '../../domain/operator/settings.ts';
import type { StoredReason } from '../../domain/orders/endCode.ts';
import type { Order, OrderId, OrderEvent } from '../../domain/orders/order.ts';
import type { IntentRefusal, OrderIntent } from '../../domain/orders/orderIntent.ts';
import { transition } from '../../domain/orders/orderMachine.ts';
import type { Listing, SignedSend } from '../../domain/venue.ts';
import type { SyntheticJournalEvent } from '../../domain/orders/syntheticBook.ts';
import type { SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import type { OrderStatus } from '../../strategy/contract.ts';
import { AccountSnapshot } from './accountSnapshot.ts';
import { aboutOrder, type AlarmOf } from './alarmCodes.ts';
import { FetchedTexts } from './fetchedTexts.ts';
import { Holds } from './holds.ts';
import { LatestReads } from './latestReads.ts';
import type { CommandAnswer, Effect } from './kernelEvent.ts';
import { JUMP_PERCENT, MarketView, type DoubtedPrice } from './market.ts';
import { classified, Drops, type Notice, type NoticeKind, Problems } from './notice.ts';
import { precedentsOf, type Precedents } from './precedents.ts';
import { OperatorWords } from './submissions.ts';

/** Reactions of the kernel to changes of orders and intents within the same step. */
export type EngineListeners = Readonly<{
  /** Called when an order has changed: its intent may continue, and its strategy is notified. */
  orderMoved(before: Order, after: Order): void;
  /** Called when an intent waits, is being sent, or has ended, and no order shows that. */
  intentMoved(intent: OrderIntent, status: OrderStatus, reason?: StoredReason): void;
  /** Called when a synthetic order has triggered or ended, with its state before. */
  heldMoved(before: SyntheticState, fact: SyntheticJournalEvent): void;
  /** Called when a strategy's call was refused. */
  intentRefused(refusal: IntentRefusal): void;
  /** Called when a split or a payment has been booked. */
  actionBooked(action: BookedAction): void;
}>;

/** A split that has been booked, or a payment that has arrived. */
export type BookedAction = Readonly<{ split: Split } | { payment: Entitlement }>;

type EngineSetup = Readonly<{
  calendar: TradingCalendar;
  rules: TradingRules;
  /** True if only alarms are raised, because other notices are not read. Default false. */
  quiet?: boolean;
}>;

const hasDrawdown = ({ limits, ownLimits }: TradingRules): boolean =>
  [limits, ...ownLimits.values()].some(({ drawdown }) => drawdown !== undefined);

/** State shared by all parts of the kernel: accounts, market, holds, and the results of the current step. */
export class EngineContext {
  readonly accountState = new AccountState();
  readonly market = new MarketView();
  readonly snapshot = new AccountSnapshot(this.accountState, this.market);
  readonly fetched = new FetchedTexts();
  readonly holds = new Holds();
  readonly reads = new LatestReads();
  readonly operatorWords = new OperatorWords();
  readonly problems = new Problems();
  readonly drops = new Drops();
  readonly calendar: TradingCalendar | ChangeableCalendar;
  /** Number of reloads that changed the trading hours. */
  calendarChanges = 0;
  rules: TradingRules;
  /** True while a drawdown limit is set, which binds even without an order. */
  watchesDrawdown: boolean;
  /** Time of the current step. */
  readonly now: EpochMs = epochMs(0);
  /** Polling periods since the latest reload of the config; null before the first. */
  polling: PollingPeriods | null = null;
  /** True if only alarms are raised. */
  readonly quiet: boolean;
  /** Decisions that a replay takes from its journal. */
  readonly precedents: Precedents = precedentsOf(this);
  /** Strategies already told that a rebalance sells omitted stocks by default. */
  readonly restNoted = new Set<string>();
  /** Subjects of alarms that have not ended. */
  readonly raised = new Set<string>();
  /** Number of changes of orders, transfers and external orders: an account read across a change shows a mixture. */
  moves = 0;
  /** True from recovery until strategies start: external orders found then appeared while no run was watching. */
  isStarting = false;
  /** True for a run of one manual command: waiting intents and synthetic orders are left alone. */
  isManual = false;

  /** Reason against a send while One Click is off, with the remedy. */
  get oneClickOff(): string {
    return this.isManual
      ? 'One Click is off: `drover oneclick enable` turns it on'
      : 'One Click is off: stop the run, "drover oneclick enable", and start it again';
  }
  readonly #listeners: EngineListeners;
  #facts: JournalEntry[] = [];
  #effects: Effect[] = [];
  #notices: Notice[] = [];
  #answers: CommandAnswer[] = [];
  #session: Session | undefined;
  #sessionReadAt = NaN;

  constructor({ calendar, rules, quiet = false }: EngineSetup, listeners: EngineListeners) {
    this.calendar = calendar;
    this.rules = rules;
    this.watchesDrawdown = hasDrawdown(rules);
    this.quiet = quiet;
    this.#listeners = listeners;
  }

  /** The regular session that is open now. */
  get session(): Session | undefined {
    const { now } = this;
    const known = this.#session;
    if (now === this.#sessionReadAt || (known && now >= known.open && now < known.close)) return known;
    this.#sessionReadAt = now;
    return (this.#session = this.calendar.sessionAt(now));
  }

  /** True while this step has no results. */
  isClear(): boolean {
    return this.#facts.length === 0 && this.#effects.length === 0 && this.#notices.length === 0;
  }

  /** Number of journal events in this step so far. */
  get recorded(): number {
    return this.#facts.length;
  }

  /** Highest cost of a buy in mUSD, given the fees that are known, stated or have been charged. */
  readonly costOf = (notional: bigint): bigint => costBy(feeSchedules(this))(notional);

  /** Applies limits, periods and hours of a reloaded config from now on. */
  applySettings(settings: Settings): void {
    if (settings.calendar && 'change' in this.calendar) {
      this.calendar.change(settings.calendar);
      this.calendarChanges++;
      this.#session = undefined;
      this.#sessionReadAt = NaN;
    }
    this.rules = rulesWith(this.rules, settings);
    this.watchesDrawdown = hasDrawdown(this.rules);
    this.polling = settings.polling;
  }

  begin(now: EpochMs): void {
    (this as { now: EpochMs }).now = now;
  }

  /** Returns the results of the step and clears them. */
  finish(): {
    facts: JournalEntry[];
    effects: Effect[];
    notices: Notice[];
    answers: readonly CommandAnswer[];
  } {
    const step = {
      facts: this.#facts,
      effects: this.#effects,
      notices: this.#notices,
      answers: this.#answers,
    };
    if (this.#answers.length > 0) this.#answers = [];
    this.#facts = [];
    this.#effects = [];
    this.#notices = [];
    return step;
  }

  record(fact: JournalEvent): void {
    const entry = { at: this.now, fact };
    if (fact.kind === 'transfer' || fact.kind === 'transferPlanned' || fact.kind === 'external') this.moves++;
    const payment =
      fact.kind === 'paid' || (fact.kind === 'paidInTokens' && fact.parts.length > 0)
        ? this.accountState.actions.unpaid.get(fact.id)
        : undefined;
    const held = this.#heldBefore(fact);
    this.accountState.apply(entry);
    if (fact.kind === 'fetched') this.fetched.note(entry);
    this.#facts.push(entry);
    if (held) this.#listeners.heldMoved(held.state, held.fact);
    if (fact.kind === 'intentRefused') this.#listeners.intentRefused(fact);
    if (fact.kind === 'split') this.market.recall(fact);
    if (fact.kind === 'split') this.#listeners.actionBooked({ split: fact.action });
    else if (payment) this.#listeners.actionBooked({ payment });
  }

  /** Synthetic order in its state before an event that its strategy is notified of. */
  #heldBefore(fact: JournalEvent): Readonly<{ state: SyntheticState; fact: SyntheticJournalEvent }> | null {
    const isHeard =
      fact.kind === 'syntheticEnded' || (fact.kind === 'syntheticMoved' && fact.event.kind === 'triggered');
    return isHeard ? { state: this.accountState.synthetics.of(fact.id), fact } : null;
  }

  /**
   * Records an event that brings a stock into the run. If nothing was recorded of the stock before, this also records
   * the instrument and price that a replay needs.
   */
  recordBringing(symbol: Ticker, fact: JournalEvent): void {
    const isKnown = this.concerns(symbol);
    this.record(fact);
    if (isKnown) return;
    const [instrument, price] = [this.market.instruments.get(symbol), this.market.price(symbol)];
    if (instrument) this.record({ kind: 'instruments', instruments: [instrument] });
    if (price !== null) this.record({ kind: 'quotes', prices: [[symbol, price]], phase: null });
  }

  /** Applies listings, puts holds on symbols whose new price needs a witness, and returns the changes. */
  list(listings: readonly Listing[]): ReturnType<MarketView['list']> {
    const percent = this.rules.limits.jumpPercent ?? JUMP_PERCENT;
    const changed = this.market.list(listings, { now: this.now, percent });
    for (const { instrument } of listings) {
      const { symbol } = instrument;
      this.market.listedAt.set(symbol, this.now);
      const doubted = this.market.doubted.get(symbol);
      if (doubted) this.#doubtPrice(symbol, doubted);
      else this.#confirmPrice(symbol);
    }
    return changed;
  }

  /** Puts a hold on a stock whose price needs a witness. Silent during a start, which may be about to book a split. */
  #doubtPrice(symbol: Ticker, { price, askedAt }: DoubtedPrice): void {
    this.holds.put('price', `the price of ${symbol} jumped and waits for a witness`, symbol);
    if (this.isStarting || !this.concerns(symbol)) return;
    if (this.market.wantsWitness(symbol, this.now)) this.ask({ kind: 'readWitness', symbol });
    if (askedAt !== null) return;
    const known = this.market.price(symbol) ?? this.market.recalled.get(symbol);
    const from = known == null ? '' : ` from ${formatDecimal(known)}`;
    this.alarm(
      `price ${symbol}`,
      `${symbol} jumped${from} to ${formatDecimal(price)}: nothing acts on that price and no orders are sent on it until the venue's ` +
        `token price or its 1m bar shows the same, or it lasts for 30 s (limits.jumpPercent)`,
      { code: 'PRICE_JUMP', symbol },
    );
  }

  #confirmPrice(symbol: Ticker): void {
    const about = `price ${symbol}`;
    if (this.holds.lift('price', symbol) && (this.raised.has(about) || this.concerns(symbol)))
      this.allClear(about, `the price of ${symbol} is confirmed: orders on it continue`);
  }

  /** True for a stock that the account holds, or that an intent or a synthetic order is for. */
  concerns(symbol: Ticker): boolean {
    return (
      this.accountState.ledger.assets.has(symbol) ||
      this.accountState.synthetics.inSymbol(symbol).size > 0 ||
      [...this.accountState.intents.values()].some((intent) => intent.symbol === symbol)
    );
  }

  /** Reports the status of an intent that no order shows. */
  intentMoved(intent: OrderIntent, status: OrderStatus, reason?: StoredReason): void {
    this.#listeners.intentMoved(intent, status, reason);
  }

  /** Answers an operator's command once the journal events of this step are durable. */
  answer(answer: CommandAnswer): void {
    this.#answers.push(answer);
  }

  ask(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** Adds a notice. A text given as a function is built only if it is read. `of`: its strategy, and the code of an alarm. */
  notify(kind: NoticeKind, text: string | (() => string), of: AlarmOf | string | null = null): void {
    if (this.quiet && kind !== 'alarm') return;
    const shown = typeof text === 'string' ? text : text();
    this.#notices.push({ at: this.now, kind, text: shown, ...classified(kind, of) });
  }

  /** Raises a lasting alarm, which `allClear` with the same subject ends. */
  alarm(about: string, text: string, of: AlarmOf): void {
    this.raised.add(about);
    this.#notices.push({ at: this.now, kind: 'alarm', text, about, ...classified('alarm', of) });
  }

  /** Reports that the cause of an alarm is over. */
  allClear(about: string, text: string, strategyId: string | null = null): void {
    this.raised.delete(about);
    if (this.quiet) return;
    this.#notices.push({ at: this.now, kind: 'clear', strategyId, text, about });
  }

  /** Counts a dropped intent. True if it should be reported; never while only alarms are raised. */
  countDrop(intent: Pick<OrderIntent, 'strategyId' | 'symbol'>, why: string): boolean {
    if (this.quiet) return false;
    return this.drops.note(intent, why, { now: this.now, date: this.accountState.sessionDate });
  }

  /**
   * Freezes a symbol, or adds a cause to one that is frozen. `shown`: state at the venue that freezes no more once an
   * operator has released the symbol from it. `guards`: the freeze does not stop sells that protect.
   */
  freeze(
    symbol: Ticker,
    why: string,
    of: Readonly<{ shown?: string | undefined; guards?: 'buys' }> = {},
  ): void {
    const { frozen, freezes } = this.accountState;
    const { shown, guards } = of;
    const cause = {
      symbol,
      why,
      ...(shown === undefined ? {} : { shown }),
      ...(guards === undefined ? {} : { guards }),
    };
    const isFrozen = frozen.has(symbol);
    if (freezes.isKnown(cause) || (isFrozen && !this.precedents.keepsCause())) return;
    this.record({ kind: 'frozen', ...cause });
    this.alarm(
      `frozen ${symbol}`,
      `${symbol} is frozen${isFrozen ? ' for another reason as well' : ''}: ${why}`,
      { code: 'FROZEN', symbol },
    );
  }

  /** Ends the one cause of a freeze that is over by itself; other causes keep the symbol frozen. */
  unfreeze(symbol: Ticker, over: string, reason: string): void {
    this.record({ kind: 'released', symbol, reason, over });
    const still = this.accountState.frozen.get(symbol);
    if (still === undefined) this.allClear(`frozen ${symbol}`, `${symbol} is no longer frozen: ${reason}`);
    else this.notify('info', `${symbol} stays frozen, although ${reason}: ${still}`);
  }

  /** Applies an event to an order. An impossible event freezes its symbol and changes nothing else. */
  move(id: OrderId, event: OrderEvent, request?: SignedSend): boolean {
    const before = this.accountState.order(id);
    const result = transition(before, event);
    if (result.kind === 'stale') return false;
    if (result.kind === 'illegal') {
      const why = `order ${id}: ${result.rule}`;
      const shown = event.kind === 'reported' ? `${why}: ${contentOf(event.report)}` : undefined;
      this.freeze(before.terms.symbol, why, { shown });
      return false;
    }
    this.moves++;
    const fact: JournalEvent = request ? { kind: 'order', id, event, request } : { kind: 'order', id, event };
    this.#facts.push({ at: this.now, fact });
    this.accountState.advance({ before, after: result.order, event, request }, this.now);
    if (result.warning !== undefined)
      this.notify('alarm', `order ${id}: ${result.warning}`, aboutOrder('ORDER_CONTRADICTED', before));
    if (result.alarm !== undefined) this.freeze(before.terms.symbol, `order ${id}: ${result.alarm}`);
    if (this.rules.confirmsBalance) this.#await(result.order);
    this.#listeners.orderMoved(before, result.order);
    return true;
  }

  #await({ state, terms }: Order): void {
    if (state.kind !== 'closed' || !state.settlement) return;
    const asset = terms.side === 'buy' ? terms.symbol : 'mUSD';
    this.reads.unshown.set(asset, (this.reads.unshown.get(asset) ?? 0n) + state.settlement.receive);
  }
}
