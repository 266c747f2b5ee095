import type { Cancel, Host, Timepieces } from '../core/clock.ts';

/** State of a run that is reported to its service manager. */
export type ServiceState = Readonly<{
  /** True if it could work now. */
  isReady: boolean;
  isEnding: boolean;
  /** Reason why it counts as hung; null while it makes progress. */
  standstill: string | null;
  /** One line for people. */
  status: string;
}>;

export type ServiceManagerOptions = Readonly<{
  look: () => ServiceState;
  /** Sends fields such as `READY=1`; resolves to the problem, or null. */
  send: (fields: readonly string[]) => Promise<string | null>;
  host: Pick<Host & Timepieces, 'after' | 'monotonic'>;
  /** Time in ms after which the manager ends a run that does not report; null without a watchdog. */
  watchdogMs: number | null;
  /** Receives a problem, once while it lasts. */
  onProblem: (text: string) => void;
}>;

/** Interval in ms between two checks of the run. */
const LOOK_MS = 1_000;
/** Maximum interval in ms between two reports. */
const REPORT_MS = 30_000;
/** Number of reports within the manager's time limit: two of them may fail. */
const REPORTS = 3;

/**
 * Reports a run to its service manager: that it is ready, alive, or ending. The reporting timer runs in the run's event loop,
 * and reports nothing while the kernel makes no progress: the manager ends a run that hangs in either way.
 */
export class ServiceManager {
  readonly #options: ServiceManagerOptions;
  readonly #periodMs: number;
  #cancel: Cancel = () => undefined;
  #isSending = false;
  #isReady = false;
  #isEnding = false;
  #reportedAt = -Infinity;
  #problem: string | null = null;

  constructor(options: ServiceManagerOptions) {
    this.#options = options;
    this.#periodMs = Math.min(REPORT_MS, (options.watchdogMs ?? Infinity) / REPORTS);
  }

  start(): void {
    this.#look();
    this.#cancel = this.#options.host.after(Math.min(LOOK_MS, this.#periodMs), () => this.start());
  }

  /** Stops the reports: the last one says that the run ends, unless that was already reported. */
  stop(): void {
    this.#cancel();
    this.#look();
  }

  /** Sends the due fields, one message at a time. */
  #look(): void {
    if (this.#isSending) return;
    const state = this.#options.look();
    const fields = this.#due(state);
    if (fields === null) return;
    this.#reportedAt = this.#options.host.monotonic();
    this.#isSending = true;
    void this.#options.send([...fields, `STATUS=${state.status}`]).then((problem) => {
      this.#isSending = false;
      if (problem === null) this.#sent(fields);
      this.#report(problem);
    });
  }

  /** Fields due now; null for none. Before it is ready, a live run asks for more time. */
  #due({ isReady, isEnding, standstill }: ServiceState): readonly string[] | null {
    if (isEnding) return this.#isEnding ? null : [ENDING];
    if (standstill !== null) {
      this.#report(`not reported as alive: ${standstill}`);
      return null;
    }
    if (isReady && !this.#isReady) return [READY, ALIVE];
    if (this.#options.host.monotonic() - this.#reportedAt < this.#periodMs) return null;
    return this.#isReady ? [ALIVE] : [`EXTEND_TIMEOUT_USEC=${START_MS * 1_000}`, ALIVE];
  }

  #sent(fields: readonly string[]): void {
    this.#isReady ||= fields.includes(READY);
    this.#isEnding ||= fields.includes(ENDING);
  }

  #report(problem: string | null): void {
    if (problem !== null && problem !== this.#problem) this.#options.onProblem(problem);
    this.#problem = problem;
  }
}

const READY = 'READY=1';
const ALIVE = 'WATCHDOG=1';
const ENDING = 'STOPPING=1';
/** Time in ms requested by each report before the run is ready: two of them may fail. */
const START_MS = REPORT_MS * REPORTS;
