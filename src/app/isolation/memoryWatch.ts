import { SIGNAL } from '../realm/messages.ts';

type MemoryWatchOptions = Readonly<{
  signals: Int32Array;
  /** Maximum memory that the strategies of the thread may need, in bytes. */
  maxBytes: number;
  /** Memory of this process that is in use, in bytes. */
  residentBytes: () => number;
}>;

/**
 * Watches the memory of a thread of strategies between their hooks. An idle thread reports its memory; for a busy one, in a
 * timer or after an `await`, the growth of the whole process counts, from the first check at which it is silent.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  #reports = -1;
  #residentWhenSilent: number | null = null;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
  }

  /** True when the thread holds more than it may. */
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
