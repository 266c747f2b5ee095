import { closing } from '../core/errors.ts';
import { existsSync, rmSync } from 'node:fs';
import { copyDatabase } from './copies.ts';
import { ORIGIN, sumOf, type Tip } from './integrity.ts';
import { checkWhole, rowsOf, SAME_TABLES_VERSION, SCHEMA, SCHEMA_VERSION, versionOf } from './schema.ts';
import type { Database } from './sqlite/sqlite.ts';
import { atFile, failureAt, openDatabase, requireOwnTables } from './sqlite/sqliteErrors.ts';

/** Tables of version 1. */
const SCHEMA_1 = SCHEMA.replace(/,\s+sum .*/, '');

const isOlder = (database: Database): boolean =>
  versionOf(database) > 0 && versionOf(database) < SAME_TABLES_VERSION;

/** True for a file of an older version, which must be migrated first. @throws {ConfigError} when it cannot be read */
export const needsMigration = (file: string): boolean =>
  closing(openDatabase(file, { readonly: true }), (database) => atFile(file, () => isOlder(database)));

/**
 * Migrates the file of an older version, keeping a copy of the original. Returns the copy's name, or null if nothing had
 * to be done.
 * @throws {ConfigError} when the file is damaged, or it or its copy cannot be written
 */
export function migrateJournal(file: string): string | null {
  if (!existsSync(file)) return null;
  const database = openDatabase(file);
  try {
    if (!isOlder(database)) return null;
    requireOwnTables(database, file, SCHEMA_1);
    checkWhole(database, file);
    const copy = `${file}.schema-${versionOf(database)}`;
    rmSync(copy, { force: true });
    copyDatabase(file, copy);
    addSums(database);
    return copy;
  } catch (cause) {
    throw failureAt(file, cause);
  } finally {
    database.close();
  }
}

/** Adds the checksums in one transaction: if killed, the file still has the old version. */
function addSums(database: Database): void {
  database.pragma('synchronous = FULL');
  const migrate = database.transaction(() => {
    database.exec(`ALTER TABLE entries ADD COLUMN sum TEXT NOT NULL DEFAULT ''`);
    const update = database.prepare<[string, number]>('UPDATE entries SET sum = ? WHERE seq = ?');
    let before: Tip = ORIGIN;
    for (const row of rowsOf(database)) {
      const sum = sumOf(before, row);
      update.run(sum, row.seq);
      before = { seq: row.seq, sum };
    }
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  migrate();
}
