import { existsSync } from 'node:fs';
import { epochMs, toIso } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import {
  closing,
  ConfigError,
  InvalidValueError,
  SafetyError,
  VenueRefusedError,
} from '../../core/errors.ts';
import type { JournalEntry } from '../../domain/journalEvent.ts';
import type { Until } from '../../engine/runtime/runOptions.ts';
import { needsMigration } from '../../store/migrateJournal.ts';
import { latestOf, readJournal, type JournalReader } from '../../store/readJournal.ts';
import { parseInstant } from '../config/times.ts';
import { requireRunnable, stateOverride, venueOf, type LoadedConfig, type Override } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { clockOf } from '../environment/connect.ts';
import { requireJournal, requireTrusted } from '../environment/journal.ts';
import { journalFile } from '../environment/ownership.ts';

export type RunFlags = Readonly<{
  mode?: string;
  live?: boolean;
  start?: string;
  speed?: number | string;
  nights?: string;
  until?: string;
  state?: string;
  seed?: number | string;
  /** Address of the control API. */
  listen?: string;
  /** Path of a file with faults. */
  faults?: string;
  afterCrashes?: boolean;
}>;

export function overridesOf(flags: RunFlags): Override[] {
  const paths: Readonly<Record<string, readonly string[]>> = {
    mode: ['mode'],
    start: ['emulator', 'start'],
    speed: ['emulator', 'speed'],
    nights: ['emulator', 'nights'],
    seed: ['emulator', 'seed'],
    listen: ['control', 'listen'],
  };
  const named = Object.entries(flags).flatMap(([name, value]) => {
    const path = paths[name];
    return path ? [{ path, value, flag: `--${name}` }] : [];
  });
  return [...named, ...stateOverride(flags)];
}

/** `close`, `sessions:3`, or an instant. @throws {InvalidValueError} */
function parseUntil(text: string): Until {
  if (text === 'close') return { kind: 'sessions', count: 1 };
  const [, count] = /^sessions:([1-9]\d{0,4})$/.exec(text) ?? [];
  if (count !== undefined) return { kind: 'sessions', count: Number(count) };
  try {
    return { kind: 'instant', at: parseInstant(text) };
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(
      `--until ${text}: write close, sessions:N or a time such as 2026-06-15T16:30`,
    );
  }
}

/** Default end: an emulated day without a state folder ends at its close; every other run continues until stopped. */
export function untilOf({ until: text }: RunFlags, { config }: LoadedConfig): Until {
  if (text !== undefined) {
    const until = parseUntil(text);
    const { start } = config.emulator;
    if (config.mode === 'emulator' && until.kind === 'instant' && until.at <= start)
      throw new ConfigError(
        `--until ${text}: the emulated day starts later, at ${toIso(start)}. Write a later time, or an earlier --start`,
      );
    return until;
  }
  return config.mode === 'emulator' && config.state === undefined ? parseUntil('close') : { kind: 'stopped' };
}

/**
 * True when a run on this state folder has traded before.
 * @throws {SafetyError} when others can change the folder
 * @throws {ConfigError} when its journal is damaged
 */
export function isRestart(loaded: LoadedConfig): boolean {
  const { state } = loaded.config;
  if (state === undefined || !existsSync(journalFile(state))) return false;
  requireTrusted({ loaded, stateDir: state });
  return latestOf(journalFile(state), ['started'], 1).length > 0;
}

/** Strategies that get their own thread because of earlier runs on this state folder. */
export const aloneBefore = (loaded: LoadedConfig): ReadonlySet<string> =>
  isRestart(loaded) ? aloneIn(journalFile(loaded.config.state ?? '')) : new Set();

/**
 * The same from a journal: the restarts since its latest start, and earlier ones listed by that start. Empty for a journal that
 * still has to be migrated: its version had no restarts.
 */
export const aloneIn = (file: string): ReadonlySet<string> =>
  needsMigration(file) ? new Set() : closing(readJournal(file), aloneBy);

function aloneBy(reader: JournalReader): ReadonlySet<string> {
  const alone = new Set<string>();
  for (const { fact } of reader.backwards(['started', 'strategyRestarted'], Infinity)) {
    if (fact.kind === 'started') return new Set([...alone, ...(fact.alone ?? [])]);
    alone.add(fact.alone);
  }
  return alone;
}

/** Advice to someone who requests live trading with a config of another mode; null if there is none. */
export const liveAdvice = ({ config: { mode } }: LoadedConfig, { live }: RunFlags): string | null =>
  live && mode !== 'live'
    ? `drover: --live has no effect in mode ${mode}: nothing is traded for real. For that, set mode: live in the config`
    : null;

/** Refuses a run that cannot start, before anything is opened. */
export function requireStart(loaded: LoadedConfig, flags: RunFlags): void {
  const { mode } = loaded.config;
  requireRunnable(loaded);
  if (mode === 'emulator') return;
  const flag = (['faults', 'start', 'speed', 'nights', 'seed'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (flag !== undefined)
    throw new ConfigError(`--${flag} is for the emulator: mode ${mode} uses the venue of the config`);
  if (mode === 'live' && !flags.live)
    throw new SafetyError('mode live trades with real money: nothing was started. Pass --live to confirm');
}

/**
 * Refuses a start that would be unsafe, before anything is opened: a folder that others can change, a lost journal, a crash
 * loop, and in mode live whatever `drover doctor` finds.
 */
export async function requireSafeStart(
  loaded: LoadedConfig,
  { afterCrashes }: RunFlags,
  context: CommandContext,
): Promise<void> {
  const { mode, state } = loaded.config;
  if (state !== undefined) {
    requireTrusted({ loaded, stateDir: state });
    requireJournal(state);
  }
  if (mode !== 'emulator' && !afterCrashes) await requireNoLoop(loaded, context);
  if (mode === 'live') await requireHealth(loaded, context);
}

/** Refuses a start in a crash loop, by the journal's clock. Skipped for a venue in this process. */
async function requireNoLoop(loaded: LoadedConfig, context: CommandContext): Promise<void> {
  const { state } = loaded.config;
  if (state !== undefined) requireCalm(state, await clockOf(venueOf(loaded), context));
}

/** Crash loop: number of runs that ended abruptly or with their own error, and the time within which they began. */
const CRASHES_MAX = 5;
const WITHIN_MS = 10 * 60_000;
/** Maximum number of events that a crashing run journals: its start, and its end if it got there. */
const FACTS_A_RUN = 2;

/**
 * Prevents a supervisor from restarting a run that crashes immediately: each start reads everything from the venue, and
 * may send before it ends. Checked before the venue is contacted. A refused start leaves no trace.
 * @throws {SafetyError} while too many of the latest runs crashed
 * @throws {ConfigError} when the journal is damaged
 */
function requireCalm(stateDir: string, clock: Pick<Clock, 'now'>): void {
  const file = journalFile(stateDir);
  if (!existsSync(file)) return;
  const facts = latestOf(file, ['epoch', 'ended'], {
    count: CRASHES_MAX * FACTS_A_RUN,
    spanMs: WITHIN_MS,
  });
  const now = clock.now();
  const recent = crashesIn(facts).filter((begun) => now - begun < WITHIN_MS);
  const first = recent[CRASHES_MAX - 1];
  if (first === undefined) return;
  throw new SafetyError(
    `not started before ${toIso(epochMs(first + WITHIN_MS))}: the last ${recent.length} runs on ${stateDir} crashed, all since ${toIso(first)}. ` +
      'Nothing was sent, and orders at the venue stay as they are. drover.log there says what went wrong; --after-crashes starts all the same',
    { stateDir },
  );
}

/** Start times of the latest consecutive crashed runs, newest first. */
function crashesIn(newestFirst: readonly JournalEntry[]): JournalEntry['at'][] {
  const begun: JournalEntry['at'][] = [];
  for (const { at, fact } of newestFirst) {
    if (fact.kind === 'ended' && fact.how !== 'crashed') break;
    if (fact.kind === 'epoch' && !fact.manual) begun.push(at);
  }
  return begun;
}

/**
 * Allows live trading only if `drover doctor` finds nothing wrong; after a run has traded, problems of single strategies, stocks
 * or channels do not count.
 * @throws {ConfigError} naming the findings, when the config explains all of them
 * @throws {VenueRefusedError} naming the findings otherwise
 */
async function requireHealth(loaded: LoadedConfig, context: CommandContext): Promise<void> {
  const [{ diagnose }, { areMistakes, failuresIn }] = await Promise.all([
    import('../doctor/diagnose.ts'),
    import('../doctor/finding.ts'),
  ]);
  const mayLack = isRestart(loaded);
  const failures = failuresIn(await diagnose(loaded, context)).filter(
    ({ bounded, isOfItems }) => bounded !== true && !(mayLack && isOfItems),
  );
  if (failures.length === 0) return;
  const lines = failures.map(
    ({ check, detail, remedy }) =>
      `\n  ${check}: ${remedy === null ? detail : `${detail.replace(/\.$/, '')}. ${remedy}`}`,
  );
  const Refusal = areMistakes(failures) ? ConfigError : VenueRefusedError;
  throw new Refusal(`not started, because \`drover doctor\` finds:${lines.join('')}`);
}
