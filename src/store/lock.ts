import Database from 'better-sqlite3';
import { SafetyError } from '../core/errors.ts';

/**
 * Holds `file` for the life of this process by SQLite's own file lock, which the kernel drops with the process however
 * it ends. Gives back the release.
 * @throws {SafetyError} when another process holds it
 */
export function holdLock(file: string, what: string): () => void {
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new SafetyError(
      `another drover process is using ${what}: stop it first (lock ${file})`,
      { file },
      { cause },
    );
  }
  return () => database.close();
}
