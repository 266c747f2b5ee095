import { chmodSync, statSync, truncateSync, type BigIntStats } from 'node:fs';
import { SqliteError, type Database } from './sqlite/sqlite.ts';
import { JournalError, JournalLostError, SafetyError, orClosed, orElse } from '../core/errors.ts';
import type { JournalEntry, Journal } from '../domain/journalEvent.ts';
import { archivedLines, archivesOf, checkArchives, endOf, archivedSum, type Archive } from './archives.ts';
import {
  checkpointFile,
  checkReached,
  headWriter,
  lineOf,
  ORIGIN,
  rowAfter,
  savedTextIn,
  sizeOf,
  type Row,
  type Tip,
} from './integrity.ts';
import {
  checkVersion,
  checkWhole,
  createTables,
  inserterOf,
  requireNoArchive,
  rowsOf,
  sumAt,
  versionOf,
} from './schema.ts';
import { QuotePacking } from './quotePacking.ts';
import { atFile, failureAt, openDatabase, damaged } from './sqlite/sqliteErrors.ts';

/** Journal in a SQLite file. `hasBegun`: true once anything has been written to it. */
type SqliteJournal = Journal & Readonly<{ hasBegun(): boolean }>;

/** Maximum wait of a commit for another process that uses the file, in ms. */
const BUSY_MS = 1_000;

/**
 * Opens a journal in one SQLite file: write-ahead log and `synchronous = FULL`, so a commit that has returned survives a power
 * loss. Each row has a checksum over itself and all before it. Readable only by its owner. The whole file is verified if the last
 * process did not close it.
 * @throws {ConfigError} when the file is damaged, shorter than it was or written by another version, or cannot be read or written
 */
export function openSqliteJournal(file: string): SqliteJournal {
  // The last connection to close removes its log: an existing log belongs to a killed process, or to one still reading.
  const isUnclean = sizeOf(`${file}-wal`) > 0;
  const database = openDatabase(file, { timeout: BUSY_MS });
  return orClosed(database, () => {
    return atFile(file, () => {
      chmodSync(file, 0o600);
      prepare(database, file, isUnclean);
      return journalIn(database, file);
    });
  });
}

function journalIn(database: Database, file: string): SqliteJournal {
  const archives = archivesOf(database, file);
  checkArchives(archives, file);
  const start = endOf(archives);
  let tip = checkTip(database, { file, archives });
  const head = headWriter(file);
  const guard = new FileGuard(file, `${file}-wal`, `${file}${INDEX}`);
  const insert = inserterOf(database);
  const packing = new QuotePacking(database);
  const last = lastOf(database);
  const write = database.transaction((rows: readonly Row[]) => {
    if ((last.get() ?? start).sum !== tip.sum) throw writtenByAnother(file);
    for (const row of rows) insert(row);
  });
  const append = (batch: readonly JournalEntry[]): Tip => {
    let end = tip;
    const rows = batch.map((entry) => (end = rowAfter(end, entry)));
    write(rows.map((row) => (row.kind === 'quotes' ? packing.packed(row) : row)));
    return end;
  };
  return {
    hasBegun: () => tip.seq > 0,
    commit(batch) {
      if (batch.length === 0) return;
      requireSameFiles(guard);
      tip = asJournalError(() => append(batch), file);
      // A write to an unlinked file is lost, and nothing may depend on it.
      requireSameFiles(guard);
      head.note(tip);
    },
    length: () => tip.seq,
    lost: () => lostText(guard),
    saved: savedTextIn(checkpointFile(file)),
    *entries(from = 1) {
      const after = Math.max(from - 1, start.seq);
      let before: Tip = after === start.seq ? start : { seq: after, sum: sumAt(database, after) ?? '' };
      try {
        if (from <= start.seq)
          for (const { seq, at, fact } of archivedLines(archives, file)) if (seq >= from) yield { at, fact };
        for (const row of rowsOf(database, after)) {
          const { at, fact } = lineOf(row, before, file);
          before = row;
          yield { at, fact };
        }
      } catch (cause) {
        throw failureAt(file, cause);
      }
    },
    close() {
      head.close();
      database.close();
    },
  };
}

function lostText(guard: FileGuard): string | null {
  const why = guard.check();
  return why === null
    ? null
    : `${why} during this run: anything written now is lost. Nothing more is sent, and the run ends. The next start reports what remains of the journal`;
}

function requireSameFiles(guard: FileGuard): void {
  const why = lostText(guard);
  if (why !== null) throw new JournalLostError(why);
}

const lastOf = (database: Database) =>
  database.prepare<[], Tip>('SELECT seq, sum FROM entries ORDER BY seq DESC LIMIT 1');

function prepare(database: Database, file: string, isUnclean: boolean): void {
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  if (isUnclean) checkWhole(database, file);
  requireNoArchive(database, file);
  checkVersion(database, file);
  if (versionOf(database) === 0) checkReached(ORIGIN, file);
  createTables(database);
}

type Extent = Readonly<{ file: string; archives: readonly Archive[] }>;

/** Compares the end of the journal with the one noted beside it. */
function checkTip(database: Database, { file, archives }: Extent): Tip {
  const tip = lastOf(database).get() ?? endOf(archives);
  const noted = checkReached(tip, file);
  if (noted === null) return tip;
  const sumThen = sumAt(database, noted.seq) ?? archivedSum(archives, noted.seq, file);
  if (noted.seq > 0 && sumThen !== noted.sum) throw damaged(file, `entry ${noted.seq} is of another journal`);
  return tip;
}

/** Turns a disk failure into a `JournalError`; any other error is a bug and passes through. */
function asJournalError<T>(write: () => T, file: string): T {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof SqliteError) || !DISK.test(cause.code)) throw cause;
    throw new JournalError(
      `${file} cannot be written: ${cause.message} (${cause.code})`,
      { file },
      { cause },
    );
  }
}

const DISK = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|PROTOCOL|NOMEM|PERM)/;

const writtenByAnother = (file: string): SafetyError =>
  new SafetyError(
    `another process has written to ${file} meanwhile: this one sends nothing more and stops. Let one run at a time`,
    { file },
  );

/** Mode bits with which other users may write. */
const OTHERS_WRITE = 0o022n;

/** Suffix of a write-ahead log's index. */
const INDEX = '-shm';

/**
 * Restores the length of the index. SQLite maps it into memory, and an access beyond its end kills the process (SIGBUS); it
 * rebuilds an index of zeros from the log.
 */
function lengthen(name: string, size: bigint): void {
  // Without permission nothing more can be done: the run ends anyway.
  orElse(() => truncateSync(name, Number(size)), undefined);
}

/**
 * Compares the files of an open database with those that currently have their names. Writes to a database whose file
 * was removed, moved or replaced succeed, and are lost. The inode number of an open file is not reused.
 */
class FileGuard {
  readonly #names: readonly string[];
  readonly #known = new Map<string, Readonly<Pick<BigIntStats, 'dev' | 'ino' | 'uid'>> & { size: bigint }>();
  #lost: string | null = null;

  /** Records the current files, and any created later when first seen. */
  constructor(...names: string[]) {
    this.#names = names;
    this.check();
  }

  /** Reason why writes would be lost now; null while every file is the same. Once set it remains. */
  check(): string | null {
    const changes = this.#names.map((name) => this.#changeOf(name));
    this.#lost ??= changes.find((change) => change !== null) ?? null;
    return this.#lost;
  }

  #changeOf(name: string): string | null {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    const known = this.#known.get(name);
    if (!known) {
      if (found) this.#known.set(name, { dev: found.dev, ino: found.ino, uid: found.uid, size: found.size });
      return null;
    }
    if (!found) return `${name} is gone`;
    if (found.ino !== known.ino || found.dev !== known.dev) return `${name} was replaced by another file`;
    if (found.size < known.size) {
      if (name.endsWith(INDEX)) lengthen(name, known.size);
      return `${name} was cut short`;
    }
    if (found.uid !== known.uid) return `${name} belongs to another user now`;
    if ((found.mode & OTHERS_WRITE) !== 0n) return `${name} may be written by other users now`;
    known.size = found.size;
    return null;
  }
}
