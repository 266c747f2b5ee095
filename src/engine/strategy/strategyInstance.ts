import { toNumber } from '../../core/amount.ts';
import { messageOf } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { DataNeeds, StrategyState } from '../../strategy/contract.ts';
import { quotePhases, symbolsOf, type QuotePhases } from '../../strategy/dataNeeds.ts';
import { heldNames } from '../account/dayReport.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { RuntimeLoss } from '../state/precedents.ts';
import {
  RuntimeLostError,
  type CreateRuntime,
  type HookCall,
  type StrategyRuntime,
} from './strategyRuntime.ts';
import { DatedSeries, type SeriesColumns } from '../../market/datedSeries.ts';
import { barEnd } from '../../market/series.ts';
import { barsOf, viewOf } from './view.ts';
import { ViewFeed } from './viewData.ts';
import { PlotBuffer } from './plotBuffer.ts';
import { StrategyLog } from './strategyLog.ts';
import type { AllowedOrder, Trading } from './trading.ts';
import { historyOf, PastBars, type WarmUpPolicy } from './warmUp.ts';
import { StrategyOrders } from './strategyOrders.ts';
import type { Rest } from '../../domain/orders/orderIntent.ts';

export type StrategySetup = Readonly<{
  id: string;
  createRuntime: CreateRuntime;
  /** Symbols and bars that its `data` requests with these parameters. */
  needs: DataNeeds;
  /** Text of an error thrown by its code: the place in the author's file, and the error. */
  explain?: (thrown: unknown) => string;
  /** Orders that the config allows it beyond the usual ones. Default: none. */
  allowOrders?: ReadonlySet<AllowedOrder>;
  /** Rule of its rebalances for stocks without a weight, if the call states none. */
  rest?: Rest | undefined;
  /** Policy for a warm-up that is incomplete when a run starts. Default `allow`. */
  warmUp?: WarmUpPolicy;
  /** Rows of the dated series that it requests, by name. */
  series?: ReadonlyMap<string, SeriesColumns>;
}>;

const NO_PHASES: QuotePhases = new Map();
const NO_ORDERS: ReadonlySet<AllowedOrder> = new Set();

/** One strategy of a run: builds it, calls its hooks and keeps its state. An error thrown by it stops only this strategy. */
export class StrategyInstance {
  readonly id: string;
  readonly setup: StrategySetup;
  readonly orders: StrategyOrders;
  readonly series: ReadonlyMap<string, DatedSeries>;
  readonly #log: StrategyLog;
  readonly #plots: PlotBuffer;
  readonly #context: EngineContext;
  readonly #trading: Trading;
  readonly #runtime: StrategyRuntime;
  readonly #phases: QuotePhases;
  readonly #known: ReadonlySet<string>;
  /** State as last journaled. */
  #kept = '{}';
  /** True once the state has a value that cannot be stored: this is reported once, and the last stored state stays. */
  #isUnkeepable = false;
  /** True if it receives order updates: it has `onOrder`, or is not built yet. */
  hearsOrders = true;
  /** Phases in which it receives the quotes of each symbol; none without `onQuote`. */
  quotePhases: QuotePhases = NO_PHASES;
  /** True if it takes the bars of one time together. */
  takesBars = false;
  #isBuilt = false;
  /** True from the end of its `onStart` until its orderly stop. */
  #isStarted = false;
  /** True while an old bar is shown: logs and plots are ignored then. */
  #isShowingOld = false;
  /** End of the old bar being shown: rows that became known later are hidden. */
  #oldBarEnd: number | null = null;

  constructor(context: EngineContext, trading: Trading, setup: StrategySetup) {
    this.id = setup.id;
    this.setup = setup;
    this.#context = context;
    this.#trading = trading;
    this.#phases = quotePhases(setup.needs);
    const known = symbolsOf(setup.needs);
    this.#known = known;
    const until = () => this.#oldBarEnd ?? context.now;
    this.series = new Map(
      [...(setup.series ?? [])].map(([name, columns]) => [name, new DatedSeries(columns, until)]),
    );
    const asked = { known, bars: barsOf(setup.needs), series: this.series, fetches: setup.needs.fetch ?? [] };
    const scope = { strategyId: setup.id, ...asked, until };
    const view = viewOf(context, scope);
    const isOpen = () => this.orders.isOpen && !this.#isShowingOld && context.precedents.keepsRemarks;
    this.#log = new StrategyLog(context, setup.id, isOpen);
    this.#plots = new PlotBuffer({ known, now: () => context.now, isOpen, log: this.#log.write });
    const { allowOrders: allowed = NO_ORDERS, rest } = setup;
    this.orders = new StrategyOrders(context, trading, { ...scope, allowed, rest });
    this.#runtime = setup.createRuntime({
      view,
      order: this.orders,
      log: this.#log.write,
      plot: this.#plots.plot,
      feed: new ViewFeed(context, view, scope),
      noteLate: () => this.orders.noteLate(),
    });
  }

  get isInThread(): boolean {
    return this.#runtime.isInThread;
  }

  /** True for a stock that it requests. */
  knows(symbol: string): boolean {
    return this.#known.has(symbol);
  }

  /** True once it is built, unless it waits or was stopped by its own error. */
  isRunning(): boolean {
    const { stopped, warming } = this.#context.accountState;
    const allRun = stopped.size === 0 && warming.size === 0;
    return this.#isBuilt && (allRun || (this.#isSound() && !this.isWarming()));
  }

  /** True while it waits for its warm-up: it receives only bars, and its orders are ignored. */
  isWarming(): boolean {
    return this.#context.accountState.warming.has(this.id);
  }

  /** True once it is built, unless it was stopped by its own error. */
  #isSound(): boolean {
    return this.#isBuilt && !this.#context.accountState.stopped.has(this.id);
  }

  /** Builds the strategy on its stored state. `isAfresh`: with its file loaded again. */
  build(isAfresh = false): void {
    this.#kept = JSON.stringify(this.#context.accountState.states.get(this.id) ?? {});
    if (this.#context.accountState.stopped.has(this.id))
      this.#context.record({ kind: 'strategyStarted', strategyId: this.id });
    this.#isUnkeepable = false;
    try {
      this.#runtime.build(this.#kept, isAfresh);
      this.#isBuilt = true;
      this.hearsOrders = this.#runtime.has('onOrder');
      this.quotePhases = this.#runtime.has('onQuote') ? this.#phases : NO_PHASES;
      this.takesBars = this.#runtime.has('onBars');
    } catch (thrown) {
      if (thrown instanceof RuntimeLostError) this.build();
      else this.#stopFor(thrown);
    }
  }

  /** Shows old bars, which may fill indicators but change neither orders nor the stored state. */
  warm(bar: Bar): void {
    this.resume(bar);
    if (this.#showOld(bar, (run) => run())) this.warm(bar);
  }

  /** Shows an old bar. True if nothing ran because the code is lost. */
  #showOld(bar: Bar, as: (run: () => void) => void): boolean {
    if (!this.#isSound()) return false;
    const before = this.#written();
    if (this.#isUnkeepable) return false;
    if (this.series.size > 0 || this.setup.needs.fetch) this.#oldBarEnd = barEnd(bar, this.#context.calendar);
    this.#isShowingOld = true;
    const lost = this.#guarded(() => as(() => this.#runtime.warm(bar, before)));
    this.#isShowingOld = false;
    this.#oldBarEnd = null;
    return lost;
  }

  /** Builds it again on its stored state, as a restart does, because values computed from old prices are invalid. */
  rebuild(bars: readonly Bar[], isAfresh = false): void {
    if (!this.#isSound()) return;
    this.orders.enabled = false;
    this.build(isAfresh);
    const past = new PastBars(this.#context, this.setup);
    for (const bar of bars) {
      // Lost again: `resume` has already restarted it.
      if (this.resume()) return;
      if (this.#showOld(bar, (run) => past.show(bar, run))) return void this.resume();
    }
    if (this.#isStarted) this.start();
  }

  /**
   * Restarts it if another strategy has ended the thread that both shared: on the state after its latest hook, with its
   * warm-up bars. False if its code is still there. `unseen`: a bar of the market that it has not received.
   */
  resume(unseen?: Bar): boolean {
    const lost = this.#context.precedents.restartOf?.(this.id) ?? this.#runtime.lost;
    return lost !== null && this.#restart(lost, unseen);
  }

  /** Restarts the strategy. False if it was stopped by its own error. */
  #restart({ message: why, alone }: RuntimeLoss, unseen: Bar | undefined): boolean {
    if (!this.#isSound()) return false;
    const { enabled } = this.orders;
    this.#context.record({ kind: 'strategyRestarted', strategyId: this.id, why, alone });
    this.#context.notify('strategy', `restarts on its stored state: ${why}`, this.id);
    this.keepState();
    this.rebuild(historyOf(this.#context, this.setup, unseen), true);
    this.orders.enabled = enabled;
    return true;
  }

  start(): void {
    this.#isStarted = false;
    this.orders.enabled = true;
    this.call({ hook: 'onStart' });
    this.#isStarted = true;
  }

  stop(): void {
    this.#isStarted = false;
    this.orders.enabled = false;
    this.call({ hook: 'onStop' });
    this.settle();
  }

  /** Waits for promises that its hooks left behind; an error in them also stops it. */
  settle(): void {
    if (!this.isRunning()) return;
    try {
      this.#runtime.settle();
    } catch (thrown) {
      if (!(thrown instanceof RuntimeLostError)) this.#stopFor(thrown);
    }
  }

  /** Shows a finished bar. Hot path of a backtest: nothing but the call. */
  bar(bar: Bar): void {
    this.resume(bar);
    if (!this.isRunning()) return;
    this.orders.isOpen = true;
    try {
      this.#runtime.bar(bar);
      this.orders.isOpen = false;
    } catch (thrown) {
      if (this.#isLost(thrown)) this.bar(bar);
    }
  }

  /** Shows a finished bar on which it may not order. State that it derives from the bar is kept. */
  study(bar: Bar): void {
    const { enabled } = this.orders;
    this.orders.enabled = false;
    this.bar(bar);
    this.orders.enabled = enabled;
  }

  call(call: HookCall): void {
    this.resume();
    if (!this.isRunning()) return;
    if (this.#guarded(() => this.#runtime.call(call))) this.call(call);
  }

  /** Delivers the fill of a closed order, once. A strategy that is not running receives it when it runs again. */
  deliverFill({ id, intentId, state, terms, tag, parent }: Order): void {
    if (!this.isRunning() || state.kind !== 'closed' || !state.settlement) return;
    this.#context.record({ kind: 'fillDelivered', id });
    if (!this.#runtime.has('onFill')) return;
    const { price, pay, receive, mintFee, protocolFee } = state.settlement;
    const fill = {
      orderId: parent?.id ?? intentId,
      leg: parent?.leg ?? null,
      symbol: terms.symbol,
      side: terms.side,
      shares: toNumber(terms.side === 'buy' ? receive : pay),
      price: toNumber(price),
      fee: toNumber(mintFee + protocolFee),
      tag: tag ?? null,
      at: this.#context.now,
    };
    this.call({ hook: 'onFill', fill });
  }

  /** Journals the state if it has changed. Called in each step, so changes by a thread between two hooks are found too. */
  keepState(): void {
    if (this.#isUnkeepable) return;
    const text = this.#written();
    if (text === this.#kept) return;
    this.#kept = text;
    this.#context.record({
      kind: 'strategyState',
      strategyId: this.id,
      state: JSON.parse(text) as StrategyState,
    });
  }

  /** Journals the state if it has changed, and the plotted values that are due. @param isEnd all are due */
  keep(isEnd: boolean): void {
    this.keepState();
    const series = this.#plots.hasNew ? this.#plots.take(this.#context.now, isEnd) : [];
    if (series.length > 0) this.#context.record({ kind: 'plotted', strategyId: this.id, series });
  }

  /** The state as text. A state that cannot be stored stops the strategy, and the previous one stays. */
  #written(): string {
    try {
      return this.#runtime.state();
    } catch (thrown) {
      this.#isUnkeepable = true;
      this.#stopFor(thrown);
      return this.#kept;
    }
  }

  /** Runs a hook. True if nothing ran because the code was lost: the call must be repeated. */
  #guarded(run: () => void): boolean {
    this.orders.isOpen = true;
    try {
      run();
      this.orders.isOpen = false;
      return false;
    } catch (thrown) {
      return this.#isLost(thrown);
    }
  }

  /** Ends a hook that threw. True if its code was lost; an error of its own stops the strategy. */
  #isLost(thrown: unknown): boolean {
    this.orders.isOpen = false;
    const lost = thrown instanceof RuntimeLostError;
    if (!lost) this.#stopFor(thrown);
    return lost;
  }

  #stopFor(thrown: unknown): void {
    const error = (this.setup.explain ?? messageOf)(thrown);
    this.#context.record({ kind: 'strategyStopped', strategyId: this.id, error });
    this.#context.notify('alarm', `stopped by its own error: ${error}`, {
      code: 'STRATEGY_STOPPED',
      strategyId: this.id,
    });
    const { intents, synthetics } = this.#trading;
    for (const { id, strategyId, command, parent } of [...this.#context.accountState.intents.values()])
      if (strategyId === this.id && command === undefined && parent === undefined)
        intents.cancel(id, 'its strategy has stopped', 'STRATEGY_STOPPED');
    synthetics.cancelEntries(this.id, 'its strategy has stopped');
    const guards = heldNames(this.#context, this.id);
    if (guards !== null) this.#context.notify('strategy', `this bot keeps watching: ${guards}`, this.id);
  }
}
