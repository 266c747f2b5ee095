import type { CommandProgress, OperatorAnswer, OperatorRequest } from '../../domain/operator/command.ts';
import { PendingCommands } from './pendingCommands.ts';
import { compareClocks, lookAtClocks, lookWhole } from './venueLook.ts';
import { messageOf } from '../../core/errors.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { AccountReport } from '../../domain/venue.ts';
import { BarFeed } from '../../market/feed.ts';
import {
  ANSWERS_MS,
  atMost,
  drain,
  howOf,
  leftBehind,
  reportLeft,
  Span,
  type StopReport,
} from './shutdown.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Effect, KernelEvent } from '../state/kernelEvent.ts';
import { withRecalled } from './outsideBars.ts';
import { barNeeds, checkSymbols, kernelOf, type Phase } from './runOptions.ts';
import type { RunnerOptions, RunObstacles } from './runOptions.ts';
import { OrderManager } from './orderManager.ts';
import { delegationEvent, Polling } from './polling.ts';
import { GapRecovery } from './recovery.ts';
import { Scheduler } from './scheduler.ts';
import { reportFound, reportTimers } from './startReport.ts';
import { summarise, type RunSummary } from './summary.ts';
import { StartCheck, type StartLook } from '../kernel/startCheck.ts';
import { CommitLoop } from './commitLoop.ts';
import { awaitedAtStart } from './warmUpCheck.ts';
import { AlarmBook } from '../state/alarms.ts';
import type { Notice, Notify } from '../state/notice.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';

export type RunReport = RunSummary & Readonly<{ stop: StopReport }>;

/** A complete run: recovery, trading, and an orderly end. */
export class Runner {
  readonly kernel: Kernel;
  readonly alarms: AlarmBook;
  readonly #options: RunnerOptions;
  readonly #commitLoop: CommitLoop;
  readonly #orders: OrderManager;
  readonly #polling: Polling;
  readonly #feed: BarFeed;
  readonly #recovery: GapRecovery;
  readonly #span: Span;
  readonly #scheduler: Scheduler;
  readonly #startCheck: StartCheck;
  readonly #commands: PendingCommands;
  #phase: Phase = 'starting';
  #stopping: string | null = null;
  #finish: () => void = () => undefined;
  #failure: Error | null = null;
  /** True when orders are cancelled at the end, because of the config or a command. */
  #cancelsAtStop: boolean;
  /** True when the ledger is open and each strategy has its capital. */
  #isOpened = false;

  /** Raises a notice from the code around the kernel. */
  readonly notify: Notify = (kind, text, { strategyId = null, about, code } = {}) => {
    const at = this.#options.clock.now();
    const of = { ...(about === undefined ? {} : { about }), ...(code === undefined ? {} : { code }) };
    this.#deliver({ at, kind, strategyId, text, ...of });
  };

  constructor(options: RunnerOptions) {
    const { calendar, strategies, clock, venue, transferPort, journal, watchdog = null, manual } = options;
    this.#options = options;
    const alarms = (this.alarms = options.alarms ?? new AlarmBook());
    this.#cancelsAtStop = options.atStop === 'cancel';
    const kernel = (this.kernel = kernelOf(options, { reason: (to) => this.#obstacle(to) }));
    const take = (event: KernelEvent) => this.#take(event);
    const onFatal = (error: unknown) => this.#fail(error);
    const shared = { kernel, venue, transferPort, clock, take, onFatal };
    this.#orders = new OrderManager({ ...shared, read: (effect) => this.#polling.read(effect) });
    const raising = { notify: this.notify, onFatal, clock };
    const recovery = (this.#recovery = new GapRecovery({
      ...raising,
      compareClocks: () => compareClocks(venue, take),
      watchdog,
      reconcile: () => this.#lookAtAll(),
      onGap: () => this.#scheduler.stop(),
      onResumed: () => this.#resume(),
      carry: (effect) => this.#orders.carry(effect),
    }));
    this.#commitLoop = new CommitLoop({
      ...raising,
      kernel,
      journal,
      deliver: (notice) => this.#deliver(notice),
      carry: (effect) => this.#carry(effect),
      answer: (given) => this.#commands.answered(given),
      committed: options.committed ?? (() => undefined),
      every: options.checkpointEvery,
    });
    const isOpened = () => this.#isOpened;
    const look = () => lookWhole({ ...shared, polling: this.#polling, recovery, isOpened });
    const known = kernel.context.accountState.commands;
    this.#commands = new PendingCommands({ known, alarms, take, clock, onFatal, look, manual });
    const feed = (this.#feed = new BarFeed(venue, calendar, strategies.flatMap(barNeeds)));
    this.#span = new Span({ until: options.until, clock, onOver: () => this.stop('the end of the run') });
    this.#scheduler = new Scheduler({
      kernel,
      clock,
      calendar,
      strategies,
      notify: this.notify,
      take,
      fire: (run) => this.#fire(run),
      onClosed: (session) => this.#span.closed(session),
    });
    const onCompared = () => this.#compared();
    this.#polling = new Polling({ ...options, ...shared, feed, recovery, onCompared });
    this.#startCheck = new StartCheck({
      accountState: kernel.context.accountState,
      clock,
      notify: this.notify,
      waitMaxMs: options.periods.accountMs,
      look: () => this.#lookAtStart(),
      onWaiting: () => this.#waitForStart(),
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Reasons why no orders may be placed now, by source. */
  get obstacles(): RunObstacles {
    return { journal: this.#commitLoop.trouble, gap: this.#recovery.reason, start: this.#startCheck.reason };
  }

  /** Reads the journal before `run` and handles signals meanwhile. False if one stopped the run: then it must not start. */
  recover(): Promise<boolean> {
    return this.#commitLoop.checkpoints.recoverInTurns(() => this.#stopping !== null);
  }

  /**
   * Runs until its configured end, or until `stop`.
   * @throws {ConfigError} when the strategies do not fit the account or the venue; otherwise the error that ended the run
   */
  async run(): Promise<RunReport> {
    const finished = new Promise<void>((resolve) => (this.#finish = resolve));
    try {
      await this.#begin();
      if (this.#stopping === null) {
        this.#span.start();
        await finished;
      }
      await this.#end();
    } finally {
      this.#phase = 'stopped';
      this.#recovery.stop();
      this.#commitLoop.stop();
      this.#commands.end();
    }
    if (this.#failure !== null) throw this.#failure;
    return this.#report('in order');
  }

  /** Ends the run in order: sends nothing new, and waits for the outcomes of sent requests. */
  stop(why: string): void {
    this.#stopping ??= why;
    this.#startCheck.stop();
    this.#finish();
  }

  /**
   * Handles an operator's command. The answer is durable when it resolves, and a repeated id gets the first answer.
   * Rejects if the run ends before the answer; the journal then has the outcome.
   */
  command(request: OperatorRequest): Promise<OperatorAnswer> {
    return this.#commands.give(request);
  }

  /** Progress of a command; null for an unknown id. An answer is shown only once it is durable. */
  progress(id: CommandId): CommandProgress | null {
    const found = this.kernel.operator.progress(id);
    return found && this.#commitLoop.isUnwritten(id) ? { ...found, answer: null, isDone: false } : found;
  }

  /** Handles a change from outside the run: to the kill files, a dated series, or a fetched address. */
  heed(change: Extract<KernelEvent, { kind: 'killFiles' | 'series' | 'fetched' }>): void {
    this.#commands.hand(change);
  }

  /** Ends the run because of an external error: sends nothing new, and `run` throws the error. */
  fail(error: Error): void {
    this.#fail(error);
  }

  /** Ends the run at once: journals what it can, waits for nothing, and reports the rest. Never throws. */
  endNow(why: string, how: 'at once' | 'crashed' = 'at once'): RunReport {
    this.#stopping ??= why;
    this.#phase = 'stopped';
    if (this.#commitLoop.checkpoints.isRecovered)
      this.#guarded(() => this.#commitLoop.take({ kind: 'ended', why, how }));
    reportLeft(this.kernel, this.notify);
    return this.#report('at once');
  }

  #deliver(notice: Notice): void {
    this.#options.deliver(this.alarms.take(notice));
  }

  #carry(effect: Effect): void {
    if (effect.kind === 'lookAtAll') return this.#commands.look(effect.id);
    if (this.#options.manual === 'reads') return;
    if (effect.kind !== 'stopRun') return this.#recovery.carry(effect);
    this.#cancelsAtStop ||= effect.cancel;
    this.stop(effect.why);
  }

  /** Checks the clocks for a gap, then handles the event: after a gap, the recovery comes first. */
  #take(event: KernelEvent): void {
    this.#recovery.check();
    this.#commitLoop.take(event);
    if (this.#phase === 'running') this.#scheduler.wake();
  }

  /**
   * Reason against a send; null if none. A kill file not yet seen by the kernel does not stop cancels, and the end of
   * the run does not stop the cancels that it requests itself.
   */
  #obstacle(to: 'place' | 'cancel'): string | null {
    if (this.#options.manual === 'reads') return 'only an operator is at work';
    this.#recovery.check();
    if (to === 'place' && !this.kernel.isKilled && this.#options.killed()) return 'the kill file is there';
    const unknowing = this.#commitLoop.trouble ?? this.#recovery.reason;
    if (unknowing !== null) return unknowing;
    if (to === 'place' && this.#startCheck.reason !== null) return this.#startCheck.reason;
    const ending = this.#phase === 'stopping' || this.#phase === 'draining';
    return to === 'cancel' && ending && this.#cancelsAtStop ? null : this.#stopping;
  }

  /** Starts with recovery: first the journal, then the venue, and only then the strategies. */
  async #begin(): Promise<void> {
    this.#commitLoop.checkpoints.recover();
    const { assumptions, pins, manual, ready } = this.#options;
    const given = { ...(assumptions && { assumptions }), ...(pins && { pins }) };
    this.#take({ kind: 'recovered', ...given, manual: manual !== undefined });
    this.#isOpened = manual === 'reads' && this.kernel.context.accountState.opened !== null;
    this.#commands.begin();
    if (manual === 'reads') return;
    try {
      if (manual === 'cancels') {
        this.#recovery.start();
        await this.#polling.startForCancel(this.#listedSince()).then(ready);
      } else await this.#meetVenue();
    } catch (error) {
      this.#guarded(() => this.#commitLoop.take({ kind: 'ended', why: messageOf(error), how: howOf(error) }));
      throw error;
    }
  }

  async #meetVenue(): Promise<void> {
    const { calendar, clock, venue, manual } = this.#options;
    this.#take({ kind: 'listed', listings: await venue.listings() });
    const { instruments } = this.kernel.context.market;
    // A later start continues without a delisted stock, so that the others do not wait for it.
    if (this.kernel.lastRun.seenUntil === null) checkSymbols(this.#options.strategies, instruments);
    this.#take(delegationEvent(await venue.delegation()));
    this.#recovery.start();
    await this.#polling.readTerms();
    if (!(await this.#startCheck.pass())) return;
    reportFound(this.kernel, calendar, this.notify);
    const bars = await this.#feed.warmUp(clock.now(), instruments);
    this.#take({ kind: 'warm', bars: withRecalled(bars, this.#options, this.notify) });
    if (this.#stopping !== null) return;
    const awaited = awaitedAtStart(this.kernel, this.#options, this.notify);
    this.#take({ kind: 'start', awaited });
    this.#phase = 'running';
    reportTimers(this.kernel.context, this.#options, this.notify);
    if (!manual) this.#guarded(() => this.#scheduler.start());
    this.#polling.start();
    this.#options.ready?.();
  }

  /** Time from which the order list may have changes. */
  #listedSince(): EpochMs {
    const { calendar, clock } = this.#options;
    return this.kernel.lastRun.seenUntil ?? calendar.previousSession(clock.now()).close;
  }

  /** Reads the order list as far back as it may have changes, and then the account. */
  async #lookAtStart(): Promise<StartLook> {
    const [{ clock }, { context }] = [this.#options, this.kernel];
    const apart = await lookAtClocks(this.#options, this.#span, (event) => this.#take(event));
    if (apart !== null) return apart;
    const begun = clock.now();
    await this.#polling.sweep(this.#listedSince());
    await this.#polling.readTransfers();
    await this.#polling.readExternal();
    let asked = clock.now();
    const opening = context.accountState.opened === null ? await this.#polling.account() : null;
    if (opening !== null) this.#open(opening);
    await this.#polling.readActions();
    if (opening === null) asked = clock.now();
    const report = opening ?? (await this.#polling.account());
    this.#open(report);
    if (this.#isOpened) this.#take({ kind: 'account', asked, report });
    const counted = this.kernel.stockTerms.counted(report);
    return { complete: (context.reads.sweptAt ?? -Infinity) >= begun, report: counted };
  }

  /** Opens the ledger once, but not while an unaccepted external order may still change the opening balances. */
  #open(account: AccountReport): void {
    const { opened, externals } = this.kernel.context.accountState;
    if (this.#isOpened || (opened === null && externals.unaccepted.size > 0)) return;
    this.#isOpened = true;
    this.#take({ kind: 'opened', account });
  }

  /** Reads everything from the venue once. A dividend counts the shares left by orders, so actions come after orders. */
  async #lookAtAll(): Promise<void> {
    this.#take({ kind: 'listed', listings: await this.#options.venue.listings() });
    await this.#lookAtOrders(() => this.#polling.readActions());
  }

  async #lookAtOrders(readActions?: () => Promise<void>): Promise<void> {
    this.#take(delegationEvent(await this.#options.venue.delegation()));
    await this.#polling.sweep();
    await readActions?.();
    await this.#polling.readTransfers();
    if (!this.#isOpened) return;
    const asked = this.#options.clock.now();
    this.#take({ kind: 'account', asked, report: await this.#polling.account() });
  }

  #resume(): void {
    if (this.#phase === 'running' && !this.#options.manual) this.#guarded(() => this.#scheduler.start());
  }

  #waitForStart(): void {
    this.#span.wait(this.#options.calendar);
    this.#compared();
    this.#options.ready?.();
  }

  /** Runs a timer, unless it fires first after a gap: the new schedule has it again if it is still due. */
  #fire(run: () => void): void {
    this.#recovery.check();
    if (this.#recovery.reason === null) this.#guarded(run);
  }

  /** Ends the run after its last close, once all orders and transfers have ended and the ledger is settled. */
  #compared(): void {
    const { live, transfers } = this.kernel.context.accountState;
    const isOver = live.size === 0 && transfers.live.size === 0 && this.kernel.reconciliation.settled;
    if (isOver) this.#span.settled();
  }

  #fail(error: unknown): void {
    if (this.#failure?.message === messageOf(error)) return;
    this.#failure ??= error instanceof Error ? error : new Error(messageOf(error));
    this.notify('alarm', messageOf(error), { code: 'RUN_FAILED' });
    this.stop('the run has failed');
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #end(): Promise<void> {
    const { clock, periods, manual } = this.#options;
    this.#phase = 'stopping';
    this.#scheduler.stop();
    this.#guarded(() => this.#take({ kind: 'stop', cancel: this.#cancelsAtStop && this.#failure === null }));
    await atMost(ANSWERS_MS, clock, () => Promise.all([this.#polling.stop(), this.#orders.settle()]));
    this.#phase = 'draining';
    const look = () => this.#lookAtOrders();
    const draining = { kernel: this.kernel, clock, everyMs: periods.ordersMs, look };
    if (this.#failure === null && !manual) await drain(draining).catch((error: unknown) => this.#fail(error));
    this.#phase = 'stopped';
    this.#orders.end();
    this.#guarded(() => {
      const why = this.#stopping ?? 'the end of the run';
      const how = this.#failure === null ? 'in order' : 'crashed';
      if (!manual) this.#commitLoop.take({ kind: 'ended', why, how });
      this.#commitLoop.flush();
    });
    reportLeft(this.kernel, this.notify);
  }

  #report(how: StopReport['how']): RunReport {
    const why = this.#stopping ?? 'the end of the run';
    const { unconfirmed } = this.#startCheck;
    return {
      ...summarise(this.kernel, this.#options.clock.now()),
      stop: { why, how, left: leftBehind(this.kernel), ...(unconfirmed === null ? {} : { unconfirmed }) },
    };
  }
}
