import type { Gap, ClockWatchdog } from '../../src/core/clockWatchdog.ts';

/** A watchdog that a test stops: the first check reports the gap. */
export class FakePulse implements ClockWatchdog {
  gap: Gap | null = null;
  #tell: (gap: Gap) => void = () => undefined;

  start(onGap: (gap: Gap) => void): void {
    this.#tell = onGap;
  }

  check(): void {
    const { gap } = this;
    this.gap = null;
    if (gap) this.#tell(gap);
  }

  stop(): void {
    this.#tell = () => undefined;
  }
}
