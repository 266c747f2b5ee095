import PQueue from 'p-queue';
import { epochMs } from '../core/brand.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { LANES, type Lane } from './endpoint.ts';
import { retryAfterMs } from './retryAfter.ts';

const MINUTE_MS = 60_000;
/** Part of a minute's requests that may go out at once. */
const BURST_SHARE = 0.1;
/** Part of the burst that data leaves to the other lanes. */
const RESERVED_SHARE = 0.2;
const CONCURRENCY_MAX = 64;

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 60_000;

const priorityOf = (lane: Lane): number => LANES.length - LANES.indexOf(lane);
const PRIORITY = Object.fromEntries(LANES.map((lane) => [lane, { priority: priorityOf(lane) }]));

export type BudgetOptions = Readonly<{ perMinute: number; clock: Clock; random: Random }>;

/**
 * When a request may go out. No minute sees more than `perMinute` of them: a tenth may go at once, the rest flows in. A
 * fifth of that tenth is for cancels, sends and reconciliation, which go before data and among themselves in this order.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #burst: number;
  readonly #perMs: number;
  readonly #urgent = new PQueue({ concurrency: CONCURRENCY_MAX });
  readonly #data = new PQueue({ concurrency: CONCURRENCY_MAX });
  /** Each queue, and the tokens without which nothing of it starts. A queue runs exactly while there are so many. */
  readonly #queues: readonly Readonly<{ queue: PQueue; needs: number }>[];
  #tokens: number;
  /** On the clock's monotonic scale, like `#pausedUntil`. */
  #filledAt: number;
  #pausedUntil = -Infinity;
  #limitedInARow = 0;
  #timer: Cancel | null = null;

  constructor({ perMinute, clock, random }: BudgetOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#burst = Math.max(1, perMinute * BURST_SHARE);
    this.#perMs = perMinute === Infinity ? Infinity : (perMinute - this.#burst) / MINUTE_MS;
    this.#tokens = this.#burst;
    this.#filledAt = clock.monotonic();
    const reserved = perMinute === Infinity ? 0 : Math.floor(this.#burst * RESERVED_SHARE);
    this.#queues = [
      { queue: this.#urgent, needs: 1 },
      { queue: this.#data, needs: 1 + reserved },
    ];
  }

  /** Runs `task` in its turn; `task` is called in the very step that takes the slot. */
  run<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    const queue = lane === 'data' ? this.#data : this.#urgent;
    const done = queue.add(() => {
      this.#tokens -= 1;
      this.#settle();
      return task();
    }, PRIORITY[lane]);
    if (queue.isPaused) this.#settle();
    return done;
  }

  /** The venue has asked for fewer requests (429): everything pauses, as long as it says or, without a word, longer each time. */
  limited(retryAfter: string | undefined): void {
    const now = this.#clock.monotonic();
    const asked = retryAfterMs(retryAfter, this.#clock.now());
    if (asked === null && now < this.#pausedUntil) return;
    const backOff = PAUSE_MIN_MS * 2 ** this.#limitedInARow++ * (1 + this.#random.next());
    const pause = Math.min(Math.max(asked ?? backOff, PAUSE_MIN_MS), PAUSE_MAX_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    this.#settle();
  }

  /** The venue has answered without asking for fewer. */
  accepted(): void {
    this.#limitedInARow = 0;
  }

  /** Starts and pauses the queues by what there is, and comes back when there will be more. */
  #settle(): void {
    const now = this.#clock.monotonic();
    if (this.#perMs !== Infinity)
      this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
    for (const { queue, needs } of this.#queues)
      if (now >= this.#pausedUntil && this.#tokens >= needs) queue.start();
      else queue.pause();
    this.#comeBack(now);
  }

  #comeBack(now: number): void {
    this.#timer?.();
    this.#timer = null;
    const waiting = this.#queues.find(({ queue }) => queue.isPaused && queue.size > 0);
    if (!waiting) return;
    const missing = Math.max(0, waiting.needs - this.#tokens);
    const wait = Math.max(missing / this.#perMs, this.#pausedUntil - now, 1);
    this.#timer = this.#clock.at(epochMs(this.#clock.now() + Math.ceil(wait)), () => this.#settle());
  }
}
