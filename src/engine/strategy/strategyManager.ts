import type { Quote, QuotePhase, Ticker, Instrument } from '../../domain/instrument.ts';
import type { BookedAction, EngineContext } from '../state/engineContext.ts';
import type { HookCall } from './strategyRuntime.ts';
import { reportDay } from '../account/dayReport.ts';
import { StrategyInstance, type StrategySetup } from './strategyInstance.ts';
import type { Session } from '../../calendar/index.ts';
import { toNumber } from '../../core/amount.ts';
import { InvariantError } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import type { StoredReason } from '../../domain/orders/endCode.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { SyntheticJournalEvent } from '../../domain/orders/syntheticBook.ts';
import type { SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import { BarNews } from './barNews.ts';
import { heldUpdate } from './heldView.ts';
import type { IntentRefusal, OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OrderStatus, OrderView } from '../../strategy/contract.ts';
import { sessionEquity } from '../state/exposure.ts';
import { recordTokenPrices } from '../state/tokenPrices.ts';
import { awaitedEvent, gapsNow, historyOf } from './warmUp.ts';
import type { IntentExecutor } from '../intents/executor.ts';
import { quoteNews } from './quoteNews.ts';
import { symbolsOf } from '../../strategy/dataNeeds.ts';
import { refusalView, statusOf, viewAs } from './view.ts';
import type { OpenIntents, ReplayHooks } from '../intents/intents.ts';
import type { SyntheticOrders } from '../synthetic/syntheticOrders.ts';

type MarketChange = Readonly<{ instruments: readonly Instrument[]; quotes: readonly Quote[] }>;

type News = Readonly<{ kind: 'fill'; order: Order } | { kind: 'call'; strategyId: string; call: HookCall }>;

type ManagerParts = Readonly<{ executor: IntentExecutor; intents: OpenIntents; synthetics: SyntheticOrders }>;

/** Maximum number of hook calls caused by one event: more means that strategies react to each other endlessly. */
const NEWS_MAX = 100_000;

/** Manages the strategies of a run: shows them the market, and reports the outcomes of their orders. */
export class StrategyManager {
  readonly all: ReadonlyMap<string, StrategyInstance>;
  readonly barNews: BarNews;
  readonly #context: EngineContext;
  readonly #parts: ManagerParts;
  readonly #news: News[] = [];
  readonly named: ReadonlySet<string>;
  readonly #hasThreads: boolean;
  #phase: 'building' | 'acting' | 'manual' | 'stopping' | 'silent' = 'building';
  /** Number of intents without an order. */
  #waiting = 0;
  #before: ReadonlySet<string> = new Set();

  constructor(context: EngineContext, parts: ManagerParts, setups: readonly StrategySetup[]) {
    this.#context = context;
    this.#parts = parts;
    this.all = new Map(setups.map((setup) => [setup.id, new StrategyInstance(context, parts, setup)]));
    this.#hasThreads = [...this.all.values()].some(({ isInThread }) => isInThread);
    this.barNews = new BarNews(context, this.all, {
      noteBar: (bar) => this.noteBar(bar),
      warmed: (strategy) => this.#endWarmUp(strategy),
    });
    this.named = new Set(setups.flatMap(({ needs }) => [...symbolsOf(needs)]));
  }

  /** Shows old bars in chronological order; each strategy sees as many of the last ones as it requested. */
  warm(bars: readonly Bar[]): void {
    for (const strategy of this.all.values()) strategy.build();
    const shown = this.barNews.warmUpOf(bars);
    for (const bar of bars) {
      if (!this.barNews.append(bar)) continue;
      this.#context.record({ kind: 'bar', bar: Object.freeze(bar), warm: true });
      for (const [strategy, own] of shown) if (own.has(bar)) strategy.warm(bar);
    }
  }

  /** Rebuilds the strategies that watch a stock on its new bars, after a split changed the meaning of its prices. */
  rewarm(symbol: Ticker, bars: readonly Bar[]): void {
    const watching = [...this.all.values()].filter(({ setup }) =>
      setup.needs.bars?.some((need) => need.symbol === symbol),
    );
    this.#context.market.forgetBars(symbol);
    for (const bar of bars)
      if (this.barNews.append(bar)) this.#context.record({ kind: 'bar', bar, warm: true });
    if (this.#phase !== 'acting') return;
    if (bars.length === 0 && watching.length > 0) this.#context.record({ kind: 'rewarmed', symbol });
    for (const strategy of watching) {
      strategy.keepState();
      strategy.rebuild(historyOf(this.#context, strategy.setup));
      if (strategy.isWarming()) this.#endWarmUp(strategy);
    }
  }

  /** Starts the strategies. `awaited`: ids of those that wait until their warm-up bars are complete. */
  start(awaited: readonly string[] = []): void {
    const { accountState } = this.#context;
    this.#phase = this.#context.isManual ? 'manual' : 'acting';
    if (this.#phase === 'manual') return void (this.#before = new Set(accountState.intents.keys()));
    this.#recordMarket();
    for (const { id, setup } of this.all.values())
      if (awaited.includes(id)) this.#context.record(awaitedEvent(id, gapsNow(this.#context.market, setup)));
    for (const { id, strategyId, command, parent } of [...accountState.intents.values()])
      if (!this.all.has(strategyId) && command === undefined && parent === undefined)
        this.#parts.intents.cancel(id, 'its strategy is not run any more', 'STRATEGY_STOPPED');
    this.#parts.synthetics.started(this.all);
    for (const id of accountState.undelivered)
      this.#news.push({ kind: 'fill', order: accountState.order(id) });
    for (const strategy of this.all.values()) if (!strategy.isWarming()) strategy.start();
  }

  /** Starts a strategy whose warm-up is complete, and delivers the fills it has missed. */
  #endWarmUp(strategy: StrategyInstance): void {
    const { accountState } = this.#context;
    const { id } = strategy;
    if (gapsNow(this.#context.market, strategy.setup).length > 0) return;
    this.#context.record({ kind: 'warmedUp', strategyId: id });
    // An error of its own may have stopped it by now.
    if (strategy.isRunning())
      this.#context.notify('strategy', 'its warm-up is complete: it decides from now on', id);
    for (const order of [...accountState.undelivered].map((orderId) => accountState.order(orderId)))
      if (order.strategyId === id) this.#news.push({ kind: 'fill', order });
    strategy.start();
  }

  /** Ends the strategies' decisions. Outcomes of orders are still reported until the end. */
  stop(): void {
    if (this.#phase === 'manual') return this.#parts.intents.endUnsent(this.#before);
    if (this.#phase !== 'acting') return;
    this.#phase = 'stopping';
    this.#context.record({ kind: 'stopping' });
    for (const strategy of this.all.values()) strategy.stop();
    this.#keep();
  }

  /** Waits for promises that the strategies' hooks left behind, at the end of the run. */
  settle(): void {
    if (this.#phase === 'building') return;
    for (const strategy of this.all.values()) strategy.settle();
    this.#keep();
  }

  /** Stops calling strategies: in a replay, their decisions from here on are in the journal. */
  silence(): void {
    this.#phase = 'silent';
  }

  /** Marks orders that trade by volume for a check on this bar. */
  noteBar(bar: Bar): void {
    if (this.#holdsOrders()) this.#parts.synthetics.barEnded(bar);
  }

  /** True when there is neither news to deliver nor an intent that could become an order. */
  isIdle(): boolean {
    if (this.#news.length > 0 || this.#waiting > 0) return false;
    return !this.#holdsOrders() || this.#parts.synthetics.isAtRest;
  }

  /** True while there are synthetic orders. */
  #holdsOrders(): boolean {
    return this.#context.accountState.synthetics.live.size > 0;
  }

  /** Next time at which an order continues without other news; Infinity if none. */
  nextDue(): number {
    if (this.#phase !== 'acting') return Infinity;
    const ofIntents = this.#context.accountState.intents.size > 0 ? this.#parts.executor.nextDue : Infinity;
    return this.#holdsOrders() ? Math.min(ofIntents, this.#parts.synthetics.nextDue) : ofIntents;
  }

  /** Applies the market changes of a read: records the relevant symbols, and calls the strategies that receive them. */
  listed({ instruments, quotes }: MarketChange): void {
    if (this.#phase !== 'acting') return;
    const { phase, current, past } = quoteNews(this.#context, this.all.values(), quotes);
    this.instruments(instruments);
    this.#recordQuotes(past, null);
    this.quotes(current, phase);
    this.#parts.synthetics.pricedAll();
  }

  /**
   * Records quotes of a phase and calls their strategies. Quotes without a phase are from a journal of 0.4.0 or
   * earlier, in which every strategy with the symbol received them.
   */
  quotes(quotes: readonly Quote[], phase: QuotePhase | null | undefined): void {
    if (this.#phase !== 'acting') return;
    this.#recordQuotes(quotes, phase);
    if (this.#holdsOrders()) for (const { symbol } of quotes) this.#parts.synthetics.priced(symbol);
    for (const quote of quotes)
      for (const strategy of this.all.values())
        if (this.#hears(strategy, quote, phase)) this.#deliverQuote(strategy, quote);
  }

  /** Applies a price within a bar, which only synthetic orders see. */
  touched(quote: Quote, phase: QuotePhase): void {
    this.#recordQuotes([quote], phase);
    this.#parts.synthetics.priced(quote.symbol);
  }

  #hears({ id, quotePhases }: StrategyInstance, quote: Quote, phase: QuotePhase | null | undefined): boolean {
    const phases = quotePhases.get(quote.symbol);
    if (!phases || phase === undefined) return phases !== undefined;
    return phase !== null && phases.has(phase) && this.#context.market.isNews(id, quote);
  }

  #deliverQuote(strategy: StrategyInstance, quote: Quote): void {
    const { market, now } = this.#context;
    market.noteDelivered(strategy.id, quote, now);
    strategy.call({ hook: 'onQuote', symbol: quote.symbol, price: toNumber(quote.price) });
  }

  /**
   * Records everything known about relevant symbols, because the first decisions are based on it. Its prices count as
   * delivered.
   */
  #recordMarket(): void {
    const { market, now } = this.#context;
    const instruments = [...market.instruments.values()];
    const quotes = instruments.flatMap(({ symbol }) => market.quote(symbol) ?? []);
    this.instruments(instruments);
    this.#recordQuotes(quotes);
    recordTokenPrices(this.#context, market.tokens.values());
    for (const { id, quotePhases } of this.all.values())
      for (const quote of quotes) if (quotePhases.has(quote.symbol)) market.noteDelivered(id, quote, now);
    const [strategies, alone] = [[...this.all.keys()], [...this.#context.accountState.restarts.alone]];
    this.#context.record({ kind: 'started', strategies, ...(alone.length > 0 && { alone }) });
  }

  /** Records changes of relevant instruments. */
  instruments(changed: readonly Instrument[]): void {
    const instruments = changed.filter(({ symbol }) => this.#matters(symbol));
    if (instruments.length > 0) this.#context.record({ kind: 'instruments', instruments });
  }

  #recordQuotes(changed: readonly Quote[], phase?: QuotePhase | null): void {
    const prices = changed.flatMap(({ symbol, price }) =>
      this.#matters(symbol) ? [[symbol, price] as const] : [],
    );
    if (prices.length === 0) return;
    const { market, now } = this.#context;
    for (const [symbol] of prices) market.knownSince.set(symbol, now);
    this.#context.record({ kind: 'quotes', prices, ...(phase === undefined ? {} : { phase }) });
  }

  #matters(symbol: Ticker): boolean {
    return this.named.has(symbol) || this.#context.concerns(symbol);
  }

  timer(strategyId: string, timer: string): void {
    this.#context.record({ kind: 'timer', strategyId, timer });
    this.all.get(strategyId)?.call({ hook: 'onTimer', timer });
  }

  session(change: 'opened' | 'closed', session: Session): void {
    const equity = sessionEquity(this.#context, this.all.keys(), session);
    this.#context.record({ kind: 'session', change, date: session.date, equity });
    const text = () => `session of ${session.date} ${change}${session.early ? ' (early close)' : ''}`;
    this.#context.notify('session', text);
    if (this.#holdsOrders()) this.#parts.synthetics.lookAtAll();
    if (change === 'closed') reportDay(this.#context, [...this.all.keys()], session);
    for (const strategy of this.all.values()) strategy.call({ hook: 'onSession', session, change });
  }

  /**
   * Queues a strategy's notifications of an order change. Before strategies start, nothing is queued: fills stay
   * undelivered.
   */
  orderMoved(before: Order, after: Order): void {
    const intent = this.#context.accountState.intents.get(after.intentId);
    if (intent && statusOf(before) !== statusOf(after)) this.intentMoved(intent, statusOf(after));
    if (this.#phase !== 'building' && this.#context.accountState.undelivered.has(after.id))
      this.#news.push({ kind: 'fill', order: after });
  }

  /** Queues the calls of strategies affected by a split or a payment. One before the start is not delivered. */
  actionBooked(action: BookedAction): void {
    if (this.#phase !== 'acting') return;
    for (const strategy of this.all.values()) {
      const call = actionCall(this.#context, strategy, action);
      if (call) this.#news.push({ kind: 'call', strategyId: strategy.id, call });
    }
  }

  /** Queues an update for the strategy of a synthetic order that has triggered or ended. */
  heldMoved(before: SyntheticState, fact: SyntheticJournalEvent): void {
    this.#update(before.order, () => heldUpdate(this.#context, before, fact));
  }

  /** Queues an update for the strategy of an intent, if it receives updates. */
  intentMoved(intent: OrderIntent, status: OrderStatus, reason?: StoredReason): void {
    this.#update(intent, () => viewAs(this.#context, intent, { status, reason }));
  }

  /** Queues an update for the strategy of a refused call, if it receives updates. */
  intentRefused(refusal: IntentRefusal): void {
    this.#update(refusal, () => refusalView(refusal));
  }

  #update({ strategyId }: Pick<OrderIntent, 'strategyId'>, view: () => OrderView): void {
    if (this.all.get(strategyId)?.hearsOrders)
      this.#news.push({ kind: 'call', strategyId, call: { hook: 'onOrder', update: view() } });
  }

  /**
   * Turns intents into orders and reports their outcomes to strategies, which may create new intents, until nothing is
   * left. `replayed`: input that a replay takes from its journal.
   */
  drain(replayed?: ReplayHooks): void {
    if (this.#phase === 'building' || this.#phase === 'silent') return;
    this.#deliver(replayed);
    if (this.#phase === 'acting' && (this.#hasThreads || this.#context.precedents.restartOf))
      for (const strategy of this.all.values()) if (strategy.resume()) this.#deliver(replayed);
    this.#keep();
  }

  #deliver(replayed: ReplayHooks | undefined): void {
    this.#pump(replayed);
    for (let delivered = 0; this.#news.length > 0; delivered++) {
      if (delivered > NEWS_MAX) throw new InvariantError('strategies answer their own orders without end');
      const news = this.#news.shift();
      if (news?.kind === 'fill') this.all.get(news.order.strategyId)?.deliverFill(news.order);
      if (news?.kind === 'call') this.all.get(news.strategyId)?.call(news.call);
      this.#pump(replayed);
    }
  }

  #pump(replayed: ReplayHooks | undefined): void {
    if (this.#phase === 'stopping') this.#parts.synthetics.check();
    if (this.#phase === 'manual')
      this.#waiting = this.#parts.executor.pump(({ id }) => !this.#before.has(id));
    if (this.#phase !== 'acting') return;
    const { intents, intentCount } = this.#context.accountState;
    const { hasPhases, isClear, settledAt } = this.#parts.executor;
    const isAtRest = !this.#holdsOrders() && !hasPhases;
    if (replayed)
      do this.#waiting = this.#parts.executor.pump(replayed.isDue);
      while (replayed.carryOn());
    else if (isAtRest && (settledAt === intentCount || (intents.size === 0 && isClear))) this.#waiting = 0;
    else
      do {
        this.#parts.synthetics.check();
        this.#waiting = this.#parts.executor.pump();
      } while (this.#parts.synthetics.check());
  }

  #keep(): void {
    for (const strategy of this.all.values()) strategy.keep(this.#phase === 'stopping');
  }
}

/** Hook call for a split or a payment; null if it does not affect the strategy. */
export function actionCall(
  { accountState: { ledger } }: EngineContext,
  strategy: Pick<StrategyInstance, 'id' | 'knows'>,
  action: BookedAction,
): HookCall | null {
  if ('split' in action) {
    const { symbol, exDate } = action.split;
    if (!strategy.knows(symbol) && ledger.held(strategy.id, symbol) === 0n) return null;
    const [oldRate, newRate] = [toNumber(action.split.oldRate), toNumber(action.split.newRate)];
    const split = { symbol, oldRate, newRate, ratio: newRate / oldRate, exDate };
    return { hook: 'onSplit', split: Object.freeze(split) };
  }
  const { action: announced, parts } = action.payment;
  const amount = parts.find(([id]) => id === strategy.id)?.[1];
  if (amount === undefined) return null;
  const { symbol, exDate, perShare } = announced;
  const dividend = { symbol, amount: toNumber(amount), perShare: toNumber(perShare), exDate };
  return { hook: 'onDividend', dividend: Object.freeze(dividend) };
}
