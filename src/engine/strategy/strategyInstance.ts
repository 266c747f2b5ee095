import { toNumber } from '../../core/amount.ts';
import { moneyText, signedMoney } from '../../domain/amountText.ts';
import { messageOf } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { type Order, filledOf } from '../../domain/orders/order.ts';
import type { DataNeeds, StrategyState } from '../../strategy/contract.ts';
import { quotePhases, type QuotePhases } from '../../strategy/dataNeeds.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { CreateRuntime, HookCall, StrategyRuntime } from './strategyRuntime.ts';
import { DatedSeries, type SeriesColumns } from '../../market/datedSeries.ts';
import { barEnd } from '../../market/series.ts';
import { barsOf, symbolsOf, viewOf } from './view.ts';
import { ViewFeed } from './viewData.ts';
import { PlotBuffer } from './plotBuffer.ts';
import { StrategyLog } from './strategyLog.ts';
import type { AllowedOrder, Trading } from './trading.ts';
import type { WarmUpPolicy } from './warmUp.ts';
import { StrategyOrders } from './strategyOrders.ts';
import type { Session } from '../../calendar/index.ts';
import type { Rest } from '../../domain/orders/orderIntent.ts';
import { describeIntent, describeSynthetic, describeTerms } from '../../domain/describe.ts';
import { feesOf, bookedEquityOf } from '../state/exposure.ts';

export type StrategySetup = Readonly<{
  id: string;
  /** Runs its code. */
  createRuntime: CreateRuntime;
  /** Symbols and bars that its `data` asks for with these parameters. */
  needs: DataNeeds;
  /** Text of an error that its code threw: the place in the author's file, and the error. */
  explain?: (thrown: unknown) => string;
  /** Orders that the config allows it beyond the usual ones. Default none. */
  allowOrders?: ReadonlySet<AllowedOrder>;
  /** Fate of stocks that the weights of its rebalances omit, where a call does not say it. */
  rest?: Rest | undefined;
  /** Consequence of a warm-up that is incomplete when a run starts. Default `allow`. */
  warmUp?: WarmUpPolicy;
  /** Rows of the dated series that it asks for, by name. */
  series?: ReadonlyMap<string, SeriesColumns>;
}>;

const NO_PHASES: QuotePhases = new Map();
const NO_ORDERS: ReadonlySet<AllowedOrder> = new Set();

/** One strategy of a run: builds it, calls its hooks and keeps its state. An error that it throws stops it, and nothing else. */
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
  /** True once the state holds a value that cannot be kept: reported once, and the state kept before stays. */
  #isUnkeepable = false;
  #isBuilt = false;
  /** End of the old bar that is being shown: no row that became known later is shown with it. */
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
    const scope = { strategyId: setup.id, known, bars: barsOf(setup.needs), series: this.series };
    const view = viewOf(context, scope);
    this.#log = new StrategyLog(context, setup.id);
    this.#plots = new PlotBuffer({
      known,
      now: () => context.now,
      isOpen: () => this.#log.isOpen && context.keepsRemarks,
      log: this.#log.write,
    });
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

  /** True when it is notified of its orders: it has `onOrder`, or is not built yet. */
  get hearsOrders(): boolean {
    return !this.#isBuilt || this.#runtime.has('onOrder');
  }

  /** Phases in which it receives the quotes of each symbol; none without `onQuote`. */
  get quotePhases(): QuotePhases {
    return this.#runtime.has('onQuote') ? this.#phases : NO_PHASES;
  }

  /** True when it takes the bars of an instant together. */
  get takesBars(): boolean {
    return this.#runtime.has('onBars');
  }

  /** True for a stock that it asks for. */
  knows(symbol: string): boolean {
    return this.#known.has(symbol);
  }

  get running(): boolean {
    return this.#isSound && !this.isWarming;
  }

  /** True while it waits for the bars of its warm-up: it is shown bars alone, and its orders are ignored. */
  get isWarming(): boolean {
    const { warming } = this.#context.accountState;
    return warming.size > 0 && warming.has(this.id);
  }

  /** True once it is built, unless its own error has stopped it. */
  get #isSound(): boolean {
    const { stopped } = this.#context.accountState;
    return this.#isBuilt && (stopped.size === 0 || !stopped.has(this.id));
  }

  /** Builds the strategy on the state that it kept. */
  build(): void {
    this.#kept = JSON.stringify(this.#context.accountState.states.get(this.id) ?? {});
    if (this.#context.accountState.stopped.has(this.id))
      this.#context.record({ kind: 'strategyStarted', strategyId: this.id });
    this.#isUnkeepable = false;
    try {
      this.#runtime.build(this.#kept);
      this.#isBuilt = true;
    } catch (thrown) {
      this.#stopFor(thrown);
    }
  }

  /** Shows old bars, which may fill indicators but change neither orders nor the kept state. */
  warm(bar: Bar): void {
    if (!this.#isSound) return;
    const before = this.#written();
    if (this.#isUnkeepable) return;
    if (this.series.size > 0) this.#oldBarEnd = barEnd(bar, this.#context.calendar);
    this.#guarded(() => this.#runtime.warm(bar, before));
    this.#oldBarEnd = null;
  }

  /** Builds it again on the state that it kept, as a restart does, because values computed from old prices are void. */
  rebuild(bars: readonly Bar[]): void {
    if (!this.#isSound) return;
    this.orders.enabled = false;
    this.build();
    for (const bar of bars) this.warm(bar);
    if (!this.isWarming) this.start();
  }

  start(): void {
    this.orders.enabled = true;
    this.call({ hook: 'onStart' });
  }

  stop(): void {
    this.orders.enabled = false;
    this.call({ hook: 'onStop' });
    this.settle();
  }

  /** Waits for promises that its hooks left behind; an error in them stops it too. */
  settle(): void {
    if (!this.running) return;
    try {
      this.#runtime.settle();
    } catch (thrown) {
      this.#stopFor(thrown);
    }
  }

  /** Shows a finished bar. The hot path of a backtest: nothing here but the call. */
  bar(bar: Bar): void {
    if (!this.running) return;
    this.orders.isOpen = true;
    this.#log.isOpen = true;
    try {
      this.#runtime.bar(bar);
    } catch (thrown) {
      this.#stopFor(thrown);
    }
    this.orders.isOpen = false;
    this.#log.isOpen = false;
  }

  /** Shows a finished bar on which it may not order. What it remembers of the bar stays. */
  study(bar: Bar): void {
    const { enabled } = this.orders;
    this.orders.enabled = false;
    this.bar(bar);
    this.orders.enabled = enabled;
  }

  call(call: HookCall): void {
    if (!this.running) return;
    this.#log.isOpen = true;
    this.#guarded(() => this.#runtime.call(call));
    this.#log.isOpen = false;
  }

  /** Delivers the fill of a closed order, once. A strategy that is not running gets it when it runs again. */
  deliverFill({ id, intentId, state, terms, tag, parent }: Order): void {
    if (!this.running || state.kind !== 'closed' || !state.settlement) return;
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

  /** Journals the state if it has changed. */
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

  /** Journals the state if it has changed, and plotted values that are due. @param isEnd all are due */
  keep(isEnd: boolean): void {
    this.keepState();
    const series = this.#plots.take(isEnd);
    if (series.length > 0) this.#context.record({ kind: 'plotted', strategyId: this.id, series });
  }

  /** The state as text; one that cannot be stored stops the strategy, and the earlier one stays. */
  #written(): string {
    try {
      return this.#runtime.state();
    } catch (thrown) {
      this.#isUnkeepable = true;
      this.#stopFor(thrown);
      return this.#kept;
    }
  }

  #guarded(run: () => void): void {
    this.orders.isOpen = true;
    try {
      run();
    } catch (thrown) {
      this.#stopFor(thrown);
    }
    this.orders.isOpen = false;
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
    if (guards !== null) this.#context.notify('strategy', `this bot goes on watching: ${guards}`, this.id);
  }
}

/** Delay in ms after which a close counts as missed: later events are not part of its day. */
const LATE_MS = 3_600_000;
/** Maximum number of open orders listed by name. */
const NAMED_MAX = 5;

/** Reports the day of each strategy at a close: profit since the open, orders, fees, and what is still open. */
export function reportDay(context: EngineContext, ids: readonly string[], { open, close }: Session): void {
  if (context.quiet || context.now - close > LATE_MS) return;
  for (const id of ids) {
    const start = context.accountState.dayStart?.get(id);
    if (start === undefined) continue;
    const own = [...context.accountState.orders.values()].filter(({ strategyId }) => strategyId === id);
    const live = [...context.accountState.live.values()].filter(({ strategyId }) => strategyId === id);
    const placed = own.filter(({ plannedAt }) => plannedAt >= open);
    const ended = own.filter((order) => (context.accountState.ended.get(order.id)?.at ?? 0) >= open);
    const pnl = bookedEquityOf(context, id) - start;
    const filled = ended.filter((order) => filledOf(order) > 0n).length;
    const fees = moneyText(feesOf(ended));
    const day = `day: ${signedMoney(pnl)} mUSD; orders ${placed.length}, filled ${filled}, fees ${fees}`;
    context.notify(
      'session',
      `${day}; ${openText(live)}${waitingText(context, id)}${heldText(context, id)}`,
      id,
    );
  }
  reportTotal(context, open);
}

/** Reports the day of all strategies together, with those that are not in the config any more. */
function reportTotal(context: EngineContext, open: number): void {
  const { allocations, dayStart, ended, orders } = context.accountState;
  const start = dayStart?.get(UNALLOCATED);
  if (start === undefined || allocations.size < 2) return;
  let equity = 0n;
  for (const id of allocations.keys()) equity += bookedEquityOf(context, id);
  const today = [...orders.values()].filter(({ id }) => (ended.get(id)?.at ?? 0) >= open);
  const fees = moneyText(feesOf(today));
  context.notify('session', `day of all strategies: ${signedMoney(equity - start)} mUSD, fees ${fees}`);
}

/** Intent of a strategy that has not been sent yet. */
function waitingText({ accountState: { intents, open } }: EngineContext, id: string): string {
  const waiting = [...intents.values()].filter((intent) => intent.strategyId === id && !open.of(intent.id));
  if (waiting.length === 0) return '';
  const more = waiting.length > NAMED_MAX ? ` and ${waiting.length - NAMED_MAX} more` : '';
  return `; waits to be sent: ${waiting.slice(0, NAMED_MAX).map(describeIntent).join(', ')}${more}`;
}

/** Orders of a strategy that the runner holds overnight. */
function heldText(context: EngineContext, id: string): string {
  const names = heldNames(context, id);
  return names === null ? '' : `; this bot, not the venue, holds overnight: ${names}`;
}

/** Orders of a strategy that the runner holds and does not end, by name; null without any. */
function heldNames({ accountState: { synthetics } }: EngineContext, id: string): string | null {
  if (synthetics.live.size === 0) return null;
  const held = [...synthetics.live.values()].filter(
    ({ order, ending }) => order.strategyId === id && ending === null,
  );
  if (held.length === 0) return null;
  const more = held.length > NAMED_MAX ? ` and ${held.length - NAMED_MAX} more` : '';
  const names = held.slice(0, NAMED_MAX).map(({ order }) => describeSynthetic(order));
  return `${names.join(', ')}${more}`;
}

function openText(live: readonly Order[]): string {
  if (live.length === 0) return 'nothing open';
  const more = live.length > NAMED_MAX ? ` and ${live.length - NAMED_MAX} more` : '';
  const named = live.slice(0, NAMED_MAX).map(({ terms }) => describeTerms(terms));
  return `open: ${named.join(', ')}${more}`;
}
