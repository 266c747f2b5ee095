import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Journal } from '../../domain/fact.ts';
import { holdLock } from '../../store/lock.ts';
import { migrateJournal } from '../../store/migrate.ts';
import { fileReserve, withReserve } from '../../store/reserve.ts';
import { openSqliteJournal } from '../../store/sqliteJournal.ts';
import { configOf, stateOverride } from '../config/configFile.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../context.ts';

const FILE = 'journal.sqlite';

export const journalFile = (stateDir: string): string => join(stateDir, FILE);

/**
 * The config of a command that works on the journal of a run, and the folder it is in.
 * @throws {ConfigError} when none is named, or it has no journal that can be read
 */
export function journalOf(
  flags: Readonly<{ state?: string }>,
  context: CommandContext,
): Readonly<{ loaded: LoadedConfig; stateDir: string; file: string }> {
  const loaded = configOf(context, stateOverride(flags));
  const { state } = loaded.config;
  if (state === undefined) throw new ConfigError('which run? Set state: in the config, or pass --state DIR');
  const file = journalFile(state);
  requireReadable(file, state);
  return { loaded, stateDir: state, file };
}

function requireReadable(file: string, state: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isMissing
      ? `there is no journal in ${state}`
      : `the journal in ${state} cannot be read: ${messageOf(cause)}. Let this user read the folder and the file, or name another folder (--state DIR)`;
    throw new ConfigError(why, { file }, { cause });
  }
}

/**
 * Holds a state folder for as long as `work` takes. `what`: what it is wanted for, where that is a part of it.
 * @throws {SafetyError} when another process holds it
 */
export async function withState<T>(
  stateDir: string,
  work: () => Promise<T> | T,
  what = `the state folder ${stateDir}`,
): Promise<T> {
  const release = holdLock(join(stateDir, 'lock.sqlite'), what);
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * Holds a state folder and its journal for as long as `work` takes.
 * @throws {SafetyError} when another process holds it
 * @throws {ConfigError} when the journal is damaged
 */
export function withJournal<T>(stateDir: string, work: (journal: Journal) => Promise<T> | T): Promise<T> {
  return withState(stateDir, async () => {
    const file = journalFile(stateDir);
    await migrateJournal(file);
    const journal = openSqliteJournal(file);
    try {
      return await work(withReserve(journal, fileReserve(join(stateDir, 'reserve'))));
    } finally {
      journal.close();
    }
  });
}
