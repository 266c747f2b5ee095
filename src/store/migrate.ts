import { chmodSync, existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { ORIGIN, sumOf, type Row, type Tip } from './chain.ts';
import { checkWhole, COLUMNS, SAME_TABLES_VERSION, SCHEMA_VERSION, versionOf } from './schema.ts';
import { failureAt, openDatabase } from './trouble.ts';

/**
 * Brings the file of an older version up to date, and keeps a copy of it as it was. Gives back the copy's name, or null
 * when there was nothing to do.
 * @throws {ConfigError} when the file is damaged, or it or its copy cannot be written
 */
export async function migrateJournal(file: string): Promise<string | null> {
  if (!existsSync(file)) return null;
  const database = openDatabase(file);
  try {
    const version = versionOf(database);
    if (version === 0 || version >= SAME_TABLES_VERSION) return null;
    checkWhole(database, file);
    const copy = `${file}.schema-${version}`;
    await database.backup(copy);
    chmodSync(copy, 0o600);
    addSums(database);
    return copy;
  } catch (cause) {
    throw failureAt(file, cause);
  } finally {
    database.close();
  }
}

/** All or nothing: killed on the way, the file is of the old version still. */
function addSums(database: Database.Database): void {
  database.pragma('synchronous = FULL');
  const migrate = database.transaction(() => {
    database.exec(`ALTER TABLE entries ADD COLUMN sum TEXT NOT NULL DEFAULT ''`);
    const update = database.prepare<[string, number]>('UPDATE entries SET sum = ? WHERE seq = ?');
    let before: Tip = ORIGIN;
    for (const row of database.prepare<[], Row>(`SELECT ${COLUMNS} FROM entries ORDER BY seq`).all()) {
      const sum = sumOf(before, row);
      update.run(sum, row.seq);
      before = { seq: row.seq, sum };
    }
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  migrate.immediate();
}
