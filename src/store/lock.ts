import Database from 'better-sqlite3';
import { messageOf, SafetyError } from '../core/errors.ts';

/**
 * Holds `file` for the life of this process by SQLite's own file lock, which the kernel drops with the process however
 * it ends. Gives back the release.
 * @throws {SafetyError} when another process holds it, or it cannot be taken for another reason
 */
export function holdLock(file: string, what: string): () => void {
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    const why = isBusy(cause)
      ? `another drover process is using ${what}: stop it first (lock ${file})`
      : `${what} cannot be locked by ${file}: ${messageOf(cause)}. The file holds nothing else: remove it if it is damaged`;
    throw new SafetyError(why, { file }, { cause });
  }
  return () => database.close();
}

const isBusy = (cause: unknown): boolean =>
  cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');
