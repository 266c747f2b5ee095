import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import { BY_HAND } from '../../domain/account/pins.ts';
import { type OrderId, hasEnded, type Order, type OrderEvent } from '../../domain/orders/order.ts';
import type { Listing } from '../../domain/venue.ts';
import { Responses } from '../orders/responses.ts';
import { EngineContext } from '../state/engineContext.ts';
import { takeFetched } from '../state/fetchedTexts.ts';
import { takeTokenQuotes } from '../state/tokenPrices.ts';
import { FastPath } from './fastPath.ts';
import { Gate, type Obstacles, type Permit } from '../risk/gate.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import { recordSeries, takeSeries } from '../strategy/seriesNews.ts';
import { StrategyManager } from '../strategy/strategyManager.ts';
import type { Step, KernelEvent } from '../state/kernelEvent.ts';
import type { TradingRules } from '../../domain/limits.ts';
import type { TradingCalendar } from '../../calendar/index.ts';
import type { Cash } from '../../core/amount.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import type { TransferId } from '../../domain/transfers/transfer.ts';
import { CorporateActions } from '../account/corporateActions.ts';
import { Drawdowns } from '../risk/drawdowns.ts';
import { RiskLimits, freezeAfterFailures, reduceAfterDoubts } from '../risk/limits.ts';
import { EndClaims } from '../orders/endClaims.ts';
import { narrateOrder } from '../state/notice.ts';
import { ListingWatch } from '../account/listingWatch.ts';
import { beginDay } from '../account/dayReport.ts';
import { open } from '../account/opening.ts';
import { StockTermsCheck, VenueTermsCheck } from '../account/termsCheck.ts';
import { IntentExecutor } from '../intents/executor.ts';
import { Reconciliation, writeOff } from '../account/reconciliation.ts';
import { Freshness } from '../state/freshness.ts';
import { JournalFold } from './journalFold.ts';
import { OrderTracker } from '../orders/tracker.ts';
import { ExternalMoves } from '../treasury/externalMoves.ts';
import { Treasury } from '../treasury/treasury.ts';
import type { TreasuryPolicies } from '../treasury/policy.ts';
import { isStanding, OpenIntents } from '../intents/intents.ts';
import { SyntheticOrders } from '../synthetic/syntheticOrders.ts';
import { Operator } from '../operator/operator.ts';

type KernelOptions = Readonly<{
  calendar: TradingCalendar;
  rules: TradingRules;
  strategies: readonly (StrategySetup & Readonly<{ capital: Cash }>)[];
  obstacles: Obstacles;
  /** True if only alarms are raised, because other notices are not read. Default false. */
  quiet?: boolean;
  /** Policies of automatic transfers between wallet and venue. Default: none. */
  treasury?: TreasuryPolicies;
}>;

type Of<Kind extends KernelEvent['kind']> = Extract<KernelEvent, { kind: Kind }>;

/**
 * The synchronous, deterministic core of a run. An event goes in; journal events, effects and notices come out, always
 * the same for the same events at the same times. It holds strategies, account state and rules, and has no side effects.
 */
export class Kernel {
  readonly context: EngineContext;
  readonly fastPath: FastPath;
  readonly reconciliation: Reconciliation;
  readonly treasury: Treasury;
  readonly externalMoves: ExternalMoves;
  readonly freshness: Freshness;
  readonly actions: CorporateActions;
  readonly stockTerms: StockTermsCheck;
  readonly endClaims: EndClaims;
  readonly fold: JournalFold;
  readonly #options: KernelOptions;
  readonly intents: OpenIntents;
  readonly synthetics: SyntheticOrders;
  readonly #executor: IntentExecutor;
  readonly #listingWatch: ListingWatch;
  readonly #tracker: OrderTracker;
  readonly #responses: Responses;
  readonly #gate: Gate;
  readonly strategies: StrategyManager;
  readonly #venueTerms: VenueTermsCheck;
  readonly operator: Operator;
  readonly #drawdowns: Drawdowns;

  /** Handler of each event, called before strategies and operators are notified. */
  readonly #steps: { readonly [Kind in KernelEvent['kind']]: (event: Of<Kind>) => void } = {
    recovered: (event) => this.#recovered(event),
    opened: ({ account }) => open(this.context, this.stockTerms.counted(account), this.#options.strategies),
    writeOff: (event) => writeOff(this.context, this.intents, event),
    start: ({ awaited }) => {
      this.context.isStarting = false;
      this.actions.isShowing = true;
      this.strategies.start(awaited);
    },
    due: () => undefined,
    operator: (request) => this.operator.take(request),
    lookedAtAll: (event) => this.operator.looked(event),
    killFiles: ({ there }) => this.operator.killFiles(there),
    stop: (event) => this.#stop(event),
    ended: (event) => {
      if (event.how === 'in order') this.strategies.settle();
      this.context.record(event);
    },
    late: (event) => this.#responses.late(event),
    unread: (event) => this.freshness.take(event),
    answered: (event) => this.freshness.take(event),
    skew: (event) => this.freshness.take(event),
    listed: ({ listings }) => this.#listed(listings),
    priceWitness: ({ symbol, prices }) => this.context.market.witness(symbol, prices),
    tokenQuotes: ({ quotes }) => takeTokenQuotes(this.context, quotes),
    multiplier: ({ symbol, multiplier }) => this.actions.takeMultiplier(symbol, multiplier),
    warm: ({ bars }) => {
      recordSeries(this.context, this.strategies.all);
      this.strategies.warm(bars);
    },
    series: (event) => takeSeries(this.context, this.strategies.all, event),
    fetched: (event) => takeFetched(this.context, event),
    actions: (event) => this.actions.listed(event),
    rewarmed: ({ symbol, bars }) => {
      this.actions.rewarmed(symbol);
      this.strategies.rewarm(symbol, bars);
    },
    bars: ({ bars }) =>
      this.strategies.barNews.take(bars.filter(({ symbol }) => !this.actions.holdsBack(symbol))),
    session: ({ change, session }) => {
      this.actions.check();
      this.strategies.session(change, session);
    },
    timer: ({ strategyId, timer }) => this.strategies.timer(strategyId, timer),
    swept: (event) => this.#tracker.swept(event),
    looked: (event) => this.#tracker.looked(event),
    account: (event) => this.#account(event),
    delegation: ({ enabled, delegatee }) => {
      this.#delegated(enabled);
      this.#venueTerms.delegatee(delegatee);
    },
    terms: ({ terms }) => this.#venueTerms.terms(terms),
    operationSent: ({ id, request }) => this.treasury.sent(id, request),
    operated: ({ id, outcome }) => this.treasury.operated(id, outcome),
    transfers: (event) => {
      this.treasury.followed(event);
      this.externalMoves.listed(event);
    },
    transferTraced: (event) => this.treasury.followed(event),
    sent: (event) => this.context.move(event.id, sentEvent(event, this.context.now), event.request),
    placed: ({ id, outcome }) => this.#responses.placed(id, outcome),
    cancelSent: ({ id, deadline, request }) =>
      this.context.move(id, { kind: 'cancelSent', deadline }, request),
    cancelled: ({ id, outcome }) => this.#responses.cancelled(id, outcome),
    externalCancel: (event) => this.#responses.externalCancel(event),
  };

  constructor(options: KernelOptions) {
    this.#options = options;
    this.context = new EngineContext(options, {
      orderMoved: (before, after) => this.#orderMoved(before, after),
      intentMoved: (intent, status, reason) => this.strategies.intentMoved(intent, status, reason),
      intentRefused: (refusal) => this.strategies.intentRefused(refusal),
      heldMoved: (before, fact) => this.strategies.heldMoved(before, fact),
      actionBooked: (action) => this.strategies.actionBooked(action),
    });
    this.fold = new JournalFold(this.context);
    const riskLimits = new RiskLimits(this.context);
    this.intents = new OpenIntents(this.context);
    this.synthetics = new SyntheticOrders(this.context, this.intents);
    this.externalMoves = new ExternalMoves(this.context);
    this.treasury = new Treasury(this.context, options.treasury ?? {}, options.obstacles);
    this.#executor = new IntentExecutor(this.context, {
      intents: this.intents,
      riskLimits,
      cover: (intent, missing) => this.treasury.coverShortfall(intent, missing),
    });
    this.freshness = new Freshness(this.context);
    this.actions = new CorporateActions(this.context);
    this.stockTerms = new StockTermsCheck(this.context);
    this.#venueTerms = new VenueTermsCheck(this.context);
    this.reconciliation = new Reconciliation(this.context, this.actions);
    this.endClaims = new EndClaims(this.context, (order) => this.reconciliation.agreesWithout(order));
    const { intents, endClaims: ends, reconciliation } = this;
    this.#tracker = new OrderTracker(this.context, { intents, ends, reconciliation });
    this.#responses = new Responses(this.context, this.freshness, this.endClaims);
    this.#gate = new Gate(this.context, riskLimits, options.obstacles);
    this.strategies = new StrategyManager(
      this.context,
      { executor: this.#executor, intents: this.intents, synthetics: this.synthetics },
      options.strategies,
    );
    this.#listingWatch = new ListingWatch(this.context, this.strategies.named);
    const { synthetics, stockTerms, treasury } = this;
    const known = { strategies: this.strategyIds, symbols: this.strategies.named };
    const { obstacles } = options;
    const parts = { intents, synthetics, known, stockTerms, treasury, obstacles };
    this.operator = new Operator(this.context, parts);
    this.#drawdowns = new Drawdowns(this.context);
    const { context, strategies, operator } = this;
    const [gate, responses, guard] = [this.#gate, this.#responses, () => this.#guard()];
    this.fastPath = new FastPath({ context, gate, responses, strategies, operator, guard });
  }

  get strategyIds(): string[] {
    return [...this.strategies.all.keys()];
  }

  /** True when reading the account now could settle something that orders wait for. */
  get awaitsAccount(): boolean {
    return this.endClaims.areDue || this.reconciliation.isBlocking;
  }

  /** True while trading is halted by a kill file: the gate decides what passes that halt. */
  get isKilled(): boolean {
    return this.context.accountState.trading.of({ cause: 'kill file', scope: {} }) !== undefined;
  }

  /** Next time at which an order continues without other news; Infinity if none. */
  get nextDue(): number {
    return this.strategies.nextDue();
  }

  get lastRun(): JournalFold['lastRun'] {
    return this.fold.lastRun;
  }

  /** Applies the entries of earlier runs that `fold` does not have yet. Call before the first event. */
  recover(entries: Iterable<JournalEntry>): void {
    for (const entry of entries) this.fold.apply(entry);
    this.lastRun.live = [...this.context.accountState.live.keys()];
  }

  handle(event: KernelEvent, now: EpochMs): Step {
    this.context.begin(now);
    if (this.context.rules.dividends?.begins === 'evening') this.actions.check();
    (this.#steps[event.kind] as (event: KernelEvent) => void)(event);
    if (this.context.reads.account) this.freshness.check();
    if (this.context.rules.trade) beginDay(this.context, this.strategies.all.keys());
    if (this.context.watchesDrawdown) this.#guard();
    if (this.context.accountState.commands.flattening.size > 0) this.operator.check();
    this.strategies.drain();
    if (event.kind === 'operator') this.operator.settle();
    return this.context.finish();
  }

  /** Enforces drawdown limits, which bind without an order. */
  #guard(): void {
    for (const request of this.#drawdowns.check()) this.operator.take(request);
  }

  /** Last check before a send, when its slot is free. */
  permitPlacing(id: OrderId, now: EpochMs, prepared?: EpochSeconds): Permit {
    this.#look(now);
    return this.#gate.forPlacing(id, prepared);
  }

  mayTransfer(now: EpochMs): boolean {
    this.#look(now);
    return this.treasury.mayBegin;
  }

  permitTransfer(id: TransferId, now: EpochMs): ReturnType<Treasury['permit']> {
    this.#look(now);
    return this.treasury.permit(id);
  }

  permitCancelling(id: OrderId | null, now: EpochMs, prepared?: EpochSeconds): Permit {
    this.#look(now);
    return this.#gate.forCancelling(id, prepared);
  }

  #look(now: EpochMs): void {
    this.context.begin(now);
    if (this.context.reads.account) this.freshness.check();
  }

  #recovered(event: Of<'recovered'>): void {
    this.context.isStarting = true;
    this.context.isManual = event.manual ?? false;
    this.context.record(epochOf(event, this.context.accountState.epoch + 1));
    if (event.pins) this.context.record({ kind: 'pinned', pins: event.pins, reason: BY_HAND });
    this.treasury.recovered();
    this.#responses.recovered();
    this.operator.recovered();
    this.#executor.recovered();
  }

  #stop({ cancel }: Of<'stop'>): void {
    this.operator.stop();
    this.synthetics.stop();
    this.strategies.stop();
    if (cancel) this.#cancelAll();
  }

  /** Cancels open orders, and intents between two orders (good till cancelled, or being replaced), as the run ends. */
  #cancelAll(): void {
    const { intents, open } = this.context.accountState;
    const why = 'the run ends';
    this.synthetics.cancelEntries(null, why);
    for (const intent of [...intents.values()])
      if (open.has(intent.id) || isStanding(intent) || intent.replaces !== undefined)
        this.intents.cancel(intent.id, why, 'RUN_ENDED');
  }

  #listed(listings: readonly Listing[]): void {
    const changed = this.context.list(this.stockTerms.list(listings));
    this.#listingWatch.take(listings, changed.quotes.length);
    this.#tracker.listed();
    this.strategies.listed(changed);
  }

  #delegated(isOn: boolean): void {
    const { context } = this;
    if (context.reads.delegated && !isOn)
      context.alarm('one-click', 'One Click is off: nothing can be sent', { code: 'ONE_CLICK_OFF' });
    if (!context.reads.delegated && isOn) context.allClear('one-click', 'One Click is on: sending continues');
    context.reads.delegated = isOn;
  }

  /**
   * Applies a read of the account. The order matters: corporate actions are booked before ledger and account are
   * compared, and only a compared account confirms the end of an order or closes one that the venue does not show.
   */
  #account({ report: shown, asked }: Of<'account'>): void {
    const report = this.stockTerms.counted(shown);
    this.stockTerms.apart(report);
    this.treasury.open(report);
    this.actions.account({ report, asked });
    this.externalMoves.account(report);
    this.reconciliation.compare(report, asked);
    this.endClaims.confirm(asked);
    this.#tracker.closeAbsent(asked, (order) => this.reconciliation.agreesWithout(order));
    this.treasury.account(report, asked);
    this.synthetics.lookAtAll();
  }

  #orderMoved(before: Order, after: Order): void {
    this.strategies.orderMoved(before, after);
    if (!this.context.quiet || after.state.kind === 'reverted') narrateOrder(this.context, before, after);
    if (after.state.kind === 'working') this.intents.askCancel(after.id);
    reduceAfterDoubts(this.context);
    if (!hasEnded(after)) return;
    if (this.context.rules.failureSpacingMs !== undefined) freezeAfterFailures(this.context, after);
    this.#executor.afterEnd(after);
    if (this.context.accountState.synthetics.live.size > 0) this.synthetics.orderEnded(after);
  }
}

const epochOf = ({ assumptions, manual = false }: Of<'recovered'>, epoch: number): JournalEvent => ({
  kind: 'epoch',
  epoch,
  ...(assumptions && { assumptions }),
  ...(manual && { manual }),
});

/** A transaction sent by the wallet itself is identified by its hash from here on. */
const sentEvent = ({ deadline, request }: Of<'sent'>, at: EpochMs): OrderEvent => ({
  kind: 'sent',
  at,
  deadline,
  ...('txHash' in request ? { txHash: request.txHash } : {}),
});
