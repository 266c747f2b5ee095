import { inPages, PAGE_ROWS, type Database, type Value } from './sqlite/sqlite.ts';
import { ConfigError } from '../core/errors.ts';
import { atFile, damaged, requireOwnTables } from './sqlite/sqliteErrors.ts';
import type { Row } from './integrity.ts';
import { QuotePacking, SYMBOLS_TABLE } from './quotePacking.ts';

/**
 * Version of the tables and entry kinds. 1 had no checksums; 3 has kinds unknown to versions before 0.4; 4 has trading
 * restrictions, which 0.7 and before would ignore, and send; 5 has orders held by the runner, which would be unwatched; 6 has
 * archives, without which the rest would look complete; 7 has an index of all rows except prices; 8 has quotes as one text,
 * packed.
 */
export const SCHEMA_VERSION = 8;
/** First version with the index of all rows except prices. */
const INDEXED_VERSION = 7;
/** First version whose programs support trading restrictions. */
const RESTRICTIONS_VERSION = 4;
/** `application_id` of an archive ("drov"), which must not be used as a journal. */
const ARCHIVE_ID = 0x64726f76;
/** Oldest version with the same tables. */
export const SAME_TABLES_VERSION = 2;

/** Stored kinds of prices, which are most rows of a journal. */
const PRICES = ['quotes', 'bar', 'barsShown'];
const BUT_PRICES = `kind NOT IN (${PRICES.map((kind) => `'${kind}'`).join(', ')})`;

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    order_id TEXT,
    body     TEXT NOT NULL,
    sum      TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX IF NOT EXISTS entries_by_order ON entries (order_id, seq) WHERE order_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS entries_but_prices ON entries (seq, kind) WHERE ${BUT_PRICES};
${SYMBOLS_TABLE}`;

export const COLUMNS = 'seq, at, kind, order_id AS "order", body, sum';

/** Creates a function that inserts a row. */
export function inserterOf(database: Database): (row: Row) => void {
  const insert = database.prepare(
    'INSERT INTO entries (seq, at, kind, order_id, body, sum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return ({ seq, at, kind, order, body, sum }) => {
    insert.run(seq, at, kind, order, body, sum);
  };
}

/**
 * SQL of a selection of rows, with a parameter for each stored kind, after those of `condition`. Rows other than prices are found with
 * the index, if the file has it.
 */
export function selectionOf(database: Database, condition: string, kinds: readonly string[]): string {
  const isIndexed = !kinds.some((kind) => PRICES.includes(kind)) && versionOf(database) >= INDEXED_VERSION;
  const [by, but] = isIndexed ? ['INDEXED BY entries_but_prices', `${BUT_PRICES} AND`] : ['', ''];
  return `SELECT ${COLUMNS} FROM entries ${by} WHERE ${condition} AND ${but} kind IN (${kinds.map(() => '?').join()})`;
}

/** Creates a function that reads rows with unpacked bodies. */
export function selecting<R extends Pick<Row, 'body'> = Row>(
  database: Database,
  sql: string,
): (...parameters: readonly Value[]) => R[] {
  const [statement, packing] = [database.prepare<readonly Value[], R>(sql), new QuotePacking(database)];
  return (...parameters) => statement.all(...parameters).map((row) => packing.unpacked(row));
}

/** Creates a function that reads at most a given number of rows after a number. */
export const pageOf = (database: Database): ((seq: number, count: number) => Row[]) =>
  selecting(database, `SELECT ${COLUMNS} FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`);

/** Rows after a number; by default all. */
export function rowsOf(database: Database, after = 0): Generator<Row, void> {
  const page = pageOf(database);
  return inPages<Row>((last) => page(last?.seq ?? after, PAGE_ROWS));
}

export const versionOf = (database: Database): number => Number(database.pragma('user_version'));

/** Checksum at an entry of this file; undefined if it has none of this number. */
export const sumAt = (database: Database, seq: number): string | undefined =>
  database.prepare<[number], string>('SELECT sum FROM entries WHERE seq = ?').pluck().get(seq);

/** @throws {ConfigError} when the file is damaged, or cannot be read */
export function checkWhole(database: Database, file: string): void {
  const damage = atFile(file, () => database.pragma('quick_check'));
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
 * @throws {ConfigError} when the file has a version that this program does not write, or tables or triggers that it does not
 * create, is not a database, or cannot be read
 */
export function checkVersion(database: Database, file: string): void {
  const version = atFile(file, () => versionOf(database));
  if (version > SCHEMA_VERSION)
    throw new ConfigError(
      `${file} was written by a newer version (schema ${version}): use that version or a newer one`,
    );
  if (version > 0 && version < SAME_TABLES_VERSION)
    throw new ConfigError(
      `${file} was written by an older version (schema ${version}): the next \`drover run\` brings it up to date`,
    );
  requireOwnTables(database, file, SCHEMA + ARCHIVES_TABLE);
}

/** Creates missing tables, and raises the version of the file. */
export function createTables(database: Database): void {
  database.exec(SCHEMA);
  raiseVersion(database);
}

/** Marks the file so that older versions refuse it, as they could not read a journal's archives. */
export const raiseVersion = (database: Database): unknown =>
  database.pragma(`user_version = ${SCHEMA_VERSION}`);

/** Creates the tables of an archive. */
export function createArchive(database: Database): void {
  createTables(database);
  database.pragma(`application_id = ${ARCHIVE_ID}`);
}

export const isArchive = (database: Database): boolean => database.pragma('application_id') === ARCHIVE_ID;

/** @throws {ConfigError} when an archive was put in place of a journal */
export function requireNoArchive(database: Database, file: string): void {
  if (!isArchive(database)) return;
  throw new ConfigError(
    `${file} is an archive: it holds a closed year, and not what came later. Nothing was sent. ` +
      'Put back the journal that it was moved out of, and the archive under its own name beside it',
    { file },
  );
}

/** Raises the version of a file with a restriction, which older programs would ignore, and send. */
export function requireRestrictions(database: Database): void {
  if (versionOf(database) < RESTRICTIONS_VERSION) database.pragma(`user_version = ${RESTRICTIONS_VERSION}`);
}
