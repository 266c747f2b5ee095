import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Cancel, Clock } from '../core/clock.ts';

type Limit = Readonly<{ due: EpochMs; expire: () => void }>;

/** The time limits of everything in flight, under one timer: that of whichever ends first when it was set. */
export class TimeLimits {
  readonly #clock: Clock;
  readonly #limits = new Set<Limit>();
  #timer: Cancel | null = null;
  #wakeAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `expire` once `ms` have passed, unless cancelled before. */
  add(ms: number, expire: () => void): Cancel {
    const limit = { due: epochMs(this.#clock.now() + ms), expire };
    this.#limits.add(limit);
    this.#arm(limit.due);
    return () => {
      if (this.#limits.delete(limit) && this.#limits.size === 0) this.#disarm();
    };
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
    for (const limit of [...this.#limits]) {
      if (limit.due > now) continue;
      this.#limits.delete(limit);
      limit.expire();
    }
    if (this.#limits.size === 0) return;
    this.#arm(epochMs(Math.min(...[...this.#limits].map(({ due }) => due))));
  }
}
