import type { Session, TradingCalendar } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { timerInstants } from '../../strategy/sessionTime.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';
import type { Notify } from '../state/notice.ts';
import type { RunnerOptions } from './runOptions.ts';

/** Times before this start, from the journal. */
export type Before = Readonly<{
  /** Time of a strategy's own first start: earlier timers do not concern it. */
  firstStart: (strategyId: string) => EpochMs;
  /** The session whose open was last seen, and whether its close was seen. */
  sessionDate: string | null;
  sessionClosed: boolean;
  /** Time at which each timer last fired, by `<owner> <timer>`. */
  fired: ReadonlyMap<string, EpochMs>;
}>;

type ScheduleOptions = Readonly<{
  clock: Clock;
  calendar: TradingCalendar;
  strategies: readonly StrategySetup[];
  before: Before;
  events: Readonly<{
    onSession: (change: 'opened' | 'closed', session: Session) => void;
    onTimer: (strategyId: string, timer: string) => void;
  }>;
}>;

/** Time of a timer on a day. `runsLate`: if missed, it fires at the next start. */
type Due = Readonly<{ strategyId: string; name: string; at: EpochMs; runsLate: boolean }>;

/** Number of earlier sessions in which missed timers are searched: more than a month has. */
const SESSIONS_BACK = 30;
/** Usual open of a session in New York. */
const OPENS = '09:30';

/** Fires at opens, closes and the times of strategies: one clock timer each, none twice per session. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #cancels = new Set<Cancel>();
  /** Times already planned, by strategy, name and time. */
  readonly #planned = new Set<string>();
  #stopped = false;
  #seen: Readonly<{ date: string; closed: boolean }>;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    const { sessionDate, sessionClosed } = options.before;
    this.#seen = { date: sessionDate ?? '', closed: sessionClosed };
  }

  start(): void {
    const { clock, calendar } = this.#options;
    const { sessionDate } = this.#options.before;
    const last = sessionDate === null ? undefined : calendar.sessionOn(sessionDate);
    if (last && last.close <= clock.now()) this.#announce('closed', last);
    if (!last && sessionDate !== null) this.#announce('closed', this.#vanished(sessionDate));
    this.#runMissed();
    const session = calendar.sessionAt(clock.now());
    if (!session) {
      this.#afterClose(calendar.previousSession(clock.now()));
      return this.#awaitOpen();
    }
    this.#announce('opened', session);
    this.#during(session);
  }

  /** Session that a calendar reload removed while it was open: it ends now. */
  #vanished(date: string): Session {
    const { clock, calendar } = this.#options;
    return { date, open: calendar.newYorkTime(date, OPENS), close: clock.now(), early: true };
  }

  /** Times of strategies in `session` that passed without firing. */
  missedIn(session: Session): string[] {
    const now = this.#options.clock.now();
    return this.#timersOf(session).flatMap(({ strategyId, name, at, runsLate }) =>
      at < now && !runsLate ? [`${strategyId} ${name}`] : [],
    );
  }

  /** Cancels all timers: nothing fires any more. */
  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #awaitOpen(): void {
    const { clock, calendar } = this.#options;
    const session = calendar.nextSession(clock.now());
    for (const timer of this.#timersOf(session)) if (timer.at < session.open) this.#fireAt(timer);
    this.#at(session.open, () => {
      this.#announce('opened', session);
      this.#during(session);
    });
  }

  #during(session: Session): void {
    for (const timer of this.#timersOf(session)) if (timer.at <= session.close) this.#fireAt(timer);
    this.#afterClose(session);
    this.#at(session.close, () => {
      this.#announce('closed', session);
      this.#awaitOpen();
    });
  }

  /** Plans the times after the close on the day of a session, except those already past. */
  #afterClose(session: Session): void {
    const now = this.#options.clock.now();
    for (const timer of this.#timersOf(session))
      if (timer.at > session.close && timer.at >= now) this.#fireAt(timer);
  }

  #fireAt({ strategyId, name, at }: Due): void {
    const key = `${strategyId} ${name} ${at}`;
    if (this.#planned.has(key)) return;
    this.#planned.add(key);
    this.#at(at, () => this.#options.events.onTimer(strategyId, name));
  }

  /** Fires timers with `missed: run`, once each, whose latest time in an earlier session passed while nothing ran. */
  #runMissed(): void {
    const { clock, calendar, strategies, before, events } = this.#options;
    const now = clock.now();
    // Times before the open of a coming session are past on its day: its own plan fires them.
    let session = calendar.sessionAt(now) ?? calendar.nextSession(now);
    const left = new Map(
      strategies.flatMap((setup) =>
        (setup.needs.timers ?? []).flatMap((need) =>
          need.missed === 'run'
            ? [[`${setup.id} ${need.name}`, { strategyId: setup.id, need }] as const]
            : [],
        ),
      ),
    );
    for (let back = 0; back < SESSIONS_BACK && left.size > 0; back++) {
      for (const [key, { strategyId, need }] of left) {
        const latest = timerInstants(need, session, calendar).findLast((at) => at < now);
        if (latest === undefined) continue;
        left.delete(key);
        const isDue = (before.fired.get(key) ?? 0) < latest && latest >= before.firstStart(strategyId);
        if (isDue && now >= session.close) this.#at(now, () => events.onTimer(strategyId, need.name));
      }
      session = calendar.previousSession(session.open);
    }
  }

  /** Announces each open and each close once, however the clock is set meanwhile. */
  #announce(change: 'opened' | 'closed', session: Session): void {
    const { date, closed } = this.#seen;
    if (change === 'opened' ? session.date <= date : closed || session.date !== date) return;
    this.#seen = { date: session.date, closed: change === 'closed' };
    this.#options.events.onSession(change, session);
  }

  /** Timers still to come, and the latest time of each that passed while the bot was down. */
  #timersOf(session: Session): Due[] {
    const { clock, strategies, before, calendar } = this.#options;
    const now = clock.now();
    return strategies.flatMap((setup) =>
      (setup.needs.timers ?? []).flatMap((need) => {
        const all = timerInstants(need, session, calendar);
        const latest = all.findLast((at) => at < now);
        const fired = before.fired.get(`${setup.id} ${need.name}`) ?? epochMs(0);
        // If the close of a session changes, a timer that has fired already would move: it fires once a day.
        const isOver = need.at !== undefined && fired > 0 && calendar.newYorkDate(fired) === session.date;
        const isLeft = (at: EpochMs) =>
          !isOver && at > fired && (at >= now || (at === latest && at >= before.firstStart(setup.id)));
        const due = { strategyId: setup.id, name: need.name, runsLate: need.missed === 'run' };
        return all.filter(isLeft).map((at) => ({ ...due, at }));
      }),
    );
  }

  #at(when: EpochMs, run: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#options.clock.at(when, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
  }
}

type SchedulerParts = Readonly<{
  kernel: Kernel;
  clock: Clock;
  calendar: TradingCalendar;
  strategies: RunnerOptions['strategies'];
  notify: Notify;
  take: (event: KernelEvent) => void;
  /** Runs a due timer, unless a gap has to be recovered from first. */
  fire: (run: () => void) => void;
  onClosed: (session: Session) => void;
}>;

/** Passes the sessions and timers of a run to the kernel as they come due. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  #schedule: Schedule | null = null;
  /** Number of calendar changes that the schedule includes. */
  #calendarChanges = 0;
  /** Time at which an order continues without other news, and its timer. */
  #wake: Readonly<{ at: number; cancel: Cancel }> | null = null;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** Plans all timers again from the journal, after a restart and after a gap. */
  start(): void {
    const { kernel, clock, calendar, strategies, take, fire } = this.#parts;
    const { accountState } = kernel.context;
    this.stop();
    this.#calendarChanges = kernel.context.calendarChanges;
    this.#schedule = new Schedule({
      clock,
      calendar,
      strategies,
      before: {
        firstStart: (strategyId) => accountState.firstStarts.get(strategyId) ?? clock.now(),
        sessionDate: accountState.sessionDate,
        sessionClosed: accountState.sessionClosed,
        fired: accountState.timers,
      },
      events: {
        onSession: (change, session) => fire(() => this.#onSession(change, session)),
        onTimer: (strategyId, timer) => fire(() => take({ kind: 'timer', strategyId, timer })),
      },
    });
    this.#schedule.start();
  }

  stop(): void {
    this.#schedule?.stop();
    this.#wake?.cancel();
    this.#wake = null;
  }

  /** Wakes the kernel when an order continues by time alone, instead of at the next read. */
  wake(): void {
    const { kernel, clock, take, fire } = this.#parts;
    if (this.#schedule && kernel.context.calendarChanges !== this.#calendarChanges) this.start();
    const at = kernel.nextDue;
    if (at === (this.#wake?.at ?? Infinity)) return;
    this.#wake?.cancel();
    this.#wake = null;
    if (at === Infinity) return;
    const run = () => {
      this.#wake = null;
      fire(() => take({ kind: 'due' }));
    };
    this.#wake = { at, cancel: clock.at(epochMs(at), run) };
  }

  #onSession(change: 'opened' | 'closed', session: Session): void {
    if (change === 'closed') this.#reportMissed(session);
    this.#parts.take({ kind: 'session', change, session });
    if (change === 'closed') this.#parts.onClosed(session);
  }

  /** Reports the timers missed because the close was not seen. */
  #reportMissed(session: Session): void {
    const missed = this.#schedule?.missedIn(session) ?? [];
    if (missed.length === 0) return;
    this.#parts.notify('alarm', `the session closed meanwhile; not fired: ${missed.join(', ')}`, {
      code: 'TIMERS_MISSED',
    });
  }
}
