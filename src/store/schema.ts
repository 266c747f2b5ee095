import type Database from 'better-sqlite3';
import { chmodSync, existsSync } from 'node:fs';
import { ConfigError } from '../core/errors.ts';
import { atFile, damaged, failureAt, openDatabase } from './sqliteErrors.ts';
import { ORIGIN, sumOf, type Row, type Tip } from './integrity.ts';

/**
 * Version of the tables and of the kinds of entries. 1 had no sums; 3 has kinds that versions before 0.4 do not know; 4 has
 * restrictions of trading, which 0.7 and before would ignore, and send; 5 has orders that the runner holds, which nobody would watch.
 */
export const SCHEMA_VERSION = 5;
/** First version whose programs know restrictions of trading. */
const RESTRICTIONS_VERSION = 4;
/** Oldest version with the same tables. */
const SAME_TABLES_VERSION = 2;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    order_id TEXT,
    body     TEXT NOT NULL,
    sum      TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX IF NOT EXISTS entries_by_order ON entries (order_id, seq) WHERE order_id IS NOT NULL;
`;

export const COLUMNS = 'seq, at, kind, order_id AS "order", body, sum';

export const versionOf = (database: Database.Database): number =>
  Number(database.pragma('user_version', { simple: true }));

/** @throws {ConfigError} when the file is not whole, or cannot be read */
export function checkWhole(database: Database.Database, file: string): void {
  const damage = atFile(file, () => database.pragma('quick_check', { simple: true }));
  if (damage !== 'ok') throw damaged(file, String(damage));
}

/** @throws {ConfigError} when the file is of a version that this program does not write, no database, or cannot be read */
export function checkVersion(database: Database.Database, file: string): void {
  const version = atFile(file, () => versionOf(database));
  if (version > SCHEMA_VERSION)
    throw new ConfigError(
      `${file} was written by a newer version (schema ${version}): use that version or a newer one`,
    );
  if (version > 0 && version < SAME_TABLES_VERSION)
    throw new ConfigError(
      `${file} was written by an older version (schema ${version}): the next \`drover run\` brings it up to date`,
    );
}

export function createTables(database: Database.Database): void {
  database.exec(SCHEMA);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/** Raises the version of a file that holds a restriction, where older programs would ignore it and send. */
export function requireRestrictions(database: Database.Database): void {
  if (versionOf(database) < RESTRICTIONS_VERSION) database.pragma(`user_version = ${RESTRICTIONS_VERSION}`);
}

/**
 * Migrates the file of an older version, and keeps a copy of it as it was. Returns the copy's name, or null when there was
 * nothing to do.
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

/** Adds the sums in one transaction: if killed, the file is still of the old version. */
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
