import type { VenueEffect } from '../state/kernelEvent.ts';
import type { Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf } from '../../core/errors.ts';
import { describeGap, type Gap, type ClockWatchdog } from '../../core/clockWatchdog.ts';
import type { Notify } from '../state/notice.ts';

export type GapRecoveryOptions = Readonly<{
  /** Watchdog for gaps; null if time stands still whenever the program does. */
  watchdog: ClockWatchdog | null;
  clock: Clock;
  /** Asks the venue for its time. Returns a description of the clock difference if that stops sending, or null. */
  compareClocks: () => Promise<string | null>;
  /** Reads everything again: prices, delegation, orders, account. */
  reconcile: () => Promise<void>;
  /** Cancels all scheduled timers. */
  onGap: () => void;
  /** Called once everything has been read again: the schedule may continue. */
  onResumed: () => void;
  carry: (effect: VenueEffect) => void;
  notify: Notify;
  onFatal: (error: unknown) => void;
}>;

/** Subject of the alarm about a gap. */
const GAP = 'gap';
/** Pause in ms before a failed read is repeated. */
const RETRY_MS = 5_000;

/**
 * Recovers from a gap, after which all data is stale. Nothing is sent and no timer fires until everything has been read
 * again; orders planned meanwhile then go to the gate, which drops those that are too old.
 */
export class GapRecovery {
  readonly #options: GapRecoveryOptions;
  #why: string | null = null;
  /** Number of gaps: a gap during the reads makes their responses stale. */
  #gaps = 0;
  /**
   * True while a changed clock is not known to be right. With a wrong clock, sessions would begin and timers fire too
   * early, and reads would be booked at the wrong time.
   */
  isClockDoubted = false;
  #waiting: VenueEffect[] = [];
  readonly #ended = new AbortController();

  constructor(options: GapRecoveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.watchdog?.start((gap) => this.#gap(gap));
  }

  /** Ends the recovery: nothing is read any more. */
  stop(): void {
    this.#ended.abort();
    this.#options.watchdog?.stop();
  }

  /** Checks for a gap before older data is used. */
  check(): void {
    this.#options.watchdog?.check();
  }

  /** Number of gaps so far: data read before the latest is out of date. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Reason why nothing may be sent now; null once everything has been read. */
  get reason(): string | null {
    return this.#why;
  }

  /** Carries out an effect, or defers it until everything has been read again. */
  carry(effect: VenueEffect): void {
    if (this.#why === null || effect.kind === 'look') this.#options.carry(effect);
    else this.#waiting.push(effect);
  }

  #gap(gap: Gap): void {
    const isFirst = this.#why === null;
    this.#gaps++;
    this.isClockDoubted ||= gap.kind !== 'stoodStill';
    this.#why = `${describeGap(gap)}, and prices, orders and account have not been read since`;
    this.#options.notify(
      'alarm',
      `${describeGap(gap)}: nothing is sent until prices, orders and account have been read again`,
      { code: 'STOOD_STILL', about: GAP },
    );
    this.#options.onGap();
    if (isFirst) this.#resume().catch(this.#options.onFatal);
  }

  async #resume(): Promise<void> {
    const { signal } = this.#ended;
    for (let asked = -1; asked !== this.#gaps;) {
      asked = this.#gaps;
      const isDone = await this.#reconciled();
      if (signal.aborted) return;
      if (isDone) continue;
      asked = -1;
      await this.#options.clock.sleep(RETRY_MS, signal).catch(() => undefined);
    }
    this.#why = null;
    this.#options.notify('clear', 'prices, orders and account have been read again: trading continues', {
      about: GAP,
    });
    this.#options.onResumed();
    for (const effect of this.#waiting.splice(0)) this.carry(effect);
  }

  async #reconciled(): Promise<boolean> {
    try {
      const apart = this.isClockDoubted ? await this.#options.compareClocks() : null;
      this.#why = apart ?? this.#why;
      this.isClockDoubted = apart !== null;
      if (apart === null) await this.#options.reconcile();
      return apart === null;
    } catch (error) {
      if (this.#ended.signal.aborted) return false;
      if (!isVenueFault(error)) throw error;
      this.#options.notify(
        'info',
        `the venue does not answer (${messageOf(error)}): asked again in ${RETRY_MS / 1_000} s`,
      );
      return false;
    }
  }
}
