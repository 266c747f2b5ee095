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
  onClosed: (session: Session) => void;
}>;

/** Hands in the sessions and timers of a run as they come due. */
export class Ringing {
  readonly #parts: RingingParts;
  #schedule: Schedule | null = null;

  constructor(parts: RingingParts) {
    this.#parts = parts;
  }

  /** Anew from the books, after a restart and after a gap. */
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

  #onSession(change: 'opened' | 'closed', session: Session): void {
    if (change === 'closed') this.#tellMissed(session);
    this.#parts.take({ kind: 'session', change, session });
    if (change === 'closed') this.#parts.onClosed(session);
  }

  /** What a close that nobody saw has left out. */
  #tellMissed(session: Session): void {
    const { clock, tell } = this.#parts;
    const missed = this.#schedule?.missedIn(session) ?? [];
    if (missed.length === 0) return;
    const text = `the session closed meanwhile; not rung: ${missed.join(', ')}`;
    tell({ at: clock.now(), kind: 'alarm', owner: null, text });
  }
}
