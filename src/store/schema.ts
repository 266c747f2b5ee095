import type Database from 'better-sqlite3';
import { ConfigError } from '../core/errors.ts';
import { atFile, damaged } from './trouble.ts';

/** Version of the tables and of the kinds of entries in them. 1 had no sums; 3 has kinds that versions before 0.4 do not know. */
export const SCHEMA_VERSION = 3;
/** The oldest version with the same tables. */
export const SAME_TABLES_VERSION = 2;

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
