import type { EpochMs } from '../core/brand.ts';
import type { EngineContext } from '../engine/state/engineContext.ts';
import type { Phase, RunObstacles } from '../engine/runtime/runOptions.ts';
import type { Ability, Protection } from './model/status.ts';

/** A check of a run. `why`: what is wrong; null if it passes. */
export type HealthCheck = Readonly<{ name: HealthName; ok: boolean; why: string | null }>;
export type HealthName = 'journal' | 'venue' | 'clock' | 'recovered' | 'send' | 'protect';

/** Checks of a run, and its abilities. `ready`: all checks pass. */
export type Health = Readonly<{
  ready: boolean;
  checks: readonly HealthCheck[];
  canSend: Ability<string>;
  canProtect: Ability<Protection>;
}>;

/** True once a run works, even if it can do nothing at the venue: a supervisor waits only for this. */
export const hasStarted = ({ checks }: Pick<Health, 'checks'>): boolean =>
  checks.every(({ name, ok }) => ok || name === 'send' || name === 'protect');

/** Maximum age in ms of a live kernel's last step: even without a session, something is read every minute. */
const STEP_AGE_MAX_MS = 300_000;

export type HealthSource = Readonly<{ context: EngineContext; obstacles: RunObstacles; phase: Phase }>;

/** Checks that a run can work now: it writes its journal, reads the venue, trusts its clock and has recovered. */
export function healthOf({ context, obstacles, phase }: HealthSource): Pick<Health, 'ready' | 'checks'> {
  const [venue, clock] = [venueTrouble(context), context.holds.why('skew')];
  const checks = [
    checkOf('journal', obstacles.journal),
    checkOf('venue', venue ?? obstacles.gap),
    checkOf('clock', clock),
    checkOf('recovered', obstacles.start ?? (phase === 'running' ? null : `the run is ${phase}`)),
  ];
  return { ready: checks.every(({ ok }) => ok), checks };
}

const checkOf = (name: HealthName, why: string | null): HealthCheck => ({ name, ok: why === null, why });

function venueTrouble({ reads, holds }: EngineContext): string | null {
  if (reads.sweptAt === null || reads.account === null) return 'orders and account have not been read yet';
  return holds.why('blind') ?? holds.why('order list');
}

/** Reason why a run counts as hung although its process responds; null while its kernel makes progress. */
export function standstillOf({ now: steppedAt }: Pick<EngineContext, 'now'>, now: EpochMs): string | null {
  const age = now - steppedAt;
  if (age <= STEP_AGE_MAX_MS) return null;
  return `the last step of the kernel was ${Math.round(age / 1000)} s ago, at most ${STEP_AGE_MAX_MS / 1000} s are expected`;
}
