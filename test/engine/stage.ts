import { z } from 'zod';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { parseCash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { afterOn, sleepOn, type Clock } from '../../src/core/clock.ts';
import { JournalError } from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { DOCUMENTED_FEES } from '../../src/domain/fees.ts';
import type { Journal } from '../../src/domain/journalEvent.ts';
import type { Venue } from '../../src/domain/venue.ts';
import type { Limits, TradingRules } from '../../src/domain/limits.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { Notice } from '../../src/engine/state/notice.ts';
import { Runner, type RunReport } from '../../src/engine/runtime/runner.ts';
import { inProcess } from '../../src/engine/strategy/strategyRuntime.ts';
import type { RunnerOptions, Until } from '../../src/engine/runtime/runOptions.ts';
import { memoryJournal } from '../store/memoryJournal.ts';
import {
  defineStrategy,
  type DataNeeds,
  type HookContext,
  type StrategyHooks,
  type StrategyState,
} from '../../src/strategy/index.ts';
import { seriesOf } from '../../src/market/seriesCsv.ts';
import { filesOf } from '../../src/testing/options.ts';
import { FakeVenue } from './fakeVenue.ts';

/** A Monday, 10:00 in New York; the session runs from 13:30 to 20:00 UTC. */
export const MORNING = epochMs(Date.parse('2026-06-15T14:00:00Z'));
export const SECOND = 1_000;
export const MINUTE = 60_000;

export type StageOptions = Readonly<{
  start?: number;
  hooks?: Readonly<Record<string, StrategyHooks>>;
  /** Replaces hooks: builds them on the saved state. */
  build?: Readonly<Record<string, (state: StrategyState) => StrategyHooks>>;
  data?: DataNeeds;
  /** CSV of the dated series that `data` asks for, by name. */
  series?: Readonly<Record<string, string>>;
  limits?: Limits;
  ownLimits?: Limits;
  rules?: Partial<TradingRules>;
  until?: Until;
  /** Capital of each strategy, or of all. */
  capital?: string | Readonly<Record<string, string>>;
  /**
   * Kills the runner at commit number `at`, counted from 1. `before`: nothing of it is written; `after`: it is written,
   * and no effect follows; `answer`: its effects have left, and their results are lost.
   */
  dies?: Readonly<{ at: number; how: 'before' | 'after' | 'answer' }>;
  /** Replaces the fake venue as seen by the runner. */
  as?: (venue: FakeVenue, clock: Clock) => Venue;
  /** The disk of the journal, which a test may fill. `nearly`: it still accepts writes, with a warning. */
  disk?: { state: 'fine' | 'nearly' | 'full' };
  /** Further options of the runner. */
  more?: Partial<
    Pick<
      RunnerOptions,
      | 'calendar'
      | 'periods'
      | 'recallBars'
      | 'watchdog'
      | 'atStop'
      | 'strategies'
      | 'assumptions'
      | 'pins'
      | 'manual'
    >
  >;
  /** Continues an earlier stage: the same journal and venue, as after a crash. */
  after?: Stage;
}>;

/** A runner on a fake venue in virtual time, with control over both. */
export class Stage {
  readonly clock: VirtualClock;
  readonly venue: FakeVenue;
  readonly lines: string[];
  readonly notices: Notice[] = [];
  readonly options: RunnerOptions;
  readonly runner: Runner;
  killed = false;
  summary: RunReport | null = null;
  failure: Error | null = null;
  commits = 0;
  alive = true;

  constructor(options: StageOptions = {}) {
    options.after?.crash();
    this.clock = options.after?.clock ?? new VirtualClock({ start: epochMs(options.start ?? MORNING) });
    this.venue = options.after?.venue ?? new FakeVenue(this.clock);
    this.lines = options.after?.lines ?? [];
    const { hooks = { solo: {} }, build } = options;
    const builders = build ?? Object.fromEntries(Object.entries(hooks).map(([id, own]) => [id, () => own]));
    const mortal = this.#mortalClock();
    this.options = {
      clock: mortal,
      venue: options.as?.(this.venue, mortal) ?? this.venue,
      journal: this.#mortalJournal(options),
      calendar: tradingCalendar,
      rules: {
        // Most tests move prices freely: price jumps have their own tests.
        limits: { jumpPercent: 60, ...options.limits },
        ownLimits: new Map(Object.keys(builders).map((id) => [id, options.ownLimits ?? {}])),
        collarBps: 50,
        deadlineMs: 90_000,
        fees: DOCUMENTED_FEES,
        ...options.rules,
      },
      strategies: Object.entries(builders).map(([id, builder]) => ({
        id,
        capital: capitalOf(id, options),
        needs: options.data ?? { quotes: ['AAPL', 'MSFT'] },
        series: seriesOf({ id, needs: options.data?.series ?? [], files: filesOf(options.series) }),
        createRuntime: inProcess(
          defineStrategy({
            name: id,
            description: 'scripted by a test',
            params: z.strictObject({}),
            data: () => ({}),
            create: ({ state }) => builder(state),
          }),
          {},
        ),
      })),
      periods: { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 },
      until: options.until ?? { kind: 'stopped' },
      killed: () => this.killed,
      deliver: (notice) => this.notices.push(notice),
      ...options.more,
    };
    this.runner = new Runner(this.options);
  }

  /** Starts the run and lets `ms` pass. */
  async play(ms: number): Promise<this> {
    this.runner.run().then(
      (summary) => (this.summary = summary),
      (error: unknown) => (this.failure = error as Error),
    );
    return this.pass(ms);
  }

  async pass(ms: number): Promise<this> {
    await this.clock.advanceBy(ms);
    return this;
  }

  /** Ends this runner like `kill -9`: none of its timers fires again, and it writes nothing. */
  crash(): void {
    this.alive = false;
  }

  #mortalClock(): Clock {
    const { clock } = this;
    const at: Clock['at'] = (when, run) => clock.at(when, () => this.alive && run());
    const after: Clock['after'] = (ms, run) => afterOn({ at, now: () => clock.now() }, ms, run);
    return {
      at,
      after,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => sleepOn({ after }, ms, signal),
      hold: () => clock.hold(),
    };
  }

  #mortalJournal({ dies, disk = { state: 'fine' } }: StageOptions): Journal {
    const journal = memoryJournal(this.lines);
    return {
      ...journal,
      strain: () => (disk.state === 'nearly' ? 'the disk is nearly full' : null),
      commit: (batch) => {
        if (disk.state === 'full') throw new JournalError('the disk is full');
        this.commits++;
        const isLast = this.commits === dies?.at;
        if (!this.alive || (isLast && dies.how === 'before')) this.#die();
        journal.commit(batch);
        if (!isLast) return;
        if (dies.how === 'after') this.#die();
        this.crash();
      },
    };
  }

  #die(): never {
    this.crash();
    throw new Error('this runner was killed');
  }

  /** Ends the run in order and gives its summary. */
  async stop(): Promise<RunReport> {
    this.runner.stop('the test is over');
    await this.clock.advanceBy(60_000);
    if (!this.summary) throw this.failure ?? new Error('the run does not end');
    return this.summary;
  }

  get orders(): Order[] {
    return [...this.runner.kernel.context.accountState.orders.values()];
  }

  get states(): string[] {
    return this.orders.map(({ state }) => state.kind);
  }

  get alarms(): string[] {
    return this.notices.filter(({ kind }) => kind === 'alarm').map(({ text }) => text);
  }

  said(pattern: RegExp): boolean {
    return this.notices.some(({ text }) => pattern.test(text));
  }
}

const capitalOf = (id: string, { capital = '10000' }: StageOptions) =>
  parseCash(typeof capital === 'string' ? capital : (capital[id] ?? ''));

/** A strategy that does one thing when it starts. */
export const atStart = (
  act: (order: HookContext['order'], view: HookContext['view']) => void,
): StrategyHooks => ({
  onStart: ({ order, view }) => act(order, view),
});
