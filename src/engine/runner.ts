import type { Session, TradingCalendar } from '../calendar/index.ts';
import type { Cash } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigError, messageOf } from '../core/errors.ts';
import type { Journal } from '../domain/fact.ts';
import { ticker } from '../domain/instrument.ts';
import type { OperationPort } from '../domain/operation.ts';
import type { Venue } from '../domain/venue.ts';
import { BarFeed, type BarNeed } from '../market/feed.ts';
import type { TradingRules } from './desk.ts';
import type { StrategySetup } from './host.ts';
import { Kernel } from './kernel.ts';
import type { Notice } from './notice.ts';
import { OrderManager } from './orderManager.ts';
import { Polling, type PollingPeriods } from './polling.ts';
import { Schedule } from './schedule.ts';
import { summarise, type RunSummary } from './summary.ts';
import type { TreasuryPolicies } from './treasuryPolicy.ts';
import { Turns } from './turns.ts';

export type Until = Readonly<
  { kind: 'sessions'; count: number } | { kind: 'instant'; at: EpochMs } | { kind: 'stopped' }
>;

export type RunnerOptions = Readonly<{
  clock: Clock;
  venue: Venue;
  /** Where operations are sent and looked for. Without it the treasury does nothing. */
  operations?: OperationPort;
  treasury?: TreasuryPolicies;
  journal: Journal;
  calendar: TradingCalendar;
  rules: TradingRules;
  strategies: readonly (StrategySetup & Readonly<{ capital: Cash }>)[];
  periods: PollingPeriods;
  until: Until;
  /** True while the kill file exists. Asked before every send. */
  killed: () => boolean;
  tell: (notice: Notice) => void;
}>;

/** Longest that the run goes on after its last close for orders to end and the books to agree. */
const WIND_DOWN_MS = 600_000;

/** A whole run: recovery, trading, and an orderly end. */
export class Runner {
  readonly kernel: Kernel;
  readonly #options: RunnerOptions;
  readonly #turns: Turns;
  readonly #orders: OrderManager;
  readonly #polling: Polling;
  readonly #feed: BarFeed;
  #schedule: Schedule | null = null;
  #stopping: string | null = null;
  #finish: () => void = () => undefined;
  #failure: Error | null = null;
  #closes = 0;
  #windingDown = false;

  constructor(options: RunnerOptions) {
    const { calendar, rules, strategies, clock, venue, operations, journal, tell } = options;
    this.#options = options;
    const obstacles = { reason: () => (options.killed() ? 'the kill file is there' : this.#stopping) };
    const treasury = operations ? options.treasury : undefined;
    this.kernel = new Kernel({ calendar, rules, strategies, obstacles, ...(treasury ? { treasury } : {}) });
    const take = (event: Parameters<Turns['take']>[0]) => this.#turns.take(event);
    const onFatal = (error: unknown) => this.#fail(error);
    this.#orders = new OrderManager({ kernel: this.kernel, venue, operations, clock, take, onFatal });
    this.#turns = new Turns({
      kernel: this.kernel,
      journal,
      clock,
      tell,
      carry: (effect) => this.#orders.carry(effect),
    });
    this.#feed = new BarFeed(venue, calendar, strategies.flatMap(barNeeds));
    const shared = {
      kernel: this.kernel,
      venue,
      operations,
      clock,
      calendar,
      periods: options.periods,
      take,
      tell,
      onFatal,
    };
    this.#polling = new Polling({ ...shared, feed: this.#feed, onCompared: () => this.#compared() });
  }

  /**
   * Runs until told, or until `stop`.
   * @throws {ConfigError} when the strategies do not fit the account or the venue; whatever broke the run otherwise
   */
  async run(): Promise<RunSummary> {
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    await this.#begin();
    if (this.#stopping === null) {
      this.#armUntil();
      await finished;
    }
    await this.#end();
    if (this.#failure !== null) throw this.#failure;
    return summarise(this.kernel, this.#options.clock.now());
  }

  /** Ends the run in order: nothing new is sent, what has been sent is waited for. */
  stop(why: string): void {
    this.#stopping ??= why;
    this.#finish();
  }

  /** Start-up is recovery: the journal first, then the venue, and only then the strategies. */
  async #begin(): Promise<void> {
    const { journal, clock, venue } = this.#options;
    this.kernel.recover(journal.entries());
    const { books } = this.kernel.desk;
    const recovered = books.opened !== null;
    this.#turns.take({ kind: 'recovered' });
    const listings = await venue.listings();
    this.#turns.take({ kind: 'listed', listings });
    this.#checkSymbols();
    const delegation = await venue.delegation();
    this.#turns.take({ kind: 'delegation', enabled: delegation.enabled });
    const report = await this.#polling.account();
    this.#turns.take({ kind: 'opened', account: report });
    await this.#polling.sweep();
    await this.#polling.operations();
    this.#turns.take({ kind: 'account', report: recovered ? await this.#polling.account() : report });
    this.#turns.take({ kind: 'warm', bars: await this.#feed.warmUp(clock.now()) });
    if (this.#stopping !== null) return;
    this.#turns.take({ kind: 'start' });
    this.#startSchedule();
    this.#polling.start();
  }

  #startSchedule(): void {
    const { clock, calendar, strategies } = this.#options;
    const { books } = this.kernel.desk;
    this.#schedule = new Schedule({
      clock,
      calendar,
      strategies,
      before: {
        firstStart: books.opened?.at ?? clock.now(),
        sessionDate: books.sessionDate,
        fired: new Map(books.timers),
      },
      events: {
        onSession: (change, session) => this.#guarded(() => this.#session(change, session)),
        onTimer: (owner, timer) => this.#guarded(() => this.#turns.take({ kind: 'timer', owner, timer })),
      },
    });
    this.#guarded(() => this.#schedule?.start());
  }

  #session(change: 'opened' | 'closed', session: Session): void {
    this.#turns.take({ kind: 'session', change, session });
    if (change === 'closed') this.#closes++;
    const { until, clock } = this.#options;
    if (until.kind !== 'sessions' || this.#closes < until.count || this.#windingDown) return;
    this.#windingDown = true;
    clock.at(epochMs(clock.now() + WIND_DOWN_MS), () => this.stop('the end of the run'));
  }

  /** After the last close the run ends when every order and operation has, and books and venue agree or never will. */
  #compared(): void {
    const { live, operations } = this.kernel.desk.books;
    const isOver = live.size === 0 && operations.live.size === 0 && this.kernel.reconciling.settled;
    if (this.#windingDown && isOver) this.stop('the end of the run');
  }

  #checkSymbols(): void {
    const { instruments } = this.kernel.desk.market;
    for (const { id, needs } of this.#options.strategies) {
      for (const symbol of [...(needs.quotes ?? []), ...(needs.bars ?? []).map((need) => need.symbol)]) {
        const instrument = instruments.get(ticker(symbol));
        const problem = !instrument ? 'listed' : !instrument.tradable ? 'tradable' : null;
        if (problem)
          throw new ConfigError(`${symbol} is not ${problem} at this venue`, { strategy: id, symbol });
      }
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(messageOf(error));
    this.#options.tell({ at: this.#options.clock.now(), kind: 'alarm', owner: null, text: messageOf(error) });
    this.stop('the run has failed');
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #armUntil(): void {
    const { until, clock } = this.#options;
    if (until.kind === 'instant') clock.at(until.at, () => this.stop('the end of the run'));
  }

  async #end(): Promise<void> {
    this.#schedule?.stop();
    await this.#polling.stop();
    await this.#orders.settle();
    this.#orders.end();
    this.#guarded(() => {
      this.#turns.take({ kind: 'stop' });
      this.#turns.flush();
    });
  }
}

const barNeeds = ({ needs }: StrategySetup): BarNeed[] =>
  (needs.bars ?? []).map(({ symbol, interval, warmUp = 0 }) => ({
    symbol: ticker(symbol),
    interval,
    warmUp,
  }));
