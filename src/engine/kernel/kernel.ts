import type { TradingCalendar } from '../../calendar/index.ts';
import type { Cash } from '../../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import type { TransferId } from '../../domain/transfers/transfer.ts';
import { hasEnded, type Order, type OrderId } from '../../domain/orders/order.ts';
import type { OrderEvent } from '../../domain/orders/orderMachine.ts';
import type { Listing } from '../../domain/venue.ts';
import { CorporateActions } from '../account/corporateActions.ts';
import { Responses } from '../orders/responses.ts';
import { FastPath } from './fastPath.ts';
import { RiskLimits, freezeAfterFailures } from '../risk/limits.ts';
import { EngineContext, type TradingRules } from '../state/engineContext.ts';
import { EndClaims } from '../orders/endClaims.ts';
import { Gate, type Obstacles, type Permit } from '../risk/gate.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import { StrategyManager } from '../strategy/strategyManager.ts';
import type { KernelEvent, Step, VenueEvent } from '../state/kernelEvent.ts';
import { narrateOrder } from '../state/notice.ts';
import { open } from '../account/opening.ts';
import { StockTermsCheck } from '../account/stockTermsCheck.ts';
import { IntentExecutor } from '../intents/executor.ts';
import { ReplaySteps } from './replaySteps.ts';
import { Reconciliation, writeOff } from '../account/reconciliation.ts';
import { Freshness } from '../state/freshness.ts';
import { LastRun } from './startCheck.ts';
import { VenueTermsCheck } from '../account/venueTermsCheck.ts';
import { OrderTracker } from '../orders/tracker.ts';
import { Treasury } from '../treasury/treasury.ts';
import type { TreasuryPolicies } from '../treasury/policy.ts';
import { OpenIntents } from '../intents/intents.ts';

export type KernelOptions = Readonly<{
  calendar: TradingCalendar;
  rules: TradingRules;
  strategies: readonly (StrategySetup & Readonly<{ capital: Cash }>)[];
  obstacles: Obstacles;
  /** Nobody listens: only alarms are told. */
  quiet?: boolean;
  /** What may be moved between wallet and venue without being asked. Default: nothing. */
  treasury?: TreasuryPolicies;
}>;

/**
 * The runner's mind: synchronous and deterministic. An event goes in, facts and effects come out; the same events at the
 * same times give the same answers. It holds the strategies, the books and the rules, and touches nothing outside.
 */
export class Kernel {
  readonly context: EngineContext;
  readonly barTurns: FastPath;
  readonly reconciling: Reconciliation;
  readonly treasury: Treasury;
  readonly sight: Freshness;
  readonly actions: CorporateActions;
  readonly stockTerms: StockTermsCheck;
  readonly endClaims: EndClaims;
  readonly lastRun = new LastRun();
  readonly #options: KernelOptions;
  readonly #wishes: OpenIntents;
  readonly #planning: IntentExecutor;
  readonly #tracking: OrderTracker;
  readonly #answers: Responses;
  readonly #gate: Gate;
  readonly #hosts: StrategyManager;
  readonly #venueTerms: VenueTermsCheck;

  constructor(options: KernelOptions) {
    this.#options = options;
    this.context = new EngineContext(options.calendar, options.rules, options.quiet);
    const bounds = new RiskLimits(this.context);
    this.#wishes = new OpenIntents(this.context);
    this.#planning = new IntentExecutor(this.context, { wishes: this.#wishes, bounds });
    this.sight = new Freshness(this.context);
    this.actions = new CorporateActions(this.context);
    this.stockTerms = new StockTermsCheck(this.context);
    this.#venueTerms = new VenueTermsCheck(this.context);
    this.reconciling = new Reconciliation(this.context, this.actions);
    this.endClaims = new EndClaims(this.context, (order) => this.reconciling.agreesWithout(order));
    this.#tracking = new OrderTracker(this.context, this.#wishes, this.endClaims);
    this.#answers = new Responses(this.context, this.sight, this.endClaims);
    this.#gate = new Gate(this.context, bounds, options.obstacles);
    this.treasury = new Treasury(this.context, options.treasury ?? {}, options.obstacles);
    this.#hosts = new StrategyManager(
      this.context,
      { planning: this.#planning, wishes: this.#wishes },
      options.strategies,
    );
    const [gate, answers, hosts] = [this.#gate, this.#answers, this.#hosts];
    this.barTurns = new FastPath({ desk: this.context, gate, answers, hosts });
    this.context.onOrder = (before, after) => this.#orderMoved(before, after);
  }

  get strategyIds(): string[] {
    return [...this.#hosts.all.keys()];
  }

  /** True when an account look now could decide something that orders wait for. */
  get awaitsAccount(): boolean {
    return this.endClaims.areDue || this.reconciling.isBlocking;
  }

  /** Turns that hand in what a journal has, instead of events. Nothing else may be handed in then. */
  replayTurns(): ReplaySteps {
    return new ReplaySteps({
      desk: this.context,
      hosts: this.#hosts,
      planning: this.#planning,
      wishes: this.#wishes,
    });
  }

  /** Folds what an earlier run wrote. Call before the first event. */
  recover(entries: Iterable<JournalEntry>): void {
    for (const entry of entries) {
      this.context.accountState.apply(entry);
      this.lastRun.note(entry);
    }
  }

  handle(event: KernelEvent, now: EpochMs): Step {
    this.context.begin(now);
    this.#take(event);
    this.sight.check();
    this.#hosts.drain();
    return this.context.finish();
  }

  /** The last check of a send, at the moment its slot is free. */
  permitPlacing(id: OrderId, now: EpochMs, prepared?: EpochSeconds): Permit {
    this.#look(now);
    return this.#gate.forPlacing(id, prepared);
  }

  /** True while operations may be sent. */
  mayOperate(now: EpochMs): boolean {
    this.#look(now);
    return this.treasury.mayBegin;
  }

  permitOperating(id: TransferId, now: EpochMs): ReturnType<Treasury['permit']> {
    this.#look(now);
    return this.treasury.permit(id);
  }

  permitCancelling(id: OrderId, now: EpochMs, prepared?: EpochSeconds): Permit {
    this.#look(now);
    return this.#gate.forCancelling(id, prepared);
  }

  #look(now: EpochMs): void {
    this.context.begin(now);
    this.sight.check();
  }

  #take(event: KernelEvent): void {
    switch (event.kind) {
      case 'recovered':
        this.context.isStarting = true;
        this.context.record(epochOf(event, this.context.accountState.epoch + 1));
        this.treasury.recovered();
        this.#answers.recovered();
        return this.#planning.recovered();
      case 'opened':
        return open(this.context, this.stockTerms.counted(event.account), this.#options.strategies);
      case 'listed':
        return this.#listed(event.listings);
      case 'warm':
        return this.#hosts.warm(event.bars);
      case 'actions':
        return this.actions.listed(event);
      case 'rewarmed':
        this.actions.rewarmed(event.symbol);
        return this.#hosts.rewarm(event.symbol, event.bars);
      case 'writeOff':
        return writeOff(this.context, this.#wishes, event);
      case 'start':
        this.context.isStarting = false;
        this.actions.isShowing = true;
        return this.#hosts.start();
      case 'bars':
        return this.#hosts.bars(event.bars.filter(({ symbol }) => !this.actions.holdsBack(symbol)));
      case 'session':
        this.actions.check();
        return this.#hosts.session(event.change, event.session);
      case 'timer':
        return this.#hosts.timer(event.owner, event.timer);
      case 'resolved':
        return this.context.words.take(event.id);
      case 'stop':
        this.#hosts.stop();
        if (event.cancel)
          for (const { wish: intent } of [...this.context.accountState.live.values()])
            this.#wishes.cancel(intent, 'the run ends');
        return;
      case 'ended':
        if (event.how === 'in order') this.#hosts.settle();
        return this.context.record(event);
      case 'late':
        return this.#answers.late(event);
      case 'unread':
      case 'answered':
      case 'skew':
        return this.sight.take(event);
      default:
        this.#fromVenue(event);
    }
  }

  #listed(listings: readonly Listing[]): void {
    const changed = this.context.list(this.stockTerms.list(listings));
    this.#tracking.listed();
    this.#hosts.listed(changed);
  }

  #fromVenue(event: VenueEvent): void {
    switch (event.kind) {
      case 'swept':
        return this.#tracking.swept(event);
      case 'looked':
        return this.#tracking.looked(event);
      case 'account':
        return this.#account(event);
      case 'delegation':
        if (this.context.delegated && !event.enabled)
          this.context.notify('alarm', 'One Click is off: nothing can be sent');
        this.context.delegated = event.enabled;
        return this.#venueTerms.delegatee(event.delegatee);
      case 'terms':
        return this.#venueTerms.terms(event.terms);
      case 'operationSent':
        return this.treasury.sent(event.id, event.request);
      case 'operated':
        return this.treasury.operated(event.id, event.outcome);
      case 'operations':
      case 'operationTraced':
        return this.treasury.followed(event);
      case 'sent':
        this.context.move(event.id, sentEvent(event, this.context.now), event.request);
        return;
      case 'placed':
        return this.#answers.placed(event.id, event.outcome);
      case 'cancelSent':
        this.context.move(event.id, { kind: 'cancelSent', deadline: event.deadline }, event.request);
        return;
      case 'cancelled':
        return this.#answers.cancelled(event.id, event.outcome);
    }
  }

  #account({ report: shown, asked }: AccountEvent): void {
    const report = this.stockTerms.counted(shown);
    this.stockTerms.apart(report);
    this.treasury.open(report);
    this.actions.account({ report, asked });
    this.reconciling.compare(report);
    this.endClaims.confirm(asked);
    this.#tracking.closeAbsent(asked, (order) => this.reconciling.agreesWithout(order));
    this.treasury.account(report, asked);
  }

  #orderMoved(before: Order, after: Order): void {
    this.#hosts.orderMoved(before, after);
    if (!this.context.quiet || after.state.kind === 'reverted') narrateOrder(this.context, before, after);
    if (after.state.kind === 'working') this.#wishes.askCancel(after.id);
    if (!hasEnded(after)) return;
    if (this.context.rules.failureSpacingMs !== undefined) freezeAfterFailures(this.context, after);
    this.#planning.afterEnd(after);
  }
}

const epochOf = (
  { assumptions }: Extract<KernelEvent, { kind: 'recovered' }>,
  epoch: number,
): JournalEvent =>
  assumptions === undefined ? { kind: 'epoch', epoch } : { kind: 'epoch', epoch, assumptions };

/** A transaction of the wallet's own is known by its hash from here on. */
const sentEvent = ({ deadline, request }: SentEvent, at: EpochMs): OrderEvent => ({
  kind: 'sent',
  at,
  deadline,
  ...('txHash' in request ? { txHash: request.txHash } : {}),
});

type SentEvent = Extract<KernelEvent, { kind: 'sent' }>;
type AccountEvent = Extract<KernelEvent, { kind: 'account' }>;
