import type { Session, TradingCalendar } from '../calendar/index.ts';
import type { Cash } from '../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../core/brand.ts';
import type { Bar } from '../domain/bar.ts';
import type { Entry } from '../domain/fact.ts';
import type { ListedKind, OperationId, OperationReport, OperationTrace } from '../domain/operation.ts';
import { hasEnded, type Order, type OrderId } from '../domain/order.ts';
import type { OrderEvent } from '../domain/orderMachine.ts';
import type {
  AccountReport,
  Listing,
  OrderReport,
  SendOutcome,
  SignedSend,
  UnreadableRow,
} from '../domain/venue.ts';
import { Actions, type ActionEvent } from './actions.ts';
import { Answers, type LateEvent } from './answers.ts';
import { BarTurns } from './barTurns.ts';
import { Desk, type Effect, type TradingRules } from './desk.ts';
import { Gate, type Obstacles, type Permit } from './gate.ts';
import type { StrategySetup } from './host.ts';
import { Hosts } from './hosts.ts';
import { narrateOrder } from './narrate.ts';
import type { Notice } from './notice.ts';
import { open } from './opening.ts';
import { Planning } from './planning.ts';
import { ReplayTurns } from './replayTurns.ts';
import { Reconciling } from './reconciling.ts';
import { Sight, type SightEvent } from './sight.ts';
import { Tracking } from './tracking.ts';
import { Treasury } from './treasury.ts';
import type { TreasuryPolicies } from './treasuryPolicy.ts';

/** Everything that can happen to the kernel. Times are those of the call that hands the event in. */
export type KernelEvent = Readonly<
  | { kind: 'recovered' }
  | { kind: 'opened'; account: AccountReport }
  | { kind: 'listed'; listings: readonly Listing[] }
  | { kind: 'warm'; bars: readonly Bar[] }
  | { kind: 'start' }
  | { kind: 'bars'; bars: readonly Bar[] }
  | { kind: 'session'; change: 'opened' | 'closed'; session: Session }
  | { kind: 'timer'; owner: string; timer: string }
  /** `asked`: when the question left. An order that has ended since is not judged by its answer. */
  | { kind: 'swept'; asked: EpochMs; rows: readonly (OrderReport | UnreadableRow)[]; complete: boolean }
  /** `absentAt`: the block, by its time, at which the chain had no trace of it; null when none was read. */
  | { kind: 'looked'; asked: EpochMs; id: OrderId; report: OrderReport | null; absentAt: EpochMs | null }
  | { kind: 'account'; report: AccountReport }
  | { kind: 'delegation'; enabled: boolean }
  | { kind: 'sent'; id: OrderId; deadline: EpochSeconds; request: SignedSend }
  | { kind: 'placed'; id: OrderId; outcome: SendOutcome }
  | { kind: 'cancelSent'; id: OrderId; deadline: EpochSeconds; request: SignedSend }
  | { kind: 'cancelled'; id: OrderId; outcome: SendOutcome }
  | { kind: 'operationSent'; id: OperationId; request: SignedSend }
  | { kind: 'operated'; id: OperationId; outcome: SendOutcome }
  | { kind: 'operationTraced'; id: OperationId; trace: OperationTrace }
  | {
      kind: 'operations';
      operation: ListedKind;
      asked: EpochMs;
      rows: readonly (OperationReport | UnreadableRow)[];
      complete: boolean;
    }
  /** An operator vouches that an order without an answer was never placed. */
  | { kind: 'resolved'; id: OrderId }
  /** The same of an operation. */
  | { kind: 'operationResolved'; id: OperationId }
  /** `cancel`: what rests at the venue is not to outlive the run. */
  | { kind: 'stop'; cancel?: boolean }
  | { kind: 'ended'; why: string; how: 'in order' | 'at once' | 'crashed' }
  | SightEvent
  | LateEvent
  | ActionEvent
>;

/** What a turn has brought. The facts are made durable first; only then may the effects follow. */
export type Turn = Readonly<{
  facts: readonly Entry[];
  effects: readonly Effect[];
  notices: readonly Notice[];
}>;

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
  readonly desk: Desk;
  readonly barTurns: BarTurns;
  readonly reconciling: Reconciling;
  readonly treasury: Treasury;
  readonly sight: Sight;
  readonly actions: Actions;
  readonly #options: KernelOptions;
  readonly #planning: Planning;
  readonly #tracking: Tracking;
  readonly #answers: Answers;
  readonly #gate: Gate;
  readonly #hosts: Hosts;

  constructor(options: KernelOptions) {
    this.#options = options;
    this.desk = new Desk(options.calendar, options.rules, options.quiet);
    this.#planning = new Planning(this.desk);
    this.sight = new Sight(this.desk);
    this.#tracking = new Tracking(this.desk, this.#planning);
    this.#answers = new Answers(this.desk, { planning: this.#planning, sight: this.sight });
    this.#gate = new Gate(this.desk, this.#planning, options.obstacles);
    this.actions = new Actions(this.desk);
    this.reconciling = new Reconciling(this.desk, this.actions);
    this.treasury = new Treasury(this.desk, options.treasury ?? {}, options.obstacles);
    this.#hosts = new Hosts(this.desk, this.#planning, options.strategies);
    const [gate, answers, hosts] = [this.#gate, this.#answers, this.#hosts];
    this.barTurns = new BarTurns({ desk: this.desk, gate, answers, hosts });
    this.desk.onOrder = (before, after) => this.#orderMoved(before, after);
  }

  get strategyIds(): string[] {
    return [...this.#hosts.all.keys()];
  }

  /** Turns that hand in what a journal has, instead of events. Nothing else may be handed in then. */
  replayTurns(): ReplayTurns {
    return new ReplayTurns({ desk: this.desk, hosts: this.#hosts, planning: this.#planning });
  }

  /** Folds what an earlier run wrote. Call before the first event. */
  recover(entries: Iterable<Entry>): void {
    for (const entry of entries) this.desk.books.apply(entry);
  }

  handle(event: KernelEvent, now: EpochMs): Turn {
    this.desk.begin(now);
    this.#take(event);
    this.sight.check();
    this.#hosts.drain();
    return this.desk.finish();
  }

  /** The last check of a send, at the moment its slot is free. */
  permitPlacing(id: OrderId, now: EpochMs, prepared?: EpochSeconds): Permit {
    this.#look(now);
    return this.#gate.forPlacing(id, prepared);
  }

  permitOperating(id: OperationId, now: EpochMs): ReturnType<Treasury['permit']> {
    this.#look(now);
    return this.treasury.permit(id);
  }

  permitCancelling(id: OrderId, now: EpochMs, prepared?: EpochSeconds): Permit {
    this.#look(now);
    return this.#gate.forCancelling(id, prepared);
  }

  #look(now: EpochMs): void {
    this.desk.begin(now);
    this.sight.check();
  }

  #take(event: KernelEvent): void {
    switch (event.kind) {
      case 'recovered':
        this.desk.record({ kind: 'epoch', epoch: this.desk.books.epoch + 1 });
        this.treasury.recovered();
        this.#answers.recovered();
        return this.#planning.recovered();
      case 'opened':
        return open(this.desk, event.account, this.#options.strategies);
      case 'listed':
        return this.#hosts.listed(this.desk.list(event.listings));
      case 'warm':
        return this.#hosts.warm(event.bars);
      case 'actions':
        return this.actions.listed(event);
      case 'rewarmed':
        this.actions.rewarmed(event.symbol);
        return this.#hosts.rewarm(event.symbol, event.bars);
      case 'start':
        this.actions.isShowing = true;
        return this.#hosts.start();
      case 'bars':
        for (const bar of event.bars) if (!this.actions.holdsBack(bar.symbol)) this.#hosts.bar(bar);
        return;
      case 'session':
        this.actions.check();
        return this.#hosts.session(event.change, event.session);
      case 'timer':
        return this.#hosts.timer(event.owner, event.timer);
      case 'resolved':
        return void this.desk.move(event.id, { kind: 'absent', assumed: true });
      case 'operationResolved':
        return this.treasury.resolved(event.id);
      case 'stop':
        this.#hosts.stop();
        if (event.cancel)
          for (const { wish } of [...this.desk.books.live.values()])
            this.#planning.cancelWish(wish, 'the run ends');
        return;
      case 'ended':
        return this.desk.record(event);
      case 'late':
        return this.#answers.late(event);
      case 'unread':
      case 'skew':
        return this.sight.take(event);
      default:
        this.#fromVenue(event);
    }
  }

  #fromVenue(event: VenueEvent): void {
    switch (event.kind) {
      case 'swept':
        return this.#tracking.swept(event);
      case 'looked':
        return this.#tracking.looked(event);
      case 'account':
        return this.#account(event.report);
      case 'delegation':
        if (this.desk.delegated && !event.enabled)
          this.desk.tell('alarm', 'One Click is off: nothing can be sent');
        this.desk.delegated = event.enabled;
        return;
      case 'operationSent':
        return this.treasury.sent(event.id, event.request);
      case 'operated':
        return this.treasury.operated(event.id, event.outcome);
      case 'operations':
      case 'operationTraced':
        return this.treasury.followed(event);
      case 'sent':
        this.desk.move(event.id, sentEvent(event, this.desk.now), event.request);
        return;
      case 'placed':
        return this.#answers.placed(event.id, event.outcome);
      case 'cancelSent':
        this.desk.move(event.id, { kind: 'cancelSent', deadline: event.deadline }, event.request);
        return;
      case 'cancelled':
        return this.#answers.cancelled(event.id, event.outcome);
    }
  }

  #account(report: AccountReport): void {
    this.treasury.open(report);
    this.actions.account(report);
    this.reconciling.compare(report);
    this.#tracking.closeAbsent((order) => this.reconciling.agreesWithout(order));
    this.treasury.account(report);
  }

  #orderMoved(before: Order, after: Order): void {
    this.#hosts.orderMoved(before, after);
    if (!this.desk.quiet || after.state.kind === 'reverted') narrateOrder(this.desk, before, after);
    if (after.state.kind === 'working') this.#planning.askCancel(after.id);
    if (hasEnded(after)) this.#planning.afterEnd(after);
  }
}

/** A transaction of the wallet's own is known by its hash from here on. */
const sentEvent = ({ deadline, request }: SentEvent, at: EpochMs): OrderEvent => ({
  ...{ kind: 'sent', at, deadline },
  ...('txHash' in request ? { txHash: request.txHash } : {}),
});

type SentEvent = Extract<KernelEvent, { kind: 'sent' }>;
type VenueEvent = Extract<
  KernelEvent,
  {
    kind:
      | 'swept'
      | 'looked'
      | 'account'
      | 'delegation'
      | 'sent'
      | 'placed'
      | 'cancelSent'
      | 'cancelled'
      | 'operationSent'
      | 'operated'
      | 'operations'
      | 'operationTraced';
  }
>;
