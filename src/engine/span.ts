import type { Session, TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import type { Until } from './runOptions.ts';

/** Longest that a run goes on after its last close for orders to end and the books to agree. */
const WIND_DOWN_MS = 600_000;

type SpanOptions = Readonly<{ until: Until; clock: Clock; onOver: () => void }>;

/** How long a run lasts by itself: to its instant, or until all is settled after its last close. */
export class Span {
  readonly #options: SpanOptions;
  /** Closes until then are counted, or were before the run. */
  #since: EpochMs;
  #isTimed = false;
  #closes = 0;
  #windingDown = false;

  constructor(options: SpanOptions) {
    this.#options = options;
    this.#since = options.clock.now();
  }

  start(): void {
    const { until, clock, onOver } = this.#options;
    if (this.#isTimed) return;
    this.#isTimed = true;
    if (until.kind === 'instant') clock.at(until.at, onOver);
  }

  /** Goes on counting while the schedule, which tells of each close, has not begun. */
  wait(calendar: TradingCalendar): void {
    this.start();
    const now = this.#options.clock.now();
    let session = calendar.sessionAt(this.#since) ?? calendar.nextSession(this.#since);
    for (; session.close <= now; session = calendar.nextSession(session.open)) this.closed(session);
  }

  /** A session that was over before the run began is none of its own. */
  closed({ close }: Session): void {
    const { until, clock, onOver } = this.#options;
    if (close <= this.#since) return;
    this.#since = close;
    this.#closes++;
    if (until.kind !== 'sessions' || this.#closes < until.count || this.#windingDown) return;
    this.#windingDown = true;
    clock.at(epochMs(clock.now() + WIND_DOWN_MS), onOver);
  }

  settled(): void {
    if (this.#windingDown) this.#options.onOver();
  }
}
