import { SIGNAL } from './messages.ts';

export type MemoryWatchOptions = Readonly<{
  signals: Int32Array;
  /** Most memory that the strategy may need, in bytes. */
  maxBytes: number;
  /** Memory of this process that is in use, in bytes. */
  residentBytes: () => number;
}>;

/** Interval in ms at which a thread is looked at between its hooks. */
export const WATCH_MS = 250;

/**
 * Watches the memory of a strategy's thread between its hooks. A thread that is free reports what it holds; for one that is
 * busy, in a timer or after an `await`, the growth of the whole process counts, from the first look that finds it silent.
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
