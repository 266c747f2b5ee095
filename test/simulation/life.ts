import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import { afterOn, sleepOn, type Cancel, type Clock } from '../../src/core/clock.ts';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import type { CrashPoint } from './plan.ts';

/** One process: it has its own clock, may be paused for a while, and dies at its crash point. */
export class Life {
  alive = true;
  readonly #time: VirtualClock;
  readonly #skewMs: () => number;
  readonly #crash: CrashPoint | null;
  readonly #onDeath: (why: string) => void;
  #pausedUntil = -Infinity;
  #passed = 0;

  constructor(options: {
    time: VirtualClock;
    skewMs: () => number;
    crash: CrashPoint | null;
    onDeath: (why: string) => void;
  }) {
    this.#time = options.time;
    this.#skewMs = options.skewMs;
    this.#crash = options.crash;
    this.#onDeath = options.onDeath;
  }

  /** Passes a point where this process may die. Returns true if it has. */
  passes(point: CrashPoint['point'], isSend: boolean): boolean {
    const crash = this.#crash;
    if (!this.alive || crash?.point !== point || (crash.of === 'send' && !isSend)) return !this.alive;
    if (++this.#passed < crash.nth) return false;
    this.die(`killed at ${point} (${crash.of}) ${crash.nth}`);
    return true;
  }

  die(why: string): void {
    if (!this.alive) return;
    this.alive = false;
    this.#onDeath(why);
  }

  pause(ms: number): void {
    this.#pausedUntil = this.#time.now() + ms;
  }

  /** Resolves at once, after the pause, or never: a dead process receives nothing. */
  async awake(): Promise<void> {
    while (this.alive && this.#time.now() < this.#pausedUntil)
      await this.#time.sleep(this.#pausedUntil - this.#time.now());
    // Its own promise: one shared by all lives would keep each of them forever.
    if (!this.alive) await new Promise<never>(() => undefined);
  }

  /** The wall clock of this process. Its timers end with it, and wait while it is paused. */
  clock(): Clock {
    const time = this.#time;
    const now = (): EpochMs => epochMs(time.now() + this.#skewMs());
    const at: Clock['at'] = (when, run) => {
      let cancel: Cancel = () => undefined;
      const fire = () => {
        if (!this.alive) return;
        const wait = Math.max(this.#pausedUntil - time.now(), when - now());
        // No wall clock shows fractions of a millisecond.
        if (wait >= 1) cancel = time.at(epochMs(time.now() + wait), fire);
        else run();
      };
      cancel = time.at(epochMs(when - this.#skewMs()), fire);
      return () => cancel();
    };
    const after: Clock['after'] = (ms, run) => afterOn({ now, at }, ms, run);
    return {
      now,
      at,
      monotonic: () => time.monotonic(),
      after,
      sleep: (ms, signal) => sleepOn({ after }, ms, signal),
      hold: (key) => time.hold(key),
    };
  }
}
