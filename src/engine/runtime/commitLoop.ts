import type { Clock } from '../../core/clock.ts';
import { JournalError, JournalLostError, messageOf } from '../../core/errors.ts';
import type { JournalEntry, JournalEvent, Journal } from '../../domain/journalEvent.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { CommandAnswer, KernelEvent, Step, Effect } from '../state/kernelEvent.ts';
import type { Notice, Notify } from '../state/notice.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import type { SendOutcome } from '../../domain/venue.ts';
import { Checkpoints } from './checkpoints.ts';

/**
 * Kinds of market data, strategy state and plots. They wait for the next commit, because they are not worth a synced
 * write of their own.
 */
const RIDERS: ReadonlySet<JournalEvent['kind']> = new Set([
  'bar',
  'instruments',
  'quotes',
  'tokenPrices',
  'equityPeaks',
  'timer',
  'strategyState',
  'plotted',
]);
/** Longest wait in ms for that commit, and so the most strategy state and plots that a kill loses. */
const RIDE_MS = 20_000;

/** Events after which a request is sent. */
const SENDS: ReadonlySet<KernelEvent['kind']> = new Set(['sent', 'cancelSent', 'operationSent']);

/** Subject of alarms about the journal. */
const JOURNAL = 'journal';
/** Pause in ms before a failed write of the journal is tried again. */
const RETRY_MS = 1_000;
/** Time in ms after which a failing write ends the run. */
const PATIENCE_MS = 60_000;

export type CommitLoopOptions = Readonly<{
  kernel: Kernel;
  journal: Journal;
  clock: Clock;
  carry: (effect: Effect) => void;
  deliver: (notice: Notice) => void;
  answer: (answer: CommandAnswer) => void;
  /** Receives the entries that have just become durable. */
  committed: (entries: readonly JournalEntry[]) => void;
  notify: Notify;
  /** Number of entries between checkpoints. Default: checkpoints only at closes. */
  every?: number | undefined;
  /** Called when the journal could not be written for longer than a run may continue. */
  onFatal: (error: unknown) => void;
}>;

/**
 * Passes one event at a time to the kernel: its journal events are made durable first, then notices are raised, then effects
 * carried out. While the disk refuses writes, notices and effects wait and nothing is sent; events are still handled.
 */
export class CommitLoop {
  readonly checkpoints: Checkpoints;
  readonly #options: CommitLoopOptions;
  #pending: JournalEntry[] = [];
  /** Steps whose notices and effects wait for the commit. */
  #held: Step[] = [];
  #isRiding = false;
  /** Number of entries since this process's latest checkpoint, and whether another is due. */
  #count = 0;
  #isDue = false;
  #trouble: Readonly<{ why: string; since: number }> | null = null;
  readonly #ended = new AbortController();

  constructor(options: CommitLoopOptions) {
    this.#options = options;
    this.checkpoints = new Checkpoints(options);
  }

  /** Reason why nothing may be sent with this journal; null while it can be written. */
  get trouble(): string | null {
    return this.#trouble?.why ?? this.#options.journal.lost?.() ?? null;
  }

  /** True for a command whose answer is not in the journal yet. */
  isUnwritten(id: CommandId): boolean {
    return this.#pending.some(({ fact }) => fact.kind === 'operatorAnswered' && fact.id === id);
  }

  /**
   * @throws {JournalError} for an event that is a send: it is not durable, so it must not be sent
   * @throws whatever else the journal throws; nothing was carried out then
   */
  take(event: KernelEvent): void {
    const { kernel, clock } = this.#options;
    const step = kernel.handle(event, clock.now());
    this.#pending.push(...step.facts);
    this.#held.push(step);
    const isRider = step.effects.length === 0 && step.facts.every(({ fact }) => RIDERS.has(fact.kind));
    if (!isRider) this.#write();
    if (this.#pending.length === 0 || (isRider && !this.#trouble)) this.#carryOut();
    if (this.#pending.length > 0 && !this.#isRiding) void this.#ride();
    if (this.#isDue && this.#pending.length === 0) this.#keep();
    if (this.#trouble && SENDS.has(event.kind)) throw new JournalError(this.#trouble.why);
  }

  /** Makes all pending entries durable. @throws whatever the journal throws */
  flush(): void {
    if (this.#pending.length === 0) return;
    const entries = this.#pending;
    this.#options.journal.commit(entries);
    this.#pending = [];
    this.#count += entries.length;
    this.#isDue ||= this.#count >= (this.#options.every ?? Infinity) || entries.some(isClose);
    this.#options.committed(entries);
  }

  #keep(): void {
    [this.#count, this.#isDue] = [0, false];
    this.checkpoints.keep();
  }

  /** Stops retrying writes. */
  stop(): void {
    this.#ended.abort();
  }

  async #ride(): Promise<void> {
    const { clock, onFatal } = this.#options;
    this.#isRiding = true;
    try {
      await clock.sleep(RIDE_MS, this.#ended.signal);
      this.#isRiding = false;
      if (this.#pending.length > 0) this.#write();
    } catch (error) {
      if (!this.#ended.signal.aborted) onFatal(error);
    }
  }

  #write(): void {
    const why = this.#tryWriting();
    if (why === null || this.#trouble) return;
    this.#trouble = { why, since: this.#options.clock.monotonic() };
    this.#options.notify(
      'alarm',
      `${why}. Nothing is sent until that is over; after ${PATIENCE_MS / 1_000} s the run ends`,
      { code: 'JOURNAL_FAILS', about: JOURNAL },
    );
    void this.#retry();
  }

  /** Retries the write. Returns the remaining fault of the journal, or null. */
  #tryWriting(): string | null {
    try {
      this.flush();
    } catch (error) {
      if (error instanceof JournalLostError) this.#lose(error);
      else if (!(error instanceof JournalError)) {
        // The run ends. Until then no step may carry out, or answer, what an earlier one failed to write.
        this.#trouble ??= { why: messageOf(error), since: this.#options.clock.monotonic() };
        throw error;
      }
      return error.message;
    }
    return this.#options.journal.strain?.() ?? null;
  }

  /** Ends the run: nothing more is written, and no effects of later steps are carried out. */
  #lose(error: JournalLostError): void {
    this.#trouble ??= { why: error.message, since: this.#options.clock.monotonic() };
    this.#options.onFatal(error);
  }

  async #retry(): Promise<void> {
    const { clock, onFatal } = this.#options;
    try {
      while (this.#trouble) {
        await clock.sleep(RETRY_MS, this.#ended.signal);
        const why = this.#tryWriting();
        if (why === null) this.#recovered();
        else if (clock.monotonic() - this.#trouble.since > PATIENCE_MS) {
          onFatal(new JournalError(why));
          return;
        }
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) onFatal(error);
    }
  }

  #recovered(): void {
    this.#trouble = null;
    this.#options.notify('clear', 'the journal can be written again', { about: JOURNAL });
    this.#carryOut();
  }

  #carryOut(): void {
    const { deliver, carry, answer } = this.#options;
    for (let step = this.#held.shift(); step; step = this.#held.shift()) {
      for (const notice of step.notices) deliver(notice);
      for (const given of step.answers ?? []) answer(given);
      for (const effect of step.effects) carry(effect);
    }
  }
}

/** True for the close of a session, which calls for a checkpoint. */
const isClose = ({ fact }: JournalEntry): boolean => fact.kind === 'session' && fact.change === 'closed';

/** Outcome of a send that could not be journaled: nothing was sent, because the commit precedes the first byte. */
export function unwritten(error: unknown): SendOutcome {
  if (error instanceof JournalError)
    return { kind: 'refused', reason: `nothing was sent: ${error.message}`, unsent: true };
  throw error;
}
