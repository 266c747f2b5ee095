import { epochMs, type EpochMs } from './brand.ts';

export type Cancel = () => void;

const released: Cancel = () => undefined;

/**
 * Only source of time in this program. All code that waits, times out, signs or decides by the hour uses the clock it
 * was given; no other file may read the machine's time.
 */
export interface Clock {
  /** Wall time. */
  now(): EpochMs;
  /** Milliseconds on a scale that never jumps, for durations. */
  monotonic(): number;
  /** Runs once `now()` has reached `when`; at once (but never before returning) when that has passed. */
  at(when: EpochMs, run: () => void): Cancel;
  /** Runs once `ms` have passed on the monotonic scale; never before returning. */
  after(ms: number, run: () => void): Cancel;
  /** `after` as a promise; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Holds virtual time until the returned function is called, for example while a request is on the wire; real time
   * does not stop. `key` names the hold for code that finishes the same work elsewhere (see `VirtualClock.suspend`).
   */
  hold(key?: string): Cancel;
}

/** Sleeps. Resolves to false if aborted. */
export const sleepUnless = (aborted: AbortSignal, clock: Clock, ms: number): Promise<boolean> =>
  clock.sleep(ms, aborted).then(
    () => true,
    () => false,
  );

/** The machine's time and timers that a virtual clock needs. Injected so that the clock can be tested. */
export type Host = Readonly<{
  monotonic(): number;
  /** Runs after `ms` real milliseconds. */
  after(ms: number, run: () => void): Cancel;
  /** Resolves when all callbacks that are ready have run. */
  turn(): Promise<void>;
}>;

/** Sources of real time. Wall time can be set forward or back at any moment, and continues while the machine sleeps. */
export type Timepieces = Pick<Host, 'monotonic' | 'after'> & Readonly<{ wall(): number }>;

/** Longest delay that a timer of the runtime supports. */
const DELAY_MAX_MS = 2 ** 31 - 1;
/** Maximum wait before a timer reads the wall clock again, which may have been set meanwhile. */
const RECHECK_MS = 30_000;

export const machine: Host & Timepieces = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), DELAY_MAX_MS));
    return () => clearTimeout(timer);
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** Globals saved before a strategy is loaded, because it may replace them. */
const own = { setTimeout, setImmediate };

/**
 * Resolves after everything that was pending when it was called: promises, ticks, immediates, and timers already due.
 * By then, unhandled errors from these have reached the process.
 */
export const turnOver = (): Promise<void> =>
  new Promise((resolve) => {
    own.setTimeout(() => own.setImmediate(resolve), 1);
  });

/** Runs repeatedly at an interval of real milliseconds. Does not keep the process alive. */
export function everyMs(ms: number, run: () => void): Cancel {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
}

/** Runs repeatedly, each time that many real ms after the previous run began. */
export function repeatOn(host: Pick<Host, 'after'>, ms: number, run: () => void): Cancel {
  const next = () => {
    cancel = host.after(ms, next);
    run();
  };
  let cancel = host.after(ms, next);
  return () => cancel();
}

/** Result of `work` within that many ms; null if it takes longer. */
export async function inTime<T>(
  ms: number,
  clock: Pick<Clock, 'after'>,
  work: () => Promise<T>,
): Promise<T | null> {
  let cancel = released;
  const late = new Promise<null>((resolve) => (cancel = clock.after(ms, () => resolve(null))));
  try {
    return await Promise.race([work(), late]);
  } finally {
    cancel();
  }
}

/** `after` in terms of `at`, for clocks whose time cannot be set. */
export const afterOn = (clock: Pick<Clock, 'now' | 'at'>, ms: number, run: () => void): Cancel =>
  clock.at(epochMs(clock.now() + Math.max(ms, 0)), run);

/** Resolves once the signal is aborted. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** `sleep` in terms of `after`. */
export function sleepOn(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const wake = () => {
      signal?.removeEventListener('abort', abandon);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    const abandon = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abandon, { once: true });
  });
}

/** Runs once `left` reports that no time is left, polling it at least once and never before returning. */
function once(host: Timepieces, left: () => number, run: () => void): Cancel {
  let cancel = released;
  const wait = () => {
    cancel = host.after(Math.min(left(), RECHECK_MS), () => (left() > 0 ? wait() : run()));
  };
  wait();
  return () => cancel();
}

/** Real time: instants by the wall clock, durations by the monotonic one, which cannot be set. */
export function realClock(host: Timepieces): Clock {
  return {
    now: () => epochMs(host.wall()),
    monotonic: () => host.monotonic(),
    at: (when, run) => once(host, () => when - host.wall(), run),
    after(ms, run) {
      const end = host.monotonic() + ms;
      return once(host, () => end - host.monotonic(), run);
    },
    sleep(ms, signal) {
      return sleepOn(this, ms, signal);
    },
    hold: () => released,
  };
}

/** System clock of the machine. */
export const systemClock: Clock = realClock(machine);
