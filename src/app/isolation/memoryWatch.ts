import { SIGNAL } from '../realm/messages.ts';

type MemoryWatchOptions = Readonly<{
  signals: Int32Array;
  /** Maximum memory of all strategies in the thread, in bytes. */
  maxBytes: number;
  /** Resident memory of this process, in bytes. */
  residentBytes: () => number;
}>;

/**
 * Watches the memory of a strategy thread between hooks. An idle thread reports its memory; for one that is busy in a timer
 * or after an `await`, the growth of the whole process counts, starting with the first check at which it does not respond.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  #reports = -1;
  #residentWhenSilent: number | null = null;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
  }

  /** True when the thread uses more memory than allowed. */
  isTooMuch(): boolean {
    const { signals, maxBytes, residentBytes } = this.#options;
    const reports = Atomics.load(signals, SIGNAL.reports);
    const held = Atomics.load(signals, SIGNAL.heldKb) * 1024;
    if (reports !== this.#reports) {
      [this.#reports, this.#residentWhenSilent] = [reports, null];
      return held > maxBytes;
    }
    const resident = residentBytes();
    this.#residentWhenSilent ??= resident;
    return resident - this.#residentWhenSilent > maxBytes;
  }
}
