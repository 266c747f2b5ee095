import { join } from 'node:path';
import type { Journal } from '../../domain/fact.ts';
import { holdLock } from '../../store/lock.ts';
import { openSqliteJournal } from '../../store/sqliteJournal.ts';

const FILE = 'journal.sqlite';

export const journalFile = (stateDir: string): string => join(stateDir, FILE);

/**
 * Holds a state folder and its journal for as long as `work` takes.
 * @throws {SafetyError} when another process holds it
 * @throws {ConfigError} when the journal is damaged
 */
export async function withJournal<T>(
  stateDir: string,
  work: (journal: Journal) => Promise<T> | T,
): Promise<T> {
  const release = holdLock(join(stateDir, 'lock.sqlite'), `the state folder ${stateDir}`);
  try {
    const journal = openSqliteJournal(journalFile(stateDir));
    try {
      return await work(journal);
    } finally {
      journal.close();
    }
  } finally {
    release();
  }
}
