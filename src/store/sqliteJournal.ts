import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { epochMs } from '../core/brand.ts';
import { ConfigError, messageOf } from '../core/errors.ts';
import { orderOf, type Entry, type Fact, type Journal } from '../domain/fact.ts';
import { decode, encode } from './codec.ts';

/** Of the tables below. A newer file is refused: an older program would misread it. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    order_id TEXT,
    body     TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS entries_by_order ON entries (order_id, seq) WHERE order_id IS NOT NULL;
`;

type Row = { seq: number; at: number; body: string };

/**
 * The journal in one SQLite file: write-ahead log and `synchronous = FULL`, so a commit that has returned survives a
 * power loss. Readable by its owner alone.
 * @throws {ConfigError} when the file is damaged or was written by a newer version
 */
export function openSqliteJournal(file: string): Journal {
  const database = new Database(file);
  chmodSync(file, 0o600);
  try {
    prepare(database, file);
  } catch (error) {
    database.close();
    throw error;
  }
  const insert = database.prepare<[number, string, string | null, string]>(
    'INSERT INTO entries (at, kind, order_id, body) VALUES (?, ?, ?, ?)',
  );
  const insertAll = database.transaction((batch: readonly Entry[]) => {
    for (const { at, fact } of batch) insert.run(at, fact.kind, orderOf(fact), encode(fact));
  });
  const select = database.prepare<[], Row>('SELECT seq, at, body FROM entries ORDER BY seq');
  return {
    commit: (batch) => insertAll.immediate(batch),
    *entries() {
      for (const row of select.iterate()) yield entryOf(row, file);
    },
    close: () => database.close(),
  };
}

function entryOf({ seq, at, body }: Row, file: string): Entry {
  try {
    return { at: epochMs(at), fact: decode(body) as Fact };
  } catch (cause) {
    throw damaged(file, `entry ${seq}: ${messageOf(cause)}`, cause);
  }
}

function damaged(file: string, what: string, cause: unknown): ConfigError {
  const remedy = 'Restore it from a backup, or keep it aside and start with another state directory.';
  return new ConfigError(`${file} is damaged: ${what}. ${remedy}`, { file }, { cause });
}

function prepare(database: Database.Database, file: string): void {
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    const damage = database.pragma('quick_check', { simple: true });
    if (damage !== 'ok') throw new Error(String(damage));
  } catch (cause) {
    throw damaged(file, messageOf(cause), cause);
  }
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > SCHEMA_VERSION)
    throw new ConfigError(
      `${file} was written by a newer version (schema ${version}): use that version or a newer one`,
    );
  database.exec(SCHEMA);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}
