import { repeatOn, type Cancel, type Timepieces } from './clock.ts';

/** Time that passed unnoticed: the program was suspended, the machine slept, or the clock was set. */
export type Gap = Readonly<{ kind: 'stoodStill' | 'setForward' | 'setBack'; ms: number }>;

export interface ClockWatchdog {
  /** Starts the watch: each gap is reported once. */
  start(onGap: (gap: Gap) => void): void;
  /** Checks now. Call this before acting on earlier data. */
  check(): void;
  stop(): void;
}

const BEAT_MS = 1_000;
/** Delay of a beat, in ms, from which the program counts as suspended. */
const STILL_MS = 5_000;
/** Smallest jump of the wall clock, in ms, that counts as set by hand: time synchronisation makes far smaller ones. */
const STEP_MS = 2_000;

/** Beats once a second on the monotonic clock and compares it with the wall clock each time. */
export function machineWatchdog(host: Timepieces): ClockWatchdog {
  let notify: ((gap: Gap) => void) | null = null;
  let cancel: Cancel | null = null;
  let last = { monotonic: 0, wall: 0 };
  const beat = () => {
    last = { monotonic: host.monotonic(), wall: host.wall() };
  };
  const check = () => {
    if (!notify) return;
    const passed = host.monotonic() - last.monotonic;
    const step = host.wall() - last.wall - passed;
    if (passed < STILL_MS && Math.abs(step) < STEP_MS) return;
    beat();
    notify(Math.abs(step) < STEP_MS ? { kind: 'stoodStill', ms: passed } : stepOf(step));
  };
  return {
    start(onGap) {
      notify = onGap;
      beat();
      cancel = repeatOn(host, BEAT_MS, () => {
        check();
        if (notify) beat();
      });
    },
    check,
    stop() {
      notify = null;
      cancel?.();
    },
  };
}

const stepOf = (step: number): Gap => ({ kind: step > 0 ? 'setForward' : 'setBack', ms: Math.abs(step) });

/** Description of a gap, for people. */
export function describeGap({ kind, ms }: Gap): string {
  const seconds = `${Math.round(ms / 1_000)} s`;
  if (kind === 'stoodStill') return `the program stood still for ${seconds}`;
  return kind === 'setBack'
    ? `the clock was set back by ${seconds}`
    : `the machine slept, or its clock was set forward, by ${seconds}`;
}
