import type { Cancel, Timepieces } from './clock.ts';

/** Time that went by without this program: it stood still, its machine slept, or somebody set the clock. */
export type Gap = Readonly<{ kind: 'stoodStill' | 'setForward' | 'setBack'; ms: number }>;

export interface ClockWatchdog {
  /** Starts the watch: each gap is reported once. */
  start(onGap: (gap: Gap) => void): void;
  /** Looks now. Whoever is about to act on what was known before looks first. */
  check(): void;
  stop(): void;
}

const BEAT_MS = 1_000;
/** A beat that is so late was not late by chance: the program has stood still. */
const STILL_MS = 5_000;
/** The wall clock is led towards the right time in far smaller steps. */
const STEP_MS = 2_000;

/** Beats once a second on the clock that nobody can set, and compares it with the wall clock each time. */
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
  const next = () => {
    cancel = host.after(BEAT_MS, () => {
      check();
      if (!notify) return;
      beat();
      next();
    });
  };
  return {
    start(onGap) {
      notify = onGap;
      beat();
      next();
    },
    check,
    stop() {
      notify = null;
      cancel?.();
    },
  };
}

const stepOf = (step: number): Gap => ({ kind: step > 0 ? 'setForward' : 'setBack', ms: Math.abs(step) });

/** A gap for people. */
export function describeGap({ kind, ms }: Gap): string {
  const seconds = `${Math.round(ms / 1_000)} s`;
  if (kind === 'stoodStill') return `the program stood still for ${seconds}`;
  return kind === 'setBack'
    ? `the clock was set back by ${seconds}`
    : `the machine slept, or its clock was set forward, by ${seconds}`;
}
