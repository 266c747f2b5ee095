import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import type { FakePulse } from './fakePulse.ts';
import type { Stage } from './stage.ts';

/** Makes the clock of a stage settable. Returns a function that sets it, by ms from the present, while time continues; the watchdog notices. */
export function settable({ clock }: Pick<Stage, 'clock'>, pulse: FakePulse): (ms: number) => void {
  let ahead = 0;
  const at = clock.at.bind(clock);
  Object.assign(clock, {
    now: () => epochMs(Math.floor(clock.monotonic()) + ahead),
    at: (when: EpochMs, run: () => void) => at(epochMs(when - ahead), run),
  });
  return (ms) => {
    ahead += ms;
    pulse.gap = { kind: ms > 0 ? 'setForward' : 'setBack', ms: Math.abs(ms) };
  };
}
