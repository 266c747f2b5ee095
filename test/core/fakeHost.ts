import { epochMs } from '../../src/core/brand.ts';
import type { Host, Timepieces } from '../../src/core/clock.ts';
import { VirtualClock, type Pace, type Skip } from '../../src/core/virtualClock.ts';

export const START = epochMs(1_700_000_000_000);
export const at = (ms: number) => epochMs(START + ms);
/** Runs everything that is ready. */
export const turns = async (count = 5) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A machine whose real time the test moves. */
export class FakeHost implements Host, Timepieces {
  now = 0;
  /** By how much the wall clock has been set since the start. */
  setBy = 0;
  readonly waits: { until: number; run: () => void }[] = [];

  monotonic = () => this.now;
  wall = () => START + this.now + this.setBy;
  turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  after = (ms: number, run: () => void) => {
    const wait = { until: this.now + Math.max(ms, 0), run };
    this.waits.push(wait);
    return () => {
      if (this.waits.includes(wait)) this.waits.splice(this.waits.indexOf(wait), 1);
    };
  };

  /** Advances real time step by step, and runs everything it wakes. */
  async pass(ms: number) {
    const end = this.now + ms;
    for (;;) {
      await turns();
      const [next] = this.waits.filter(({ until }) => until <= end).sort((a, b) => a.until - b.until);
      if (!next) break;
      this.now = Math.max(this.now, next.until);
      this.waits.splice(this.waits.indexOf(next), 1);
      next.run();
    }
    this.now = end;
    await turns();
  }
}

export function clockOf(pace: Pace, skip?: Skip) {
  const host = new FakeHost();
  const clock = new VirtualClock({ start: START, pace, host, ...(skip && { skip }) });
  /** `<name> <virtual ms since the start>` of every timer that has fired. */
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name} ${clock.now() - START}`);
  const running = () => ({ done: clock.run() });
  return { host, clock, seen, note, running };
}
