import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Cancel, Clock } from '../core/clock.ts';

type Limit = { readonly due: EpochMs; readonly expire: () => void; place: number };

/** The time limits of everything in flight, under one timer: that of whichever ends first when it was set. */
export class TimeLimits {
  readonly #clock: Clock;
  /**
   * Each limit knows its place, and the last one moves into a place that becomes free. A `Set` would leave a trail of
   * tables behind that the collector carries along: at thousands of requests a second it costs more than all the rest.
   */
  readonly #limits: Limit[] = [];
  #timer: Cancel | null = null;
  #wakeAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `expire` once `ms` have passed, unless cancelled before. */
  add(ms: number, expire: () => void): Cancel {
    const limit = { due: epochMs(this.#clock.now() + ms), expire, place: this.#limits.length };
    this.#limits.push(limit);
    this.#arm(limit.due);
    return () => {
      this.#remove(limit);
      if (this.#limits.length === 0) this.#disarm();
    };
  }

  #remove(limit: Limit): void {
    if (this.#limits[limit.place] !== limit) return;
    const last = this.#limits.pop();
    if (!last || last === limit) return;
    last.place = limit.place;
    this.#limits[limit.place] = last;
  }

  #arm(due: EpochMs): void {
    if (due >= this.#wakeAt) return;
    this.#timer?.();
    this.#wakeAt = due;
    this.#timer = this.#clock.at(due, () => this.#sweep());
  }

  #disarm(): void {
    this.#timer?.();
    this.#timer = null;
    this.#wakeAt = Infinity;
  }

  #sweep(): void {
    this.#disarm();
    const now = this.#clock.now();
    const ended = this.#limits.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);
    for (const limit of ended) {
      this.#remove(limit);
      limit.expire();
    }
    if (this.#limits.length > 0) this.#arm(epochMs(Math.min(...this.#limits.map(({ due }) => due))));
  }
}
