import type { Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf } from '../../core/errors.ts';
import { describeGap, type Gap, type ClockWatchdog } from '../../core/clockWatchdog.ts';
import type { Effect } from '../state/engineContext.ts';
import type { Notice, NoticeKind } from '../state/notice.ts';

export type GapRecoveryOptions = Readonly<{
  /** Null where time stands still with the program. */
  watchdog: ClockWatchdog | null;
  clock: Clock;
  /** Asks the venue for everything anew: prices, delegation, orders, account. */
  reconcile: () => Promise<void>;
  /** Voids what was to happen at certain times. */
  onGap: () => void;
  /** Everything is known again: time may go on. */
  onResumed: () => void;
  carry: (effect: Effect) => void;
  tell: (notice: Notice) => void;
  onFatal: (error: unknown) => void;
}>;

/** A venue that does not answer is asked again this often. */
const RETRY_MS = 5_000;

/**
 * After a gap nothing that is known is fresh. Nothing is sent, and no timer rings, until the venue has been asked for all of
 * it; orders that were planned meanwhile go to the gate afterwards, which drops those that are too old.
 */
export class GapRecovery {
  readonly #options: GapRecoveryOptions;
  #why: string | null = null;
  /** Counts gaps: one that comes while the venue is asked makes its answers old. */
  #gaps = 0;
  #waiting: Effect[] = [];
  readonly #ended = new AbortController();

  constructor(options: GapRecoveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.watchdog?.start((gap) => this.#gap(gap));
  }

  /** Nothing is asked after this. */
  stop(): void {
    this.#ended.abort();
    this.#options.watchdog?.stop();
  }

  /** Looks for a gap before anything is done on what was known before it. */
  check(): void {
    this.#options.watchdog?.check();
  }

  /** Why nothing may be sent now; null when everything is known. */
  get reason(): string | null {
    return this.#why;
  }

  /** Carries an effect, or lets it wait until everything is known again. */
  carry(effect: Effect): void {
    if (this.#why === null || effect.kind === 'look') this.#options.carry(effect);
    else this.#waiting.push(effect);
  }

  #gap(gap: Gap): void {
    const isFirst = this.#why === null;
    this.#gaps++;
    this.#why = `${describeGap(gap)}, and the venue has not been asked for everything since`;
    this.#notify(
      'alarm',
      `${describeGap(gap)}: nothing is sent until the venue has been asked for everything anew`,
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
    this.#notify('clear', 'the venue has been asked for everything anew: trading goes on');
    this.#options.onResumed();
    for (const effect of this.#waiting.splice(0)) this.carry(effect);
  }

  async #reconciled(): Promise<boolean> {
    try {
      await this.#options.reconcile();
      return true;
    } catch (error) {
      if (this.#ended.signal.aborted) return false;
      if (!isVenueFault(error)) throw error;
      this.#notify(
        'info',
        `the venue does not answer (${messageOf(error)}): asked again in ${RETRY_MS / 1_000} s`,
      );
      return false;
    }
  }

  #notify(kind: NoticeKind, text: string): void {
    this.#options.tell({ at: this.#options.clock.now(), kind, owner: null, text });
  }
}
