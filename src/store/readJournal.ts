import type Database from 'better-sqlite3';
import { ConfigError } from '../core/errors.ts';
import type { JournalEntry, JournalEvent } from '../domain/journalEvent.ts';
import {
  lineOf,
  ORIGIN,
  unchecked,
  type Line,
  type Row,
  type Tip,
  checkReached,
  cutShort,
  readHead,
} from './integrity.ts';
import { checkVersion, checkWhole, COLUMNS, versionOf } from './schema.ts';
import { atFile, openDatabase } from './sqliteErrors.ts';
import { storedKind } from './storedNames.ts';

/** Rows of one read. A long read would keep the writer from checkpointing its log. */
const PAGE_ROWS = 1_000;

/** Rows of the first page of a search backwards, which mostly ends in it. */
const FEW_ROWS = 8;

const READ_ONLY = { readonly: true, fileMustExist: true };

/** Reader of a journal that a runner may be writing: holds no lock, and each read is short. */
export interface JournalReader {
  /** Checked entries in order, from the one after `since` to the present last; returns where it stopped. */
  lines(since?: Tip): Generator<Line, Tip>;
  /**
   * At most `count` entries after the one of this number, oldest first, and no more once they have `bytes` bytes in the file; not
   * checked against their neighbours. `isEnd`: there are no more now.
   */
  after(seq: number, count: number, bytes: number): Readonly<{ lines: Line[]; isEnd: boolean }>;
  /** Entries of one order, oldest first; not checked against their neighbours. */
  history(order: string): Line[];
  /** Entries of some kinds, oldest first; not checked against their neighbours. */
  ofKinds(kinds: readonly JournalEvent['kind'][]): Generator<Line>;
  /** At most `count` entries of some kinds after the one of a number, oldest first; not checked against their neighbours. */
  ofKindsAfter(seq: number, kinds: readonly JournalEvent['kind'][], count: number): Line[];
  /** Number and sum of the entry of a number; null when there is none. */
  tipAt(seq: number): Tip | null;
  /** Entries of one kind before the entry of this number, newest first; not checked against their neighbours. */
  backwards(kind: JournalEvent['kind'], seq: number): Generator<Line>;
  /** End that the file must have at least. To be read before the lines, because the runner goes on writing. */
  recordedEnd(): Tip | null;
  /** @throws {ConfigError} when the file is not whole, or cannot be read */
  checkWhole(): void;
  close(): void;
}

/** @throws {ConfigError} when the file is damaged, empty or of another version, or cannot be read */
export function readJournal(file: string): JournalReader {
  const database = open(file);
  return atFile(file, () => readerOf(database, file));
}

function readerOf(database: Database.Database, file: string): JournalReader {
  const page = database.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const ofOrder = database.prepare<[string], Row>(
    `SELECT ${COLUMNS} FROM entries WHERE order_id = ? ORDER BY seq`,
  );
  const alone = (row: Row): Line =>
    lineOf(row, { seq: row.seq - 1, sum: sumBefore.get(row.seq - 1) ?? '' }, file);
  const pageAfter = ({ seq }: Tip) => atFile(file, () => page.all(seq, PAGE_ROWS));
  const sumBefore = database.prepare<[number], string>('SELECT sum FROM entries WHERE seq = ?').pluck();
  const pageOfKinds = (kinds: readonly JournalEvent['kind'][]) => {
    const places = kinds.map(() => '?').join();
    const select = database.prepare<unknown[], Row>(
      `SELECT ${COLUMNS} FROM entries WHERE seq > ? AND kind IN (${places}) ORDER BY seq LIMIT ?`,
    );
    const stored = kinds.map(storedKind);
    return (seq: number, count: number) => atFile(file, () => select.all(seq, ...stored, count));
  };
  return {
    *lines(since = ORIGIN) {
      let before = since;
      for (let rows = pageAfter(before); rows.length > 0; rows = pageAfter(before)) {
        for (const row of rows) {
          yield lineOf(row, before, file);
          before = row;
        }
      }
      return before;
    },
    after: (seq, count, bytes) =>
      atFile(file, () => linesOf(page.iterate(seq, count + 1), { count, bytes, file })),
    history: (order) => atFile(file, () => ofOrder.all(order).map(alone)),
    *ofKinds(kinds) {
      const next = pageOfKinds(kinds);
      const rowsAfter = (seq: number) => next(seq, PAGE_ROWS);
      for (let rows = rowsAfter(0); rows.length > 0; rows = rowsAfter(rows.at(-1)?.seq ?? Infinity))
        yield* rows.map(alone);
    },
    ofKindsAfter: (seq, kinds, count) => pageOfKinds(kinds)(seq, count).map(alone),
    tipAt(seq) {
      const sum = atFile(file, () => sumBefore.get(seq));
      return sum === undefined ? null : { seq, sum };
    },
    *backwards(kind, seq) {
      for (const row of rowsBefore(database, file, { kind, seq })) yield alone(row);
    },
    recordedEnd: () => readHead(file),
    checkWhole: () => checkWhole(database, file),
    close: () => database.close(),
  };
}

/** Rows of one kind before a number, newest first. */
function* rowsBefore(
  database: Database.Database,
  file: string,
  { kind, seq }: Readonly<{ kind: JournalEvent['kind']; seq: number }>,
): Generator<Row> {
  const page = database.prepare<[number, string, number], Row>(
    `SELECT ${COLUMNS} FROM entries WHERE seq < ? AND kind = ? ORDER BY seq DESC LIMIT ?`,
  );
  let before = seq;
  for (let count = FEW_ROWS; ; count = PAGE_ROWS) {
    const rows = atFile(file, () => page.all(before, storedKind(kind), count));
    yield* rows;
    if (rows.length < count) return;
    before = rows.at(-1)?.seq ?? 0;
  }
}

/** Entries of rows until there are enough of them. */
function linesOf(
  rows: Iterable<Row>,
  { count, bytes, file }: Readonly<{ count: number; bytes: number; file: string }>,
): Readonly<{ lines: Line[]; isEnd: boolean }> {
  const lines: Line[] = [];
  let size = 0;
  for (const row of rows) {
    if (lines.length === count || size >= bytes) return { lines, isEnd: false };
    lines.push(unchecked(row, file));
    size += row.body.length;
  }
  return { lines, isEnd: true };
}

/**
 * Latest `count` events of these kinds with their times, newest first, in a file of any version; not checked. None in a file
 * that was created and not written, because its process was killed in between.
 * @throws {ConfigError} when the file is damaged, or cannot be read
 */
export function latestOf(
  file: string,
  kinds: readonly JournalEvent['kind'][],
  count: number,
): JournalEntry[] {
  const database = openDatabase(file, READ_ONLY);
  const places = kinds.map(() => '?').join();
  try {
    return atFile(file, () => {
      if (versionOf(database) === 0) return [];
      return database
        .prepare<unknown[], Pick<Row, 'seq' | 'at' | 'body'>>(
          `SELECT seq, at, body FROM entries WHERE kind IN (${places}) ORDER BY seq DESC LIMIT ?`,
        )
        .all(...kinds.map(storedKind), count)
        .map((row) => unchecked(row, file));
    });
  } finally {
    database.close();
  }
}

function open(file: string): Database.Database {
  const database = openDatabase(file, READ_ONLY);
  try {
    checkVersion(database, file);
    checkBegun(database, file);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Refuses a file without tables: it was cut to nothing, or its process was killed before it wrote. @throws {ConfigError} */
function checkBegun(database: Database.Database, file: string): void {
  if (versionOf(database) > 0) return;
  checkReached(ORIGIN, file);
  throw new ConfigError(`${file} is empty: nothing was written into it. The next \`drover run\` begins it`, {
    file,
  });
}

/**
 * Checks a journal from end to end; returns its end and the number of its runs.
 * @throws {ConfigError} naming the first fault
 */
export function verifyJournal(file: string): Tip & Readonly<{ epochs: number }> {
  const reader = readJournal(file);
  try {
    reader.checkWhole();
    const noted = reader.recordedEnd();
    const lines = reader.lines();
    let epochs = 0;
    for (let step = lines.next(); ; step = lines.next()) {
      if (!step.done) {
        if (step.value.fact.kind === 'epoch') epochs++;
        continue;
      }
      if (noted && noted.seq > step.value.seq) throw cutShort(file, step.value, noted);
      return { seq: step.value.seq, sum: step.value.sum, epochs };
    }
  } finally {
    reader.close();
  }
}
