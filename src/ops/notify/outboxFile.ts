import { chmodSync, existsSync, renameSync } from 'node:fs';
import type { Database } from '../../store/sqlite/sqlite.ts';
import { epochMs } from '../../core/brand.ts';
import { orClosed } from '../../core/errors.ts';
import { isDamage, openDatabase } from '../../store/sqlite/sqliteErrors.ts';
import { MESSAGE_KINDS, type Message } from './message.ts';

/** A queued message of a channel. `seq`: its position in the queue. */
export type PendingMessage = Readonly<{ seq: number; message: Message }>;

/** Stored content of a queue: messages by channel, and values by name. */
export type OutboxState = Readonly<{
  pending: ReadonlyMap<string, readonly PendingMessage[]>;
  values: ReadonlyMap<string, string>;
}>;

/** A change of the queue. */
export type Change = Readonly<
  | { kind: 'added'; pending: PendingMessage; channels: readonly string[] }
  | { kind: 'removed'; channel: string; seqs: readonly number[] }
  | { kind: 'value'; name: string; value: string }
>;

/** Storage of a queue. Its methods throw SQLite's errors. */
export interface OutboxStore {
  load(): OutboxState;
  append(changes: readonly Change[]): void;
  /** Rewrites everything, after changes that were not stored. */
  replace(stored: OutboxState): void;
  /** Sets a damaged file aside and starts a new one; returns the old one's new name. */
  setAside(): string;
  close(): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
  title TEXT NOT NULL, text TEXT NOT NULL, about TEXT) STRICT;
CREATE TABLE IF NOT EXISTS pending (channel TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (channel, seq)) STRICT;
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;`;

type Row = Readonly<{
  channel: string;
  seq: number;
  id: string;
  at: number;
  kind: string;
  title: string;
  text: string;
  about: string | null;
}>;

/** Maximum wait for another process that uses the file, in ms. */
const BUSY_MS = 100;

/**
 * The queue in a SQLite file that only its owner can read. Writes do not wait for the disk: after a kill the file is consistent, and
 * after a power loss the journal is read again from the stored position.
 * @param stamp time for the name of a damaged file
 */
export function openOutboxFile(file: string, stamp: () => string): OutboxStore {
  let database: Database | null = null;
  const opened = (): Database => (database ??= begin(file));
  const close = () => {
    database?.close();
    database = null;
  };
  return {
    load: () => load(opened()),
    append: (changes) => write(opened(), changes),
    replace: (stored) => replace(opened(), stored),
    setAside() {
      close();
      const aside = `${file}.damaged-${stamp().replaceAll(':', '')}`;
      for (const ending of ['', '-wal', '-shm'])
        if (existsSync(file + ending)) renameSync(file + ending, aside + ending);
      return aside;
    },
    close,
  };
}

function begin(file: string): Database {
  const database = openDatabase(file, { timeout: BUSY_MS });
  return orClosed(database, () => {
    chmodSync(file, 0o600);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.exec(SCHEMA);
    return database;
  });
}

function load(database: Database): OutboxState {
  const check = database.pragma('quick_check(1)');
  if (check !== 'ok') throw new DamagedOutbox();
  const rows = database
    .prepare<[], Row>('SELECT * FROM pending JOIN messages USING (seq) ORDER BY seq')
    .all();
  const values = database.prepare<[], { name: string; value: string }>('SELECT name, value FROM kept').all();
  const pending = new Map<string, PendingMessage[]>();
  for (const row of rows) {
    const of = pending.get(row.channel) ?? [];
    pending.set(row.channel, of);
    of.push({ seq: row.seq, message: messageOf(row) });
  }
  return { pending, values: new Map(values.map(({ name, value }) => [name, value])) };
}

function messageOf({ id, at, kind, title, text, about }: Row): Message {
  const known = MESSAGE_KINDS.find((each) => each === kind) ?? 'stateChange';
  return { id, at: epochMs(at), kind: known, title, text, ...(about === null ? {} : { about }) };
}

/** Damaged content that SQLite reports as a result instead of an error. */
class DamagedOutbox extends Error {
  readonly code = 'SQLITE_CORRUPT';
}

export const isDamagedOutbox = (thrown: unknown): boolean => {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return isDamage(thrown) || isDamage(cause);
};

function write(database: Database, changes: readonly Change[]): void {
  database.transaction(() => {
    for (const change of changes) apply(database, change);
  })();
}

function apply(database: Database, change: Change): void {
  if (change.kind === 'value') {
    database
      .prepare('INSERT INTO kept VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
      .run(change.name, change.value);
  } else if (change.kind === 'added') {
    insert(database, change.pending);
    const wait = database.prepare('INSERT OR IGNORE INTO pending VALUES (?, ?)');
    for (const channel of change.channels) wait.run(channel, change.pending.seq);
  } else {
    const remove = database.prepare('DELETE FROM pending WHERE channel = ? AND seq = ?');
    const forget = database.prepare(
      'DELETE FROM messages WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM pending WHERE pending.seq = messages.seq)',
    );
    for (const seq of change.seqs) {
      remove.run(change.channel, seq);
      forget.run(seq);
    }
  }
}

function insert(database: Database, { seq, message }: PendingMessage): void {
  const { id, at, kind, title, text, about = null } = message;
  database
    .prepare('INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(seq, id, at, kind, title, text, about);
}

function replace(database: Database, { pending, values }: OutboxState): void {
  database.transaction(() => {
    database.exec('DELETE FROM pending; DELETE FROM messages; DELETE FROM kept');
    for (const [channel, waiting] of pending)
      for (const each of waiting) apply(database, { kind: 'added', pending: each, channels: [channel] });
    for (const [name, value] of values) apply(database, { kind: 'value', name, value });
  })();
}
