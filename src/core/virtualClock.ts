import { type EpochMs, epochMs } from './brand.ts';
import { type Cancel, machine, afterOn, sleepOn, type Clock, type Host } from './clock.ts';
import { InvariantError } from './errors.ts';

type Timer = { readonly due: EpochMs; readonly order: number; run: (() => void) | null };

const before = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** Timers by due time, then in the order in which they were set. A binary heap; cancelled timers are skipped. */
export class TimerQueue {
  readonly #heap: Timer[] = [];
  #order = 0;

  add(due: EpochMs, run: () => void): Cancel {
    const timer: Timer = { due, order: this.#order++, run };
    this.#heap.push(timer);
    this.#up(this.#heap.length - 1);
    return () => {
      timer.run = null;
    };
  }

  /** Time of the next timer, if there is one. */
  next(): EpochMs | undefined {
    while (this.#heap[0]?.run === null) this.#pop();
    return this.#heap[0]?.due;
  }

  fireNext(): void {
    if (this.next() === undefined) return;
    this.#pop()?.run?.();
  }

  #pop(): Timer | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#down(0);
    }
    return first;
  }

  #up(from: number): void {
    for (let index = from; index > 0;) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #down(from: number): void {
    for (let index = from; ;) {
      const left = 2 * index + 1;
      const [a, b] = [this.#heap[left], this.#heap[left + 1]];
      const child = a && b && before(b, a) ? left + 1 : left;
      if (!this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #swapIfBefore(index: number, other: number): boolean {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (!a || !b || !before(a, b)) return false;
    this.#heap[index] = b;
    this.#heap[other] = a;
    return true;
  }
}

/** `0`: moves only by `advanceTo`. N: N times real speed. `max`: jumps to the next timer. */
export type Pace = number | 'max';

/** End of the skipped span that contains an instant; null if time passes at the clock's pace. */
export type Skip = (at: EpochMs) => EpochMs | null;

const never: Skip = () => null;

type VirtualClockOptions = Readonly<{
  start: EpochMs;
  pace?: Pace;
  /** Spans skipped from timer to timer, as with `max`, at a pace of N. */
  skip?: Skip;
  host?: Host;
}>;

/**
 * Clock whose time the program controls. Timers fire one by one, each at its own instant, and all work that a timer
 * started finishes before the next one: the clock stands still while there is a hold or a pending callback. The same
 * inputs therefore give the same day, at any pace and on any machine.
 */
export class VirtualClock implements Clock {
  readonly #pace: Pace;
  readonly #skip: Skip;
  readonly #host: Host;
  readonly #timers = new TimerQueue();
  readonly #holds = new Set<string | symbol>();
  /** Holds restored when their `suspend` ends, unless released before. */
  readonly #suspended = new Set<string | symbol>();
  /** Current time. Fractions of a millisecond keep timers of different origin apart; `now()` rounds down. */
  #now: number;
  #running = false;
  /** Wakes the loop: a hold was released, a timer was set, or the clock was stopped. */
  #nudge: () => void = () => undefined;
  /** Real instant that corresponds to `#now`; shifted by the length of every hold. */
  #anchor: number;

  constructor(options: VirtualClockOptions) {
    this.#now = options.start;
    this.#pace = options.pace ?? 0;
    this.#skip = this.#pace === 'max' ? never : (options.skip ?? never);
    this.#host = options.host ?? machine;
    this.#anchor = this.#host.monotonic();
  }

  now(): EpochMs {
    return epochMs(Math.floor(this.#now));
  }

  monotonic(): number {
    return this.#now;
  }

  get pace(): Pace {
    return this.#pace;
  }

  at(when: EpochMs, run: () => void): Cancel {
    const cancel = this.#timers.add(epochMs(Math.max(when, this.#now)), run);
    this.#nudge();
    return cancel;
  }

  after(ms: number, run: () => void): Cancel {
    return afterOn(this, ms, run);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  hold(key: string | symbol = Symbol('hold')): Cancel {
    if (this.#holds.size === 0) this.touch();
    this.#holds.add(key);
    return () => this.#release(key);
  }

  #release(key: string | symbol): void {
    this.#suspended.delete(key);
    if (!this.#holds.delete(key) || this.#holds.size > 0) return;
    this.#anchor = this.#host.monotonic();
    this.#nudge();
  }

  /**
   * Lets time pass while the holder of `key` waits on this clock itself, as a server does that delays its response.
   * Without such a hold it just waits, and a hold released meanwhile is not restored.
   */
  async suspend<T>(key: string, wait: () => Promise<T>): Promise<T> {
    if (!this.#holds.has(key)) return wait();
    this.#release(key);
    this.#suspended.add(key);
    try {
      return await wait();
    } finally {
      if (this.#suspended.delete(key)) this.#holds.add(key);
    }
  }

  /** At a pace of N, moves up to the present, but never past the next timer: for callers outside this process. */
  touch(): void {
    if (typeof this.#pace !== 'number' || this.#pace === 0 || !this.#running || this.#holds.size > 0) return;
    const real = this.#host.monotonic();
    const present = this.#now + (real - this.#anchor) * this.#pace;
    const next = this.#timers.next() ?? present;
    this.#now = Math.max(this.#now, Math.min(present, next));
    this.#anchor = real;
  }

  /** Lets time run at the clock's pace until `stop`. */
  async run(): Promise<void> {
    if (this.#pace === 0) throw new InvariantError('a clock of pace 0 is moved by advanceTo');
    this.#running = true;
    this.#anchor = this.#host.monotonic();
    while (await this.#quiet()) {
      const next = this.#timers.next();
      if (next === undefined) await this.#nudged();
      else if (this.#isDue(next)) this.#fire(next);
      else await this.#nudged(this.#realMsUntil(next));
    }
  }

  stop(): void {
    this.#running = false;
    this.#nudge();
  }

  /** Moves to `target`, firing due timers on the way. A `stop` on the way ends the move. */
  async advanceTo(target: EpochMs): Promise<void> {
    this.#running = true;
    while (await this.#quiet()) {
      const next = this.#timers.next();
      if (next === undefined || next > target) {
        this.#now = Math.max(this.#now, target);
        return;
      }
      this.#fire(next);
    }
  }

  advanceBy(ms: number): Promise<void> {
    return this.advanceTo(epochMs(this.#now + ms));
  }

  #fire(due: EpochMs): void {
    // Time spent in a skipped span is not caught up afterwards.
    const isSkipped = this.#skip(this.now()) !== null;
    this.#anchor = isSkipped ? this.#host.monotonic() : this.#anchor + this.#realMsTo(due);
    this.#now = Math.max(due, this.#now);
    this.#timers.fireNext();
  }

  #isDue(next: EpochMs): boolean {
    return this.#pace === 'max' || this.#realMsUntil(next) <= 0.5;
  }

  #realMsUntil(next: EpochMs): number {
    return this.#anchor + this.#realMsTo(next) - this.#host.monotonic();
  }

  /** Real time that the clock takes from now to `due`. */
  #realMsTo(due: EpochMs): number {
    if (this.#pace === 'max' || this.#pace === 0) return 0;
    const from = Math.max(this.#now, this.#skip(this.now()) ?? 0);
    return Math.max(due - from, 0) / this.#pace;
  }

  /** Resolves once there is no hold and no pending callback; to false when the clock was stopped. */
  async #quiet(): Promise<boolean> {
    await this.#host.turn();
    while (this.#holds.size > 0 && this.#running) {
      await this.#nudged();
      await this.#host.turn();
    }
    return this.#running;
  }

  #nudged(realMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = realMs === undefined ? undefined : this.#host.after(realMs, () => this.#nudge());
      this.#nudge = () => {
        this.#nudge = () => undefined;
        cancel?.();
        resolve();
      };
    });
  }
}
