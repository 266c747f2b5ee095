import { Database, inPages, PAGE_ROWS } from '../../store/sqlite/sqlite.ts';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { decode, encode } from '../../store/codec.ts';
import type { Input } from './machine.ts';
import type { State } from '../state/state.ts';

/** Version of the tables below and of the state. Files with another version are refused. */
const SCHEMA_VERSION = 4;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS inputs (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT;
`;

/** Storage that survives the process: a snapshot of the state, and the inputs since then. */
export interface Store {
  /** Null in a new directory. */
  snapshot(): State | null;
  /** Inputs since the snapshot, oldest first. */
  inputs(): Iterable<Input>;
  /** Instant of the last input, or of the snapshot. Null in a new directory. */
  instant(): EpochMs | null;
  /** Stores an input durably before returning. */
  append(input: Input): void;
  /** Replaces the snapshot and the inputs since. */
  save(state: State): void;
  close(): void;
}

export const storeFile = (folder: string): string => join(folder, 'emulator.sqlite');

export const hasStore = (folder: string): boolean => existsSync(storeFile(folder));

/**
 * One SQLite file with a write-ahead log and `synchronous = NORMAL`, so that appended inputs survive `kill -9`. A power
 * loss may lose the last inputs, never earlier ones: no real money depends on them, and a sync per request would take
 * most of a simulated day. Only its owner can read it, because it contains keys.
 * @throws {ConfigError} when the file is damaged or was written by another version
 */
export function openStore(file: string): Store {
  const database = new Database(file);
  prepare(database, file);
  chmodSync(file, 0o600);
  const insert = database.prepare<[number, string]>('INSERT INTO inputs (at, body) VALUES (?, ?)');
  const selectInputs = database.prepare<[number, number], InputRow>(
    'SELECT seq, body FROM inputs WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const selectLast = database.prepare<[], { at: EpochMs }>('SELECT at FROM inputs ORDER BY seq DESC LIMIT 1');
  const selectSnapshot = database.prepare<[], { body: string }>('SELECT body FROM snapshot');
  const replaceSnapshot = database.prepare<[string]>('INSERT OR REPLACE INTO snapshot VALUES (1, ?)');
  const clearInputs = database.prepare<[]>('DELETE FROM inputs');
  const save = database.transaction((body: string) => {
    replaceSnapshot.run(body);
    clearInputs.run();
  });
  const snapshot = (): State | null => {
    const row = selectSnapshot.get();
    return row ? (decode(row.body) as State) : null;
  };
  return {
    snapshot,
    instant: () => selectLast.get()?.at ?? snapshot()?.now ?? null,
    *inputs() {
      for (const { body } of inPages<InputRow>((last) => selectInputs.all(last?.seq ?? 0, PAGE_ROWS)))
        yield decode(body) as Input;
    },
    append: (input) => insert.run(input.at, encode(input)),
    save: (state) => save(encode(state)),
    close: () => database.close(),
  };
}

type InputRow = Readonly<{ seq: number; body: string }>;

function prepare(database: Database, file: string): void {
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    const damage = database.pragma('quick_check');
    if (damage !== 'ok') throw new Error(String(damage));
  } catch (cause) {
    throw new ConfigError(
      `${file} is damaged: ${String(cause)}. Start with another state directory.`,
      { file },
      { cause },
    );
  }
  const version = Number(database.pragma('user_version'));
  if (version > SCHEMA_VERSION)
    throw new ConfigError(`${file} was written by a newer version (schema ${version}): use that version`);
  if (version > 0 && version < SCHEMA_VERSION)
    throw new ConfigError(
      `${file} was written by an older version (schema ${version}): use another state directory`,
    );
  database.exec(SCHEMA);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}
