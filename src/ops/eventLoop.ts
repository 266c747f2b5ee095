import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';

/** Delays of the event loop in seconds since the previous reading. */
export type LoopDelay = Readonly<{ median: number; p99: number; max: number }>;

/** Period in ms at which the delay is sampled. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/** Measures the delay of the event loop from its first reading on, so that it costs nothing if unused. */
export class LoopDelayWatch {
  #histogram: IntervalHistogram | null = null;

  /** Null at the first reading. */
  read(): LoopDelay | null {
    if (this.#histogram === null) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
      return null;
    }
    const { max } = this.#histogram;
    const delay = { median: this.#at(50), p99: this.#at(99), max: max / NANOSECONDS };
    this.#histogram.reset();
    return delay;
  }

  stop(): void {
    this.#histogram?.disable();
  }

  #at(percentile: number): number {
    return (this.#histogram?.percentile(percentile) ?? 0) / NANOSECONDS;
  }
}
