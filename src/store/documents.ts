import { inPages, PAGE_ROWS, type Database } from './sqlite/sqlite.ts';
import { chmodSync } from 'node:fs';
import { ConfigError } from '../core/errors.ts';
import { decode, encode } from './codec.ts';
import { atFile, openDatabase, requireOwnTables } from './sqlite/sqliteErrors.ts';

/** Version of the table below. Files of other versions are refused. */
const SCHEMA_VERSION = 1;

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS documents (seq INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT';

/** Plain values by name: no maps or dates; bigints anywhere. */
export interface Documents {
  /** All values, in the order of their first save. */
  all(): Iterable<readonly [name: string, value: unknown]>;
  /** Saves all or none of the values, durably before it returns. */
  save(changed: readonly (readonly [name: string, value: unknown])[]): void;
  close(): void;
}

/**
 * Opens one SQLite file, which is synced to disk at each save and readable only by its owner.
 * @throws {ConfigError} when the file is damaged or was written by another version, or cannot be read or written
 */
export function openDocuments(file: string): Documents {
  const database = openDatabase(file);
  atFile(
    file,
    () => {
      prepare(database, file);
      chmodSync(file, 0o600);
    },
    damagedDocuments,
  );
  const select = database.prepare<[number, number], DocumentRow>(
    'SELECT seq, name, body FROM documents WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const upsert = database.prepare<[string, string]>(
    'INSERT INTO documents (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body',
  );
  const save = database.transaction((changed: Parameters<Documents['save']>[0]) => {
    for (const [name, value] of changed) upsert.run(name, encode(value));
  });
  return {
    *all() {
      for (const { name, body } of inPages<DocumentRow>((last) => select.all(last?.seq ?? 0, PAGE_ROWS)))
        yield [name, decode(body)];
    },
    save: (changed) => save(changed),
    close: () => database.close(),
  };
}

type DocumentRow = Readonly<{ seq: number; name: string; body: string }>;

function prepare(database: Database, file: string): void {
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  const damage = database.pragma('quick_check');
  if (damage !== 'ok') throw damagedDocuments(file, String(damage));
  const version = Number(database.pragma('user_version'));
  if (version !== 0 && version !== SCHEMA_VERSION)
    throw new ConfigError(
      `${file} was written by another version of drover (schema ${version}): use that one, or another state folder`,
      { file },
    );
  requireOwnTables(database, file, SCHEMA);
  database.exec(SCHEMA);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}

const damagedDocuments = (file: string, what: string, cause?: unknown): ConfigError =>
  new ConfigError(`${file} is damaged: ${what}. Start with another state folder`, { file }, { cause });
