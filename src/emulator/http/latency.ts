import type { EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { chanceOf } from '../../core/random.ts';
import { VirtualClock } from '../../core/virtualClock.ts';

/** Time on the way to the venue and back, in virtual ms. 0 and 0 for none. */
export type Latency = Readonly<{ minMs: number; maxMs: number }>;

type LatencyInput = Readonly<{ latency: Latency; seed: number; what: string }>;

/**
 * Depends on what is asked and its instant alone, so that the order in which sockets are read changes nothing. Keeps its
 * fraction, so that two requests hardly ever arrive at one instant.
 */
export const latencyMs = ({ latency: { minMs, maxMs }, seed, what }: LatencyInput, now: EpochMs): number =>
  minMs + (maxMs - minMs) * chanceOf(`${seed} trip ${now} ${what}`);

/** Lets time pass, also while the caller holds the clock under this key. */
export async function pass(clock: Clock, key: string, ms: number): Promise<void> {
  if (ms <= 0) return;
  const sleep = () => clock.sleep(ms);
  await (clock instanceof VirtualClock ? clock.suspend(key, sleep) : sleep());
}
