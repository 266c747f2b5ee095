import { mkdirSync, statSync, accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { Database, SqliteError } from './sqlite/sqlite.ts';
import { messageOf, SafetyError, storageErrorOf } from '../core/errors.ts';
import { isDamage, ADVICE } from './sqlite/sqliteErrors.ts';

/**
 * Creates a folder and its missing parents. Node's own `recursive` never ends on a file system that reports every parent
 * as missing, as /proc does.
 * @throws when it cannot be created
 */
export function makeFolders(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolders(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    if (!isFolder(folder)) throw cause;
  }
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Error raised when another process holds a lock. */
export class LockHeldError extends SafetyError {}

/** Mode of a folder that only its owner can use. */
const PRIVATE = 0o700;

/**
 * Creates a folder if missing. `what`: its purpose.
 * @throws {ConfigError} when it cannot be created, or is not writable
 * @throws {StorageError} when its disk is full or fails
 */
export function makeFolder(folder: string, what: string, mode = PRIVATE): void {
  try {
    makeFolders(folder, mode);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const why = `${folder} cannot be ${what}: ${messageOf(cause)}. Let this user make it and write there, or name another`;
    const Failure = storageErrorOf(cause);
    throw new Failure(why, { folder }, { cause });
  }
}

/**
 * Locks `file` for the life of this process with SQLite's file lock, which the kernel releases however the process ends.
 * Returns a function to release it.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when the lock fails for another reason
 * @throws {ConfigError} when this Node has no SQLite
 */
export function holdLock(file: string, what: string): () => void {
  const database = opened(file, what);
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (isBusy(cause))
      throw new LockHeldError(
        `another drover process is using ${what}: stop it first (lock ${file})`,
        { file },
        { cause },
      );
    const remedy = isDamage(cause) ? 'The file holds nothing else: remove it' : ADVICE;
    const why = `${what} cannot be locked by ${file}: ${messageOf(cause)}. ${remedy}`;
    throw new SafetyError(why, { file }, { cause });
  }
  return () => database.close();
}

function opened(file: string, what: string): Database {
  try {
    return new Database(file, { timeout: 0 });
  } catch (cause) {
    if (!(cause instanceof SqliteError)) throw cause;
    const why = `${what} cannot be locked by ${file}: ${messageOf(cause)}. Its folder must exist, and this user must be able to write to it`;
    throw new SafetyError(why, { file }, { cause });
  }
}

const isBusy = (cause: unknown): boolean =>
  cause instanceof SqliteError && cause.code.startsWith('SQLITE_BUSY');
