import type Database from 'better-sqlite3';
import { chmodSync, existsSync } from 'node:fs';
import { ConfigError } from '../core/errors.ts';
import { atFile, damaged, failureAt, openDatabase, requireOwnTables } from './sqliteErrors.ts';
import { ORIGIN, sumOf, type Row, type Tip } from './integrity.ts';

/**
 * Version of the tables and of the kinds of entries. 1 had no sums; 3 has kinds that versions before 0.4 do not know; 4 has
 * restrictions of trading, which 0.7 and before would ignore, and send; 5 has orders that the runner holds, which nobody would watch.
 */
export const SCHEMA_VERSION = 5;
/** First version whose programs know restrictions of trading. */
const RESTRICTIONS_VERSION = 4;
/**
 * Version of a journal with archives, and of an archive: a program that does not read archives would take the rest for the whole,
 * and must refuse it. A later version of the tables is a higher one.
 */
const ARCHIVED_VERSION = 6;
/** `application_id` of an archive ("drov"), which is never taken for a journal. */
const ARCHIVE_ID = 0x64726f76;
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

/** Tables of version 1. */
const SCHEMA_1 = SCHEMA.replace(/,\s+sum .*/, '');

export const COLUMNS = 'seq, at, kind, order_id AS "order", body, sum';

export const versionOf = (database: Database.Database): number =>
  Number(database.pragma('user_version', { simple: true }));

/** Sum at an entry of this file; undefined where it has none of this number. */
export const sumAt = (database: Database.Database, seq: number): string | undefined =>
  database.prepare<[number], string>('SELECT sum FROM entries WHERE seq = ?').pluck().get(seq);

/** @throws {ConfigError} when the file is not whole, or cannot be read */
export function checkWhole(database: Database.Database, file: string): void {
  const damage = atFile(file, () => database.pragma('quick_check', { simple: true }));
  if (damage !== 'ok') throw damaged(file, String(damage));
}

/**
 * Archives of a journal, in its own file. `file`: name of one in the journal's folder, or path of one elsewhere. `sum` ties the
 * journal to the archive: no other entries have it.
 */
export const ARCHIVES_TABLE = `
  CREATE TABLE IF NOT EXISTS archives (
    year     INTEGER PRIMARY KEY,
    file     TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    sum      TEXT NOT NULL
  ) STRICT;
`;

/**
 * @throws {ConfigError} when the file is of a version that this program does not write, has tables or triggers that it does not make, is
 * no database, or cannot be read
 */
export function checkVersion(database: Database.Database, file: string): void {
  const version = atFile(file, () => versionOf(database));
  if (version > Math.max(SCHEMA_VERSION, ARCHIVED_VERSION))
    throw new ConfigError(
      `${file} was written by a newer version (schema ${version}): use that version or a newer one`,
    );
  if (version > 0 && version < SAME_TABLES_VERSION)
    throw new ConfigError(
      `${file} was written by an older version (schema ${version}): the next \`drover run\` brings it up to date`,
    );
  requireOwnTables(database, file, SCHEMA + ARCHIVES_TABLE);
}

/** Creates what tables are missing, and raises the version of the file to that of what it holds. */
export function createTables(database: Database.Database, hasArchives: boolean): void {
  database.exec(SCHEMA);
  if (hasArchives) raiseToArchived(database);
  else database.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/** Marks the file as a journal with archives, which older versions must refuse. */
export const raiseToArchived = (database: Database.Database): unknown =>
  database.pragma(`user_version = ${Math.max(SCHEMA_VERSION, ARCHIVED_VERSION)}`);

/** Creates the tables of an archive. */
export function createArchive(database: Database.Database): void {
  createTables(database, true);
  database.pragma(`application_id = ${ARCHIVE_ID}`);
}

export const isArchive = (database: Database.Database): boolean =>
  database.pragma('application_id', { simple: true }) === ARCHIVE_ID;

/** @throws {ConfigError} when an archive was put in the place of a journal */
export function requireNoArchive(database: Database.Database, file: string): void {
  if (!isArchive(database)) return;
  throw new ConfigError(
    `${file} is an archive: it holds a closed year, and not what came later. Nothing was sent. ` +
      'Put back the journal that it was moved out of, and the archive under its own name beside it',
    { file },
  );
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
    requireOwnTables(database, file, SCHEMA_1);
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
