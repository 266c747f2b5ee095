import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  closingAfter,
  ConfigError,
  faultIn,
  messageOf,
  JournalLostError,
  orElse,
} from '../../core/errors.ts';
import type { Journal } from '../../domain/journalEvent.ts';
import { isLost, lostJournal, requireKept } from '../../store/integrity.ts';
import { migrateJournal } from '../../store/migrateJournal.ts';
import { fileReserve, withReserve } from '../../store/reserve.ts';
import { openSqliteJournal } from '../../store/sqliteJournal.ts';
import { requireOwnFolder, requireSafeWay } from '../../store/trust.ts';
import { configOf, stateOverride, type LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { claimState, journalFile, nameAccount, ownerFile } from './ownership.ts';
import { holderOf, holdNamed } from './locks.ts';
import { repeatOn, type Cancel, type Host } from '../../core/clock.ts';

type JournalPlace = Readonly<{
  loaded: LoadedConfig;
  stateDir: string;
  file: string;
  context: CommandContext;
}>;

/**
 * The config of a command that works on a run's journal, and the journal's folder.
 * @throws {ConfigError} when none is named, or it has no readable journal
 */
export function journalOf(flags: Readonly<{ state?: string }>, context: CommandContext): JournalPlace {
  const place = placeOf(flags, context);
  requireReadable(place.file, place.stateDir);
  return place;
}

/** Config and folder for a command that works without a journal. @throws {ConfigError} when there has never been one */
export function lostJournalOf(flags: Readonly<{ state?: string }>, context: CommandContext): JournalPlace {
  const place = placeOf(flags, context);
  if (!isLost(place.file, ownerFile(place.stateDir))) requireReadable(place.file, place.stateDir);
  return place;
}

function placeOf(flags: Readonly<{ state?: string }>, context: CommandContext): JournalPlace {
  const loaded = configOf(context, stateOverride(flags));
  const { state } = loaded.config;
  if (state === undefined) throw new ConfigError('which run? Set state: in the config, or pass --state DIR');
  return { loaded, stateDir: state, file: journalFile(state), context };
}

function requireReadable(file: string, state: string): void {
  requireNoFile(state);
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isMissing
      ? `there is no journal in ${state}. Name the state folder of a run (--state DIR, or state: in the config)`
      : `the journal in ${state} cannot be read: ${messageOf(cause)}. Let this user read the folder and the file, or name another folder (--state DIR)`;
    throw new ConfigError(why, { file }, { cause });
  }
}

/** `holder`: this process, as named in the errors of others. `what`: the locked thing, as named in errors. */
type StateUse = Readonly<{ stateDir: string; holder: string; what?: string | undefined }>;

/**
 * Holds a state folder until `work` ends.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when others can change it
 */
export async function withState<T>(
  { stateDir, holder, what = `the state folder ${stateDir}` }: StateUse,
  work: () => Promise<T> | T,
): Promise<T> {
  requireOwnFolder(stateDir, 'the state folder');
  const close = holdNamed({ folder: stateDir, name: 'lock', what, holder });
  return closingAfter({ close }, async () => work());
}

/** `what`: as for `withState`. */
type ClaimUse = Omit<JournalPlace, 'file'> & Pick<StateUse, 'what'>;

/**
 * Holds a state folder until `work` ends, and claims it for mode and account of the config first. A folder held by
 * another process is not read.
 * @throws {SafetyError} when another process holds it, or others can change it
 * @throws {ConfigError} when the folder is of another mode or another account
 */
export function withClaimedState<T>(
  { loaded, stateDir, context, what }: ClaimUse,
  work: () => Promise<T> | T,
): Promise<T> {
  return withState({ stateDir, holder: holderOf(context), what }, () => {
    claimState(loaded, stateDir);
    return work();
  });
}

/**
 * Refuses a state folder that others can change, and for a live run also one that they could replace.
 * @throws {SafetyError} naming the folder and what to do
 * @throws {ConfigError} for anything that is not a folder
 */
export function requireTrusted({ loaded, stateDir }: Pick<JournalPlace, 'loaded' | 'stateDir'>): void {
  requireNoFile(stateDir);
  requireOwnFolder(stateDir, 'the state folder');
  if (loaded.config.mode === 'live') requireSafeWay(stateDir, 'the state folder');
}

/** Refuses a state folder whose journal is lost. @throws {SafetyError} naming the evidence of an earlier run */
export function requireJournal(state: string): void {
  requireNoFile(state);
  requireKept(journalFile(state), ownerFile(state));
}

/** Names of the files that every command on a state folder reads. */
const OF_A_RUN = /^(account|journal|lock)\b/;

/** Refuses a path that is not a folder, is inside a file, or has a pipe, which would block reads. @throws {ConfigError} */
function requireNoFile(state: string): void {
  const found = orElse(() => statSync(state, { throwIfNoEntry: false }), undefined);
  const parent = dirname(state);
  if (found === undefined && parent !== state) return requireNoFile(parent);
  const entries = orElse(() => readdirSync(state, { withFileTypes: true }), []);
  const pipe = entries.find((entry) => entry.isFIFO() && OF_A_RUN.test(entry.name));
  if (pipe) throw new ConfigError(`${state} holds a pipe, ${pipe.name}. Remove it`, { state });
  if (found === undefined || found.isDirectory()) return;
  throw new ConfigError(
    `${state} is ${found.isFile() ? 'a file' : 'no folder'}, and must be a folder. Name another one with --state DIR, or by state: in the config`,
    { state },
  );
}

/**
 * Claims and holds a state folder, and opens its journal, until `work` ends.
 * @throws {SafetyError} when another process holds it, its journal is lost, or others could exchange
 * the folder of a live run
 * @throws {ConfigError} when the journal is damaged
 */
export function withJournal<T>(
  { loaded, stateDir, context }: Omit<JournalPlace, 'file'>,
  work: (journal: Journal) => Promise<T> | T,
): Promise<T> {
  return withClaimedState({ loaded, stateDir, context }, async () => {
    const file = journalFile(stateDir);
    requireTrusted({ loaded, stateDir });
    requireJournal(stateDir);
    migrateJournal(file);
    return closingAfter(openSqliteJournal(file), async (journal) => {
      if (!journal.hasBegun() && existsSync(ownerFile(stateDir)))
        throw lostJournal(file, [ownerFile(stateDir)]);
      const reserved = withReserve(journal, fileReserve(join(stateDir, 'reserve')));
      return work(named(reserved, journal.hasBegun, () => nameAccount(loaded, stateDir)));
    });
  });
}

/**
 * The journal of the config's state; null if there is none. The caller holds the folder, and closes the journal.
 * @throws {SafetyError} when it is lost
 * @throws {ConfigError} when it is damaged
 */
export function heldJournal({ config: { state } }: LoadedConfig): Journal | null {
  if (state === undefined || !existsSync(journalFile(state))) return null;
  requireJournal(state);
  migrateJournal(journalFile(state));
  return openSqliteJournal(journalFile(state));
}

/** A journal that writes its account file once it has begun. While that fails it reports a problem, and nothing is sent. */
function named(journal: Journal, hasBegun: () => boolean, name: () => void): Journal {
  let isNamed = false;
  const trouble = (): string | null => {
    if (isNamed || !hasBegun()) return null;
    const fault = faultIn(Error, name);
    isNamed = fault === null;
    return fault;
  };
  return {
    ...journal,
    commit(batch) {
      journal.commit(batch);
      trouble();
    },
    strain: () => trouble() ?? journal.strain?.() ?? null,
  };
}

/** Interval between two checks for the journal, in ms of real time. */
const LOOK_MS = 250;

/** Watches that the journal file stays in place, and reports once if it disappears. Returns a function to end the watch. */
export function watchJournal(
  { lost }: Pick<Journal, 'lost'>,
  host: Pick<Host, 'after'>,
  onLost: (error: JournalLostError) => void,
): Cancel {
  const cancel = repeatOn(host, LOOK_MS, () => {
    const why = lost?.() ?? null;
    if (why === null) return;
    cancel();
    onLost(new JournalLostError(why));
  });
  return cancel;
}
