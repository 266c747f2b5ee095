import type { Session, TradingCalendar } from '../calendar/index.ts';
import type { Clock } from '../core/clock.ts';
import type { Kernel } from './kernel.ts';
import type { KernelEvent } from './kernelEvent.ts';
import type { Notice } from './notice.ts';
import type { RunnerOptions } from './runOptions.ts';
import { Schedule } from './schedule.ts';

export type RingingParts = Readonly<{
  kernel: Kernel;
  clock: Clock;
  calendar: TradingCalendar;
  strategies: RunnerOptions['strategies'];
  tell: (notice: Notice) => void;
  take: (event: KernelEvent) => void;
  /** Runs what rings, if nothing has to be looked at first. */
  ring: (run: () => void) => void;
  onClosed: () => void;
}>;

/** Hands in the sessions and timers of a run as they come due. */
export class Ringing {
  readonly #parts: RingingParts;
  #schedule: Schedule | null = null;
  /** The session that is open, as far as strategies have been told. */
  #session: Session | null = null;

  constructor(parts: RingingParts) {
    this.#parts = parts;
  }

  /** Anew from the books, as after a restart. */
  start(): void {
    const { kernel, clock, calendar, strategies, take, ring } = this.#parts;
    const { books } = kernel.desk;
    this.stop();
    this.#schedule = new Schedule({
      clock,
      calendar,
      strategies,
      before: {
        firstStart: books.opened?.at ?? clock.now(),
        sessionDate: books.sessionDate,
        sessionClosed: books.sessionClosed,
        unclosed: this.#session,
        fired: books.timers,
      },
      events: {
        onSession: (change, session) => ring(() => this.#onSession(change, session)),
        onTimer: (owner, timer) => ring(() => take({ kind: 'timer', owner, timer })),
      },
    });
    this.#schedule.start();
  }

  stop(): void {
    this.#schedule?.stop();
  }

  /** After a gap: what it has missed for good is told. */
  rearm(): void {
    if (!this.#schedule) return;
    const { clock, tell } = this.#parts;
    const session = this.#session;
    const missed = session && session.close <= clock.now() ? this.#schedule.missedIn(session) : [];
    if (missed.length > 0) {
      const text = `the session closed meanwhile; not rung: ${missed.join(', ')}`;
      tell({ at: clock.now(), kind: 'alarm', owner: null, text });
    }
    this.start();
  }

  #onSession(change: 'opened' | 'closed', session: Session): void {
    this.#session = change === 'opened' ? session : null;
    this.#parts.take({ kind: 'session', change, session });
    if (change === 'closed') this.#parts.onClosed();
  }
}
