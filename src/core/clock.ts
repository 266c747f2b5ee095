import { epochMs, type EpochMs } from './brand.ts';

export type Cancel = () => void;

/**
 * The only source of time in this program. Everything that waits, times out, signs or decides by the hour asks the
 * clock it was given; no other file may read the machine's time.
 */
export interface Clock {
  /** Wall time. */
  now(): EpochMs;
  /** Milliseconds on a scale that never jumps, for durations. */
  monotonic(): number;
  /** Runs once `now()` has reached `when`; at once (but never before returning) when that has passed. */
  at(when: EpochMs, run: () => void): Cancel;
  /** Resolves once `ms` have passed; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Asks time to stand still until the answer is called, as while bytes are on a socket. Real time cannot; a virtual
   * clock does. `key` names the hold for whoever finishes the same work elsewhere (see `VirtualClock.suspend`).
   */
  hold(key?: string): Cancel;
}

/** What a virtual clock needs of the machine. Injected so that the clock itself stays testable. */
export type Host = Readonly<{
  monotonic(): number;
  /** Runs after `ms` real milliseconds. */
  after(ms: number, run: () => void): Cancel;
  /** Resolves when all callbacks that are ready have run. */
  turn(): Promise<void>;
}>;

/** Longest delay that a timer of the runtime takes. */
const DELAY_MAX_MS = 2 ** 31 - 1;

export const machine: Host = {
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), DELAY_MAX_MS));
    return () => clearTimeout(timer);
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** `sleep` in terms of `at`: the same for every clock. */
export function sleepOn(clock: Pick<Clock, 'now' | 'at'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const wake = () => {
      signal?.removeEventListener('abort', abandon);
      resolve();
    };
    const cancel = clock.at(epochMs(clock.now() + Math.max(ms, 0)), wake);
    const abandon = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abandon, { once: true });
  });
}

const released: Cancel = () => undefined;

/** Real time. */
export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  monotonic: machine.monotonic,
  at(when, run) {
    let cancel = released;
    const wait = () => {
      const left = when - Date.now();
      cancel = machine.after(left, left > DELAY_MAX_MS ? wait : run);
    };
    wait();
    return () => cancel();
  },
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  hold: () => released,
};
