import PQueue from 'p-queue';
import { MINUTE_MS, type EpochMs } from '../core/brand.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { Lane } from './endpoint.ts';

/** Delay requested by a `Retry-After` header (seconds or an HTTP date), in ms, possibly negative; null if invalid. */
export function retryAfterMs(header: string | undefined, now: EpochMs): number | null {
  const text = header?.trim() ?? '';
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at - now;
}

/** Share of a minute's requests that may be sent in a burst. */
const BURST_SHARE = 0.1;
/** Share of the burst that data requests leave to other lanes. */
const RESERVED_SHARE = 0.2;
/** Maximum number of requests in flight; urgent ones may exceed it. */
const RUNNING_MAX = 64;
const RUNNING_URGENT_MAX = RUNNING_MAX + 8;

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 60_000;

const PRIORITY = { cancel: 3, send: 2, reconcile: 1, data: 0 } satisfies Record<Lane, number>;

/** Queued requests of some lanes, and the tokens that one of them needs to start. */
type Line = Readonly<{ queue: PQueue; tokens: number; runningMax: number }>;

const SECONDS = 60;

/** Events of the last minute, counted per second, so that memory use does not depend on their number. */
class LastMinute {
  readonly #counts = new Array<number>(SECONDS).fill(0);
  /** Second of the latest event or read. */
  #second = 0;

  note(monotonicMs: number): void {
    this.#moveTo(monotonicMs);
    this.#counts[this.#second % SECONDS] = (this.#counts[this.#second % SECONDS] ?? 0) + 1;
  }

  count(monotonicMs: number): number {
    this.#moveTo(monotonicMs);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #moveTo(monotonicMs: number): void {
    const second = Math.floor(monotonicMs / 1000);
    if (second - this.#second >= SECONDS) this.#counts.fill(0);
    else for (let past = this.#second + 1; past <= second; past++) this.#counts[past % SECONDS] = 0;
    this.#second = second;
  }
}

/** Requests sent within the last minute, and the maximum. */
export type BudgetUse = Readonly<{ used: number; perMinute: number }>;

type BudgetOptions = Readonly<{
  /** Requests per minute: at least 10, or `Infinity`. */
  perMinute: number;
  clock: Clock;
  random: Random;
}>;

/**
 * Decides when a request may be sent. No minute has more than `perMinute` requests: a tenth may go out at once, the rest
 * follows evenly. A fifth of that tenth is reserved for cancels, sends and reconciliation, which precede data in this order.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #burst: number;
  readonly #perMs: number;
  readonly #perMinute: number;
  readonly #lastMinute = new LastMinute();
  readonly #urgent: Line;
  readonly #data: Line;
  #running = 0;
  #tokens: number;
  /** On the clock's monotonic scale, as `#pausedUntil` is. */
  #filledAt: number;
  #pausedUntil = -Infinity;
  #limitedInARow = 0;
  #timer: Cancel | null = null;

  constructor({ perMinute, clock, random }: BudgetOptions) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#random = random;
    this.#burst = Math.max(1, perMinute * BURST_SHARE);
    this.#perMs = perMinute === Infinity ? Infinity : (perMinute - this.#burst) / MINUTE_MS;
    this.#tokens = this.#burst;
    this.#filledAt = clock.monotonic();
    const reserved = perMinute === Infinity ? 0 : Math.floor(this.#burst * RESERVED_SHARE);
    this.#urgent = { queue: new PQueue({ autoStart: false }), tokens: 1, runningMax: RUNNING_URGENT_MAX };
    this.#data = { queue: new PQueue({ autoStart: false }), tokens: 1 + reserved, runningMax: RUNNING_MAX };
  }

  get use(): BudgetUse {
    return { used: this.#lastMinute.count(this.#clock.monotonic()), perMinute: this.#perMinute };
  }

  /** Runs `task` when it is its turn, in the same step that takes the slot: this one if nothing is queued. */
  run<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    const line = lane === 'data' ? this.#data : this.#urgent;
    this.#refill();
    if (line.queue.size === 0 && this.#mayStart(line)) return this.#start(task);
    line.queue.pause();
    const done = line.queue.add(() => this.#start(task), { priority: PRIORITY[lane] });
    this.#settle();
    return done;
  }

  async #start<T>(task: () => Promise<T>): Promise<T> {
    this.#tokens -= 1;
    this.#running += 1;
    this.#lastMinute.note(this.#filledAt);
    this.#settle();
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#settle();
    }
  }

  /** Records a 429: everything pauses for the time that the venue requests or, without one, longer each time. */
  limited(retryAfter: string | undefined): void {
    const now = this.#clock.monotonic();
    const asked = retryAfterMs(retryAfter, this.#clock.now());
    if (asked === null && now < this.#pausedUntil) return;
    const backOff = PAUSE_MIN_MS * 2 ** this.#limitedInARow++ * (1 + this.#random.next());
    const pause = Math.min(Math.max(asked ?? backOff, PAUSE_MIN_MS), PAUSE_MAX_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    this.#settle();
  }

  /** Records a response other than 429. */
  accepted(): void {
    this.#limitedInARow = 0;
  }

  #mayStart({ tokens, runningMax }: Line): boolean {
    return this.#tokens >= tokens && this.#running < runningMax && this.#filledAt >= this.#pausedUntil;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    if (this.#perMs !== Infinity)
      this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }

  /** Starts all requests that may go, and returns when more may. A queue runs exactly while its next request may start. */
  #settle(): void {
    if (this.#urgent.queue.size + this.#data.queue.size === 0) return;
    this.#refill();
    for (const line of [this.#urgent, this.#data])
      if (this.#mayStart(line)) line.queue.start();
      else line.queue.pause();
    this.#comeBack();
  }

  #comeBack(): void {
    this.#timer?.();
    this.#timer = null;
    const waiting = [this.#urgent, this.#data].find(({ queue }) => queue.size > 0);
    if (!waiting) return;
    const missing = Math.max(0, waiting.tokens - this.#tokens);
    const wait = Math.max(missing / this.#perMs, this.#pausedUntil - this.#filledAt);
    if (wait > 0) this.#timer = this.#clock.after(Math.ceil(wait), () => this.#settle());
  }
}
