import { price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import { rescalePrice, type Split } from '../../domain/corporateAction.ts';
import type { JournalEntry, JournalEvent, JournalEventOf } from '../../domain/journalEvent.ts';
import type { Quote, Ticker } from '../../domain/instrument.ts';
import type { OrderId, OrderEvent } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { isExitSale } from '../../domain/orders/syntheticOrder.ts';
import type { OperatorCommand } from '../../domain/operator/command.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { recallTokenPrices } from '../state/tokenPrices.ts';
import { replaySeries } from '../strategy/seriesNews.ts';

/** Kinds of decisions, which are never inputs of the replay. */
const DECISIONS: ReadonlySet<JournalEvent['kind']> = new Set([
  'intentCreated',
  'intentDeferred',
  'intentEnded',
  'intentRefused',
  'syntheticPlaced',
  'planned',
  'fillDelivered',
  'strategyState',
  'strategyStopped',
  'warmedUp',
]);

/** True for a step of a synthetic order; adjustments by its strategy are decisions. */
const isStepOfHeld = (fact: JournalEvent): boolean =>
  fact.kind === 'syntheticEnded' || (fact.kind === 'syntheticMoved' && fact.event.kind !== 'adjusted');

type ReplayedKernel = Pick<Kernel, 'context' | 'strategies' | 'intents' | 'operator' | 'fold'>;

/** Steps of the kernel for a replay: journaled inputs are passed in again, and decisions are made again. */
export class ReplaySteps {
  readonly #kernel: ReplayedKernel;
  readonly #quotes = new Map<Ticker, Quote>();
  #entries: readonly JournalEntry[] = [];
  #index = 0;
  /** Number of journal events that this step has already produced. */
  #taken = 0;
  /** `waiting`: until strategies are built and started. */
  #phase: 'waiting' | 'acting' | 'stopped' = 'waiting';

  constructor(kernel: ReplayedKernel) {
    this.#kernel = kernel;
    // Until a process starts, the phases in which stocks trade are known from earlier processes.
    for (const each of kernel.fold.instruments.values())
      kernel.context.market.instruments.set(each.symbol, each);
    kernel.context.precedents.keepsCause = () => this.#next()?.kind === 'frozen';
    kernel.context.precedents.keepsRemarks = false;
    kernel.context.precedents.restartOf = (id) => {
      const next = this.#next();
      return next?.kind === 'strategyRestarted' && next.strategyId === id
        ? { message: next.why, alone: next.alone }
        : null;
    };
    kernel.context.precedents.lacksNone = () => {
      const next = this.#next();
      return next?.kind !== 'intentEnded' || next.code !== 'FROZEN';
    };
  }

  /**
   * Replays one entry and the decisions that follow it. Returns the events that the journal should have from there on,
   * at least one; none if the journal has a decision without a cause.
   */
  take(entries: readonly JournalEntry[], index: number): readonly JournalEntry[] {
    const { context, strategies } = this.#kernel;
    this.#entries = entries;
    this.#index = index;
    this.#taken = 0;
    const { at } = this.#entry(index);
    context.begin(at);
    // An input that only led to a decision is not in the journal, for example a read of the account.
    const facts = this.#input(this.#entry(index).fact) ? context.finish().facts : [];
    const next = entries[index + facts.length];
    if (facts.length > 0 && next?.at === at && !this.#isDecision(next.fact)) return facts;
    this.#taken = facts.length;
    strategies.drain({ isDue: (intent) => this.#isDue(intent), carryOn: () => this.#carryOn() });
    return [...facts, ...context.finish().facts];
  }

  #entry(index: number): JournalEntry {
    const entry = this.#entries[index];
    if (!entry) throw new InvariantError(`the journal has no entry ${index}`);
    return entry;
  }

  /** Passes in an entry; false if it is not an input. */
  #input(fact: JournalEvent): boolean {
    const { context } = this.#kernel;
    if (this.#phase === 'waiting' && BUILDS.has(fact.kind) && this.#begin()) return true;
    if (this.#phase === 'acting' && this.#isDecision(fact)) return false;
    if (this.#phase === 'acting' && (this.#shown(fact) || this.#steered(fact))) return true;
    if (fact.kind === 'stopping') this.#stop();
    if (fact.kind === 'order') this.#move(fact);
    else context.record(fact);
    if (fact.kind === 'series') replaySeries(this.#kernel.strategies.all, fact);
    if (fact.kind === 'split') this.#rescale(fact.action);
    if (fact.kind === 'operator' && fact.command.kind === 'reload' && fact.command.settings)
      context.applySettings(fact.command.settings);
    return true;
  }

  /** Silences the strategies: from here on, their decisions are taken from the journal. */
  #stop(): void {
    this.#phase = 'stopped';
    this.#kernel.strategies.silence();
  }

  /** Builds the strategies with their warm-up bars and starts them on the market known at that time. */
  #begin(): boolean {
    const { context, strategies } = this.#kernel;
    const upcoming = this.#entries.slice(this.#index);
    const count = upcoming.findIndex(({ fact }) => fact.kind === 'started');
    const ends = upcoming.findIndex(({ fact }) => fact.kind === 'ended' || fact.kind === 'epoch');
    if (count < 0 || (ends >= 0 && ends < count)) return false;
    const bars: Bar[] = [];
    context.market.instruments.clear();
    for (const { at, fact } of upcoming.slice(0, count)) {
      if (fact.kind === 'bar') bars.push(fact.bar);
      else this.#learn(fact, at);
    }
    strategies.warm(bars);
    const { at, fact } = this.#entry(this.#index + count);
    // Starts of 0.8.0 and earlier do not list their strategies.
    context.precedents.countsBuys = fact.kind === 'started' && fact.strategies !== undefined;
    context.begin(at);
    this.#phase = 'acting';
    strategies.start(awaitedFrom(upcoming.slice(count + 1)));
    return true;
  }

  /** Passes in an event that strategies see. False for any other. */
  #shown(fact: JournalEvent): boolean {
    const { context, strategies } = this.#kernel;
    switch (fact.kind) {
      case 'bar':
        if (fact.warm) strategies.rewarm(fact.bar.symbol, this.#warmBars(fact.bar.symbol));
        else strategies.barNews.show(fact.bar);
        return true;
      case 'rewarmed':
        strategies.rewarm(fact.symbol, []);
        return true;
      case 'barsShown':
        strategies.barNews.showTogether();
        return true;
      case 'strategyRestarted':
        strategies.all.get(fact.strategyId)?.resume();
        return true;
      case 'timer':
        strategies.timer(fact.strategyId, fact.timer);
        return true;
      case 'session': {
        const session = context.calendar.sessionOn(fact.date);
        if (session) strategies.session(fact.change, session);
        return session !== undefined;
      }
      case 'instruments':
        this.#learn(fact, context.now);
        strategies.instruments(fact.instruments);
        return true;
      case 'quotes':
        strategies.quotes(this.#learn(fact, context.now), fact.phase);
        return true;
      case 'tokenPrices':
        recallTokenPrices(context, fact);
        context.record(fact);
        return true;
      default:
        return false;
    }
  }

  /**
   * Passes in commands whose consequences are decided again. False for any other event: decisions that an operator made
   * on a read account are taken from the journal, and so are the times at which a flatten sells.
   */
  #steered(fact: JournalEvent): boolean {
    const { operator } = this.#kernel;
    if (fact.kind === 'flattened') operator.endFlatten(fact);
    else if (fact.kind === 'operator' && isDecidedAtOnce(fact.command)) operator.take(fact);
    else return false;
    return true;
  }

  /** Bars of a stock that are shown again after a split, from here on. */
  #warmBars(symbol: Ticker): Bar[] {
    const bars: Bar[] = [];
    for (let index = this.#index; ; index++) {
      const fact = this.#entries[index]?.fact;
      if (fact?.kind !== 'bar' || !fact.warm || fact.bar.symbol !== symbol) return bars;
      bars.push(fact.bar);
    }
  }

  /** Applies the recorded market and returns its quotes. */
  #learn(fact: JournalEvent, at: EpochMs): readonly Quote[] {
    const { market } = this.#kernel.context;
    if (fact.kind === 'tokenPrices') recallTokenPrices(this.#kernel.context, fact);
    if (fact.kind === 'instruments')
      for (const instrument of fact.instruments) market.instruments.set(instrument.symbol, instrument);
    if (fact.kind !== 'quotes') return [];
    const quotes = fact.prices.map(([symbol, price]) => ({ symbol, price, at }));
    for (const quote of quotes) {
      this.#quotes.set(quote.symbol, quote);
      market.follow(quote.symbol, () => this.#quoteOf(quote.symbol), []);
    }
    return quotes;
  }

  /** Adjusts a price from before a split, until the next price is shown. */
  #rescale(split: Split): void {
    const { calendar, market } = this.#kernel.context;
    const { open } = calendar.sessionFrom(split.exDate);
    market.movePrice(split.symbol, open, (before) => price(rescalePrice(before, split)));
    const known = this.#quotes.get(split.symbol);
    if (!known || known.at >= open) return;
    this.#quotes.set(split.symbol, { ...known, price: price(rescalePrice(known.price, split)) });
  }

  /** Latest quote, dated now: whether it was too old is not decided again. */
  #quoteOf(symbol: Ticker): Quote | undefined {
    const known = this.#quotes.get(symbol);
    return known && { ...known, at: this.#kernel.context.now };
  }

  #move({ id, event, request }: JournalEventOf<'order'>): void {
    const { context } = this.#kernel;
    const { symbol } = context.accountState.order(id).terms;
    const held = event.kind === 'abandoned' && !this.#endsAtOnce(intentIdOf(id));
    // This cause blocks exits too.
    if (held) context.holds.put('blind', 'the journal has it held back', symbol);
    context.move(id, event, request);
    if (held) context.holds.lift('blind', symbol);
  }

  /** True when the next entry is a decision on this intent. Reasons that deferred it are taken from the journal. */
  #isDue({ id, strategyId, symbol, terms, notBefore }: OrderIntent): boolean {
    const { context, intents } = this.#kernel;
    const next = this.#next();
    if (!next) return false;
    if (!isAbout(next, id)) {
      const order = isCancel(next) ? context.accountState.orders.get(next.id) : undefined;
      if (context.accountState.open.has(id)) return order?.intentId === id;
      // A target first cancels the orders of its strategy on the other side, except the sells of an exit.
      if (terms.kind !== 'target' || order?.strategyId !== strategyId || isExitSale(order)) return false;
      return order.terms.symbol === symbol && order.cancel.kind === 'none';
    }
    if (next.kind === 'intentDeferred') {
      if (next.notBefore !== notBefore) intents.wait(id, next);
      return false;
    }
    if (next.kind === 'intentEnded' && next.how === 'dropped') {
      intents.conclude(next);
      return false;
    }
    return true;
  }

  /** Next entry at this time after those produced so far. */
  #next(): JournalEvent | undefined {
    const { at } = this.#entry(this.#index);
    const entry = this.#entries[this.#index + this.#taken + this.#kernel.context.recorded];
    return entry?.at === at ? entry.fact : undefined;
  }

  /** Passes in the next entry if it is a step of a synthetic order. False for any other. */
  #carryOn(): boolean {
    const next = this.#next();
    const isStep =
      next !== undefined &&
      (isStepOfHeld(next) ||
        (this.#isOfRunner(next) && !(next.kind === 'intentCreated' && next.intent.command)));
    return isStep && this.#input(next);
  }

  #isDecision(fact: JournalEvent): boolean {
    if (this.#isOfRunner(fact)) return false;
    if (fact.kind === 'syntheticMoved') return fact.event.kind === 'adjusted';
    return isCancel(fact) || DECISIONS.has(fact.kind);
  }

  /**
   * True for steps of synthetic orders and flattens, and for a repeated cancel: whether and when it is requested again
   * depends on the venue's answer. These steps are taken from the journal.
   */
  #isOfRunner(fact: JournalEvent): boolean {
    const { orders, synthetics } = this.#kernel.context.accountState;
    if (fact.kind === 'intentCreated')
      return fact.intent.command !== undefined || fact.intent.parent !== undefined;
    if (fact.kind === 'intentEnded')
      return fact.how === 'cancelled' && synthetics.parentOf(fact.id) !== undefined;
    if (!isCancel(fact)) return false;
    const order = orders.get(fact.id);
    if (!order || order.cancel.kind !== 'none') return true;
    return (
      (fact.event.kind === 'cancelWanted' && fact.event.lapse) ||
      synthetics.parentOf(order.intentId) !== undefined ||
      synthetics.frees(order)
    );
  }

  /** True when an intent ended, or was deferred, with the order of this entry. An intent on hold may end later in the step. */
  #endsAtOnce(intent: string): boolean {
    const next = this.#entries[this.#index + 1];
    return next !== undefined && next.at === this.#entry(this.#index).at && isAbout(next.fact, intent);
  }
}

/** Kinds of events that may start the building of strategies. */
const BUILDS: ReadonlySet<JournalEvent['kind']> = new Set([
  'bar',
  'instruments',
  'quotes',
  'started',
  'strategyStarted',
  'strategyStopped',
]);

/** Strategies that wait for their warm-up, according to the entries after a start. */
function awaitedFrom(entries: readonly JournalEntry[]): string[] {
  const awaited: string[] = [];
  for (const { fact } of entries) {
    if (fact.kind !== 'warmUpAwaited') break;
    awaited.push(fact.strategyId);
  }
  return awaited;
}

/** True for a command whose consequences follow from the journal alone. */
const isDecidedAtOnce = (command: OperatorCommand): boolean =>
  command.kind === 'cancel' ||
  command.kind === 'flatten' ||
  (command.kind === 'trade' && command.state !== 'active');

const isCancel = (fact: JournalEvent): fact is JournalEventOf<'order'> & { event: OrderEvent } =>
  fact.kind === 'order' && fact.event.kind === 'cancelWanted';

const intentIdOf = (id: OrderId): string => id.slice(0, id.lastIndexOf('.'));

/** True for an entry about the outcome of an intent. */
const isAbout = (fact: JournalEvent, intent: string): boolean =>
  fact.kind === 'planned'
    ? fact.order.intentId === intent
    : (fact.kind === 'intentEnded' || fact.kind === 'intentDeferred') && fact.id === intent;
