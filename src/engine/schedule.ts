import type { Session, TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { instantOf } from '../strategy/sessionTime.ts';
import type { StrategySetup } from './host.ts';

export type ScheduleEvents = Readonly<{
  onSession: (change: 'opened' | 'closed', session: Session) => void;
  onTimer: (owner: string, timer: string) => void;
}>;

/** What the journal tells of the time before this start. */
export type Before = Readonly<{
  /** When the runner first started on this state. */
  firstStart: EpochMs;
  /** The session whose open was seen last. */
  sessionDate: string | null;
  /** When a timer last fired, by `<owner> <timer>`. */
  fired: ReadonlyMap<string, EpochMs>;
}>;

export type ScheduleOptions = Readonly<{
  clock: Clock;
  calendar: TradingCalendar;
  strategies: readonly StrategySetup[];
  before: Before;
  events: ScheduleEvents;
}>;

/** Rings at the opens, the closes and the strategies' own times. One timer of the clock each, none of them twice a session. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #cancels = new Set<Cancel>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, calendar, before, events } = this.#options;
    const session = calendar.sessionAt(clock.now());
    if (!session) return this.#awaitOpen();
    if (before.sessionDate !== session.date) events.onSession('opened', session);
    this.#during(session);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #awaitOpen(): void {
    const { clock, calendar, events } = this.#options;
    const session = calendar.nextSession(clock.now());
    this.#at(session.open, () => {
      events.onSession('opened', session);
      this.#during(session);
    });
  }

  #during(session: Session): void {
    for (const { owner, name, at } of this.#timersOf(session))
      this.#at(at, () => this.#options.events.onTimer(owner, name));
    this.#at(session.close, () => {
      this.#options.events.onSession('closed', session);
      this.#awaitOpen();
    });
  }

  /** Those still to come, and those that passed while the runner was down. */
  #timersOf(session: Session): { owner: string; name: string; at: EpochMs }[] {
    const { clock, strategies, before } = this.#options;
    const timers = strategies.flatMap((setup) =>
      (setup.needs.timers ?? []).map(({ name, at }) => ({
        owner: setup.id,
        name,
        at: instantOf(at, session),
      })),
    );
    return timers.flatMap(({ owner, name, at }) => {
      if (at === null) return [];
      const missed = at < clock.now();
      const fired = (before.fired.get(`${owner} ${name}`) ?? 0) >= at;
      return missed && (fired || at < before.firstStart) ? [] : [{ owner, name, at: epochMs(at) }];
    });
  }

  #at(when: EpochMs, run: () => void): void {
    const cancel = this.#options.clock.at(when, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
  }
}
