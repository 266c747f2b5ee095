import type { z } from 'zod';
import { newYorkMinute, tradingCalendar } from '../calendar/index.ts';
import { cash as asCash, wadFromNumber } from '../core/amount.ts';
import { SECOND_MS, epochMs, type EpochMs } from '../core/brand.ts';
import { InvalidValueError, messageOf, StrategyError } from '../core/errors.ts';
import { VirtualClock } from '../core/virtualClock.ts';
import type { Interval } from '../domain/bar.ts';
import type { PollingPeriods } from '../domain/operator/settings.ts';
import { DOCUMENTED_FEES } from '../domain/fees.ts';
import { ticker } from '../domain/instrument.ts';
import { txHashOf } from '../domain/orders/order.ts';
import type { Notice } from '../engine/state/notice.ts';
import { inProcess, type CreateRuntime, type HookCall } from '../engine/strategy/strategyRuntime.ts';
import { EVERY_ORDER } from '../engine/strategy/trading.ts';
import { Runner } from '../engine/runtime/runner.ts';
import { seriesOf } from '../market/seriesCsv.ts';
import type { RunnerOptions } from '../engine/runtime/runOptions.ts';
import type { Fill, StrategyDefinition, StrategyState, View } from '../strategy/contract.ts';
import type { SessionTime } from '../strategy/orderTerms.ts';
import { StagedExchange, StagedMarket } from './exchange.ts';
import { clockOf, emptyDisk, journalOn, type Disk, type Life } from './memory.ts';
import { filesOf, limitsOf, type Prices, type StageOptions } from './options.ts';
import {
  barOf,
  barStartsBefore,
  instantOfText,
  nextBar,
  nextTime,
  spanMs,
  type BarPrices,
  type Span,
} from './times.ts';
import { Transcript, type Intent, type LogEntry, type PlotEntry } from './transcript.ts';

/** Time in ms after the end of a bar within which a run has read it. */
const BAR_READ_MS = 3 * SECOND_MS;
/** Maximum time in ms to wait for pending orders. */
const SETTLE_MS = 120 * SECOND_MS;
/** Maximum time in ms for a start. */
const START_MS = 60 * SECOND_MS;
/** Polling periods of a run, in ms, and those used while a long time passes. */
const PERIODS: PollingPeriods = { quotesMs: 5_000, ordersMs: 2_000, restingMs: 5_000, accountMs: 30_000 };
const LONG_PERIODS: PollingPeriods = {
  quotesMs: 60_000,
  ordersMs: 30_000,
  restingMs: 60_000,
  accountMs: 300_000,
};
/** Time in ms before the end of a long wait at which polling returns to its normal periods. */
const LONG_MS = 120 * SECOND_MS;
const RULES = { collarBps: 50, deadlineMs: 90_000, fees: DOCUMENTED_FEES, readsChain: true };

/**
 * A strategy on a stage: a run's engine with its journal, a simulated exchange, and virtual time. A test moves prices and time;
 * the strategy receives the same data and calls as in a run, and each method returns when nothing more happens at that instant.
 * An error thrown by a hook rejects the call during which it was thrown.
 */
export class Stage<Params extends z.ZodType = z.ZodType> {
  readonly #definition: StrategyDefinition<Params>;
  readonly #options: StageOptions<z.input<Params>>;
  readonly #params: z.output<Params>;
  readonly #clock: VirtualClock;
  readonly #market = new StagedMarket();
  readonly #disk: Disk = emptyDisk();
  readonly #transcript = new Transcript();
  readonly #notices: Notice[] = [];
  readonly #periods: { -readonly [Key in keyof PollingPeriods]: PollingPeriods[Key] } = { ...PERIODS };
  #exchange: StagedExchange;
  #life: Life = { isOver: false };
  #runner: Runner;
  #view: View | null = null;
  #failure: unknown = null;

  private constructor(definition: StrategyDefinition<Params>, options: StageOptions<z.input<Params>>) {
    this.#definition = definition;
    this.#options = options;
    this.#params = definition.params.parse(options.params);
    this.#clock = new VirtualClock({ start: instantOfText(options.start ?? '2026-06-15T10:00') });
    for (const [symbol, price] of Object.entries(options.prices)) this.#market.set(symbol, price);
    this.#addHistory();
    this.#exchange = this.#openExchange();
    this.#runner = this.#newRunner();
  }

  /**
   * Starts a strategy.
   * @throws {ZodError} for invalid parameters, {ConfigError} when `data` requests a stock without a price
   */
  static async open<Params extends z.ZodType>(
    definition: StrategyDefinition<Params>,
    options: StageOptions<z.input<Params>>,
  ): Promise<Stage<Params>> {
    const stage = new Stage(definition, options);
    await stage.#begin();
    return stage;
  }

  /** New York time, such as `2026-06-15 10:00`. */
  get time(): string {
    return newYorkMinute(this.#clock.now());
  }

  /** Current view of the strategy: cash, positions, prices, its orders. */
  get view(): View {
    if (!this.#view) throw new InvalidValueError('the strategy has not been built');
    return this.#view;
  }

  /** State of the strategy as stored in the journal. */
  get state(): StrategyState {
    return this.#runner.kernel.context.accountState.states.get(this.#definition.name) ?? {};
  }

  /** Alarms raised by the run, oldest first. */
  get alarms(): string[] {
    return this.#notices.filter(({ kind }) => kind === 'alarm').map(({ text }) => text);
  }

  /** Order intents since the last call. */
  intents(): Intent[] {
    return this.#transcript.intents.splice(0);
  }

  /** Hook calls since the last call, without the warm-up. */
  heard(): HookCall[] {
    return this.#transcript.heard.splice(0);
  }

  /** Lines logged by the strategy since the last call. */
  logged(): LogEntry[] {
    return this.#transcript.logged.splice(0);
  }

  /** Passes the strategy the text of a URL requested in its `data`. */
  fetched(name: string, text: string): void {
    this.#runner.heed({ kind: 'fetched', strategyId: this.#definition.name, name, answer: { text } });
  }

  /** Values plotted by the strategy since the last call. */
  plotted(): PlotEntry[] {
    return this.#transcript.plotted.splice(0);
  }

  /** Fills since the first start, oldest first. */
  get fills(): readonly Fill[] {
    return this.#transcript.fills;
  }

  /** Sets prices, and lets the run read them. */
  async quote(prices: Prices): Promise<void> {
    for (const [symbol, price] of Object.entries(prices)) this.#market.set(symbol, price);
    await this.pass({ seconds: PERIODS.quotesMs / SECOND_MS });
  }

  /**
   * Lets time pass to the end of the next bar of an interval, with these prices. The market price is then the bar's
   * close.
   */
  async bars(interval: Interval, prices: Readonly<Record<string, BarPrices>>): Promise<void> {
    const { start, end } = nextBar(interval, this.#clock.now());
    await this.#advanceTo(epochMs(end - SECOND_MS));
    for (const [name, each] of Object.entries(prices)) {
      const bar = barOf(each, { symbol: ticker(name), interval, start });
      this.#market.add(bar);
      this.#market.set(name, bar.close);
    }
    await this.#advanceTo(epochMs(end + BAR_READ_MS));
  }

  /** Lets time pass: quotes are read, timers fire, orders fill, sessions open and close. */
  async pass(span: Span): Promise<void> {
    await this.#advanceTo(epochMs(this.#clock.now() + spanMs(span)));
  }

  /** Lets time pass to the next instant of a session time: `10:30`, `open+5m`, `close-30m`. */
  async to(time: SessionTime): Promise<void> {
    await this.#advanceTo(nextTime(time, this.#clock.now()));
  }

  /**
   * Lets the run read prices once more, and then time pass until every order has ended or rests at the exchange, at most
   * two minutes.
   */
  async settle(): Promise<void> {
    const until = epochMs(this.#clock.now() + SETTLE_MS);
    await this.pass({ seconds: PERIODS.quotesMs / SECOND_MS });
    while (this.#isMoving() && this.#clock.now() < until) await this.pass({ seconds: 1 });
  }

  /** Kills the run like `kill -9`, and starts another from its journal. */
  async restart(): Promise<void> {
    this.#life.isOver = true;
    this.#life = { isOver: false };
    this.#exchange = this.#openExchange();
    this.#runner = this.#newRunner();
    await this.#begin();
  }

  /** Shuts the run down: the strategy's `onStop` is called. */
  async stop(): Promise<void> {
    this.#runner.stop('the test is over');
    await this.pass({ minutes: 2 });
  }

  /** Makes the exchange refuse the next order. */
  refuseNext(reason = 'refused by the test'): void {
    this.#exchange.refuse(reason);
  }

  /**
   * Ends a resting limit order with `filled` shares filled, and lets the run read it.
   * @throws {InvalidValueError} when it is not resting at the exchange
   */
  async endInPart(id: string, filled: number, status: 'cancelled' | 'expired' = 'expired'): Promise<void> {
    const orders = [...this.#runner.kernel.context.accountState.live.values()];
    const txHash = orders.filter(({ intentId }) => intentId === id).map(txHashOf)[0];
    if (txHash === undefined || txHash === null)
      throw new InvalidValueError(`no order of ${id} rests at the exchange`);
    this.#exchange.end(txHash, { status, filled });
    await this.pass({ seconds: PERIODS.restingMs / SECOND_MS });
    await this.settle();
  }

  #isMoving(): boolean {
    const { live } = this.#runner.kernel.context.accountState;
    return [...live.values()].some(
      ({ state, terms, cancel }) =>
        state.kind !== 'working' ||
        terms.type === 'market' ||
        cancel.kind !== 'none' ||
        !this.#exchange.isOpen(state.txHash),
    );
  }

  async #begin(): Promise<void> {
    const { isOver } = this.#life;
    const runner = this.#runner;
    runner.run().catch((error: unknown) => {
      if (!isOver) this.#failure = error;
    });
    const until = epochMs(this.#clock.now() + START_MS);
    await this.#advanceTo(this.#clock.now());
    while (runner.phase === 'starting' && this.#clock.now() < until) await this.pass({ seconds: 1 });
  }

  async #advanceTo(at: EpochMs): Promise<void> {
    if (at - this.#clock.now() > LONG_MS) {
      Object.assign(this.#periods, LONG_PERIODS);
      await this.#clock.advanceTo(epochMs(at - LONG_MS));
      Object.assign(this.#periods, PERIODS);
    }
    await this.#clock.advanceTo(at);
    const { thrown } = this.#transcript;
    this.#transcript.thrown = null;
    const error = thrown ?? this.#failure;
    this.#failure = null;
    if (error !== null) throw error instanceof Error ? error : new StrategyError(messageOf(error));
  }

  #addHistory(): void {
    const { history = {}, prices } = this.#options;
    for (const [interval, series] of Object.entries(history) as [
      Interval,
      Record<string, readonly BarPrices[]>,
    ][])
      for (const [name, bars] of Object.entries(series)) {
        const starts = barStartsBefore(interval, this.#clock.now(), bars.length);
        for (const [index, start] of starts.entries())
          this.#market.add(
            barOf(bars[index] ?? prices[name] ?? NaN, { symbol: ticker(name), interval, start }),
          );
      }
  }

  get #opening() {
    return asCash(wadFromNumber(this.#options.cash ?? 10_000));
  }

  #openExchange(): StagedExchange {
    const clock = clockOf(this.#clock, this.#life);
    return new StagedExchange({ market: this.#market, disk: this.#disk, clock, opening: this.#opening });
  }

  #newRunner(): Runner {
    const definition: StrategyDefinition = this.#definition;
    const needs = definition.data(this.#params);
    const createRuntime = this.#createRuntime(definition);
    const id = definition.name;
    const series = seriesOf({ id, needs: needs.series ?? [], files: filesOf(this.#options.series) });
    const setup = { id, needs, series, createRuntime, allowOrders: EVERY_ORDER };
    const options: RunnerOptions = {
      clock: clockOf(this.#clock, this.#life),
      venue: this.#exchange.venue,
      journal: journalOn(this.#disk, this.#life),
      calendar: tradingCalendar,
      rules: { ...RULES, limits: limitsOf(this.#options.limits), ownLimits: new Map() },
      strategies: [{ ...setup, capital: this.#opening }],
      periods: this.#periods,
      until: { kind: 'stopped' },
      killed: () => false,
      deliver: (notice) => this.#notices.push(notice),
    };
    return new Runner(options);
  }

  #createRuntime(definition: StrategyDefinition): CreateRuntime {
    const create = this.#transcript.recording(inProcess(definition, this.#params));
    return (context) => {
      this.#view = context.view;
      return create(context);
    };
  }
}
