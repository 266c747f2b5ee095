import { inPages, PAGE_ROWS, type Database } from './sqlite/sqlite.ts';
import type { Price } from '../core/amount.ts';
import { ConfigError, closing, orClosed } from '../core/errors.ts';
import type { JournalEntry, JournalEvent, SavedText } from '../domain/journalEvent.ts';
import { archivesOf, endOf, openArchive, type Archive } from './archives.ts';
import { openParts, type JournalPart } from './journalParts.ts';
import {
  lineOf,
  ORIGIN,
  unchecked,
  type Row,
  type Tip,
  checkpointFile,
  checkReached,
  cutShort,
  readHead,
  savedTextIn,
} from './integrity.ts';
import { priceIn, type Line } from './codec.ts';
import {
  checkVersion,
  checkWhole,
  COLUMNS,
  requireNoArchive,
  selecting,
  selectionOf,
  sumAt,
  versionOf,
} from './schema.ts';
import { atFile, openDatabase } from './sqlite/sqliteErrors.ts';
import { storedKind } from './storedNames.ts';

/** Number of rows in the first page of a backward search, which usually ends there. */
const FEW_ROWS = 8;

/** Number of rows per read when their size matters. */
const SOME_ROWS = 64;

const READ_ONLY = { readonly: true };

/** Reader of a journal and its archives, while a runner may be writing: holds no lock, and each read is short. */
export interface JournalReader {
  /** Archives of finished years, oldest first, each with the numbers of its first and last entries. */
  readonly archives: readonly Readonly<{ file: string; first: number; last: number }>[];
  /** Verified entries in order, from the one after `since` to the current last; returns where it stopped. */
  lines(since?: Tip): Generator<Line, Tip>;
  /** Verified entries from a number on. Default: all. */
  entries(from?: number): Generator<Line, Tip>;
  /** Text of the latest checkpoint. */
  readonly saved: SavedText;
  /**
   * At most `count` entries after a number, oldest first, stopping once they have `bytes` bytes in the file; not checked against
   * their neighbours. `isEnd`: there are no more at the moment.
   */
  after(seq: number, count: number, bytes: number): Readonly<{ lines: Line[]; isEnd: boolean }>;
  /** Entries of an order, oldest first; not checked against their neighbours. */
  history(order: string): Line[];
  /** Entries of some kinds after a number (0: all), oldest first; not checked against their neighbours. */
  ofKinds<Kind extends JournalEvent['kind']>(kinds: readonly Kind[], since?: number): Generator<Line<Kind>>;
  /** At most `count` entries of some kinds after a number, oldest first; not checked against their neighbours. */
  ofKindsAfter(seq: number, kinds: readonly JournalEvent['kind'][], count: number): Line[];
  /** Number and checksum of an entry; null if there is none of that number. */
  tipAt(seq: number): Tip | null;
  /** Entries before a number, newest first, of some kinds or all (null); not checked against their neighbours. */
  backwards<Kind extends JournalEvent['kind']>(
    kinds: readonly Kind[] | null,
    seq: number,
  ): Generator<Line<Kind>>;
  /** Prices of a stock, newest first. Rows are not verified, and parsed only up to that price. */
  pricesBackwards(symbol: string): Generator<QuotedPrice>;
  /** Minimum end that the file must have. Read it before the lines, because the runner keeps writing. */
  recordedEnd(): Tip | null;
  /** @throws {ConfigError} when the file is damaged, or cannot be read */
  checkWhole(): void;
  close(): void;
}

/** Price of a stock at a time, epoch ms. */
export type QuotedPrice = Readonly<{ at: number; price: Price }>;

/**
 * Opens a journal and its archives as one sequence of entries.
 * @throws {ConfigError} when a file is missing, damaged, empty or of another version, or cannot be read
 */
export function readJournal(file: string): JournalReader {
  const database = open(file);
  return orClosed(database, () => {
    return atFile(file, () => readerOf(openParts(database, file), file));
  });
}

function readerOf(parts: readonly JournalPart[], file: string): JournalReader {
  const tipAt = (seq: number): Tip | null => {
    const part = parts.find(({ before, last }) => before.seq < seq && seq <= last);
    const sum = part && atFile(part.file, () => sumAt(part.database, seq));
    return sum === undefined ? null : { seq, sum };
  };
  function* lines(since = ORIGIN): Generator<Line, Tip> {
    let before = since;
    for (const part of partsAfter(parts, since.seq)) before = yield* linesIn(part, before);
    return before;
  }
  return {
    archives: parts
      .slice(0, -1)
      .map(({ file: path, before, last }) => ({ file: path, first: before.seq + 1, last })),
    lines,
    entries: (from = 1) => lines(from === 1 ? ORIGIN : (tipAt(from - 1) ?? { seq: from - 1, sum: '' })),
    saved: savedTextIn(checkpointFile(file)),
    after: (seq, count, bytes) =>
      atFile(file, () => linesOf(rowsAfter(parts, seq, count + 1), { count, bytes })),
    history: (order) =>
      parts.flatMap((part) => part.ofOrder(order).map((row) => lineOf(row, part.tipBefore(row), part.file))),
    *ofKinds<Kind extends JournalEvent['kind']>(kinds: readonly Kind[], since = 0) {
      for (const part of partsAfter(parts, since)) {
        const after = kindsIn(part, kinds);
        yield* inPages<Line>((last) => after(last?.seq ?? since, PAGE_ROWS)) as Generator<Line<Kind>>;
      }
    },
    ofKindsAfter(seq, kinds, count) {
      const found: Line[] = [];
      for (const part of partsAfter(parts, seq))
        if (found.length < count) found.push(...kindsIn(part, kinds)(seq, count - found.length));
      return found;
    },
    tipAt,
    *backwards<Kind extends JournalEvent['kind']>(kinds: readonly Kind[] | null, seq: number) {
      for (const part of [...parts].reverse())
        for (const rows of pagesBefore(part, { kinds, seq }))
          for (const [index, row] of rows.entries())
            yield lineOf(row, tipAmong(rows, index) ?? part.tipBefore(row), part.file) as Line<Kind>;
    },
    *pricesBackwards(symbol) {
      for (const part of [...parts].reverse()) yield* pricesIn(part, symbol);
    },
    recordedEnd: () => readHead(file),
    checkWhole() {
      for (const part of parts) checkWhole(part.database, part.file);
    },
    close() {
      for (const { database } of parts) database.close();
    },
  };
}

/** Row directly before another one, if it is next in a backward page, which saves a lookup. */
function tipAmong(rows: readonly Row[], index: number): Tip | null {
  const [row, next] = [rows[index], rows[index + 1]];
  return row && next?.seq === row.seq - 1 ? next : null;
}

/** Rows of some kinds, or all, before a number, newest first, page by page. */
function* pagesBefore(
  { database, file }: JournalPart,
  { kinds, seq }: Readonly<{ kinds: readonly JournalEvent['kind'][] | null; seq: number }>,
): Generator<Row[]> {
  const stored = kinds?.map(storedKind) ?? [];
  const all = `SELECT ${COLUMNS} FROM entries WHERE seq < ?`;
  const rowsBefore = kinds === null ? all : selectionOf(database, 'seq < ?', stored);
  const page = selecting(database, `${rowsBefore} ORDER BY seq DESC LIMIT ?`);
  yield* pagesBack(seq, (before, count) => atFile(file, () => page(before, ...stored, count)));
}

/** Pages backwards from a number, a small one first. `page`: at most the given number of rows before a number. */
function* pagesBack<R extends Pick<Row, 'seq'>>(
  seq: number,
  page: (before: number, count: number) => R[],
): Generator<R[]> {
  let before = seq;
  for (let count = FEW_ROWS; ; count = PAGE_ROWS) {
    const rows = page(before, count);
    yield rows;
    if (rows.length < count) return;
    before = rows.at(-1)?.seq ?? 0;
  }
}

/** Prices of a stock in one part, newest first. A chart of months takes hundreds of thousands of rows: nothing else in them is parsed. */
function* pricesIn({ database, file }: JournalPart, symbol: string): Generator<QuotedPrice> {
  const page = selecting<EventRow>(
    database,
    `SELECT seq, at, body FROM entries WHERE seq < ? AND kind = ? ORDER BY seq DESC LIMIT ?`,
  );
  const pages = pagesBack(Infinity, (before, count) =>
    atFile(file, () => page(before, storedKind('quotes'), count)),
  );
  for (const rows of pages)
    for (const { at, body } of rows) {
      const price = priceIn(body, symbol);
      if (price !== null) yield { at, price };
    }
}

/** Parts that may have entries after a number. */
const partsAfter = (parts: readonly JournalPart[], seq: number) => parts.filter(({ last }) => last > seq);

/** Verified entries of one part after `since`; returns the last. */
function* linesIn(part: JournalPart, since: Tip): Generator<Line, Tip> {
  let before = since;
  const page = () => part.after(before.seq, PAGE_ROWS);
  for (let rows = page(); rows.length > 0; rows = page()) {
    for (const row of rows) {
      if (row.seq !== before.seq + 1) requireSameParts(part);
      yield lineOf(row, before, part.file);
      before = row;
    }
  }
  return before;
}

/** Refuses to continue if entries were moved into an archive since the journal was opened. @throws {ConfigError} */
function requireSameParts({ file, database, before, last }: JournalPart): void {
  if (last < Infinity || endOf(archivesOf(database, file)).seq === before.seq) return;
  throw new ConfigError(`${file} was pruned while it was read. Run this again`, { file });
}

/** Reads entries of some kinds in one part: at most `count` after a number, not checked against their neighbours. */
function kindsIn(part: JournalPart, kinds: readonly JournalEvent['kind'][]) {
  const { database, file } = part;
  const stored = kinds.map(storedKind);
  const select = selecting(database, `${selectionOf(database, 'seq > ?', stored)} ORDER BY seq LIMIT ?`);
  return (seq: number, count: number): Line[] =>
    atFile(file, () => select(seq, ...stored, count)).map((row) => lineOf(row, part.tipBefore(row), file));
}

type FiledRow = Readonly<{ row: Row; file: string }>;

/** Rows of all parts after a number, read a few at a time on demand: bodies may be large. */
function* rowsAfter(parts: readonly JournalPart[], seq: number, count: number): Generator<FiledRow> {
  const rows = Math.min(count, SOME_ROWS);
  for (const part of partsAfter(parts, seq))
    for (const row of inPages<Row>((last) => part.after(last?.seq ?? seq, rows)))
      yield { row, file: part.file };
}

/** Entries of rows until there are enough. */
function linesOf(
  rows: Iterable<FiledRow>,
  { count, bytes }: Readonly<{ count: number; bytes: number }>,
): Readonly<{ lines: Line[]; isEnd: boolean }> {
  const lines: Line[] = [];
  let size = 0;
  for (const { row, file } of rows) {
    if (lines.length === count || size >= bytes) return { lines, isEnd: false };
    lines.push(unchecked(row, file));
    size += row.body.length;
  }
  return { lines, isEnd: true };
}

/**
 * Latest `count` events of these kinds with their times, newest first, in a file of any version; not verified. Empty for a
 * file that was created but not written, because its process was killed in between.
 * @throws {ConfigError} when the file is damaged, or cannot be read
 */
export function latestOf<Kind extends JournalEvent['kind']>(
  file: string,
  kinds: readonly Kind[],
  reach: number | Reach,
): Omit<Line<Kind>, 'seq'>[] {
  const { count, spanMs } = typeof reach === 'number' ? { count: reach, spanMs: 0 } : reach;
  return closing(openDatabase(file, READ_ONLY), (database) =>
    atFile(file, () => {
      if (versionOf(database) === 0) return [];
      const latest: JournalEntry[] = [];
      const wanted = { kinds, count, spanMs, latest };
      takeLatest(database, file, wanted);
      for (const archive of [...archivesOf(database, file)].reverse())
        if (!isEnough(wanted)) takeLatestOf(archive, file, wanted);
      return latest as Omit<Line<Kind>, 'seq'>[];
    }),
  );
}

/** Minimum number of entries, and a time in ms before the newest of them that is read completely. */
type Reach = Readonly<{ count: number; spanMs: number }>;

/** The requested events, and those read so far, newest first. */
type EventQuery = Reach & Readonly<{ kinds: readonly JournalEvent['kind'][]; latest: JournalEntry[] }>;

const isEnough = ({ latest, count, spanMs }: EventQuery): boolean => {
  const [newest, oldest] = [latest[0], latest.at(-1)];
  return latest.length >= count && newest && oldest ? newest.at - oldest.at >= spanMs : count === 0;
};

const takeLatestOf = (archive: Archive, journal: string, wanted: EventQuery): void =>
  closing(openArchive(archive, journal), (database) => takeLatest(database, archive.file, wanted));

type EventRow = Pick<Row, 'seq' | 'at' | 'body'>;

function takeLatest(database: Database, file: string, wanted: EventQuery): void {
  const stored = wanted.kinds.map(storedKind);
  const page = selecting<EventRow>(
    database,
    `${selectionOf(database, 'seq < ?', stored)} ORDER BY seq DESC LIMIT ?`,
  );
  // Not one row more than needed: the next of its kind may be far back.
  const rows = () => Math.min(Math.max(wanted.count - wanted.latest.length, 1), PAGE_ROWS);
  for (const row of inPages<EventRow>((last) => page(last?.seq ?? Infinity, ...stored, rows()))) {
    if (isEnough(wanted)) return;
    wanted.latest.push(unchecked(row, file));
  }
}

function open(file: string): Database {
  const database = openDatabase(file, READ_ONLY);
  orClosed(database, () => {
    atFile(file, () => requireNoArchive(database, file));
    checkVersion(database, file);
    checkBegun(database, file);
  });
  return database;
}

/** Refuses a file without tables: it was truncated, or its process was killed before writing. @throws {ConfigError} */
function checkBegun(database: Database, file: string): void {
  if (versionOf(database) > 0) return;
  checkReached(ORIGIN, file);
  throw new ConfigError(`${file} is empty: nothing was written into it. The next \`drover run\` begins it`, {
    file,
  });
}

/**
 * Verifies a journal from end to end, including its archives; returns its end, the number of its runs, and the archives. `each`
 * receives every entry.
 * @throws {ConfigError} naming the first fault
 */
export function verifyJournal(
  file: string,
  each: (line: Line) => void = () => undefined,
): Tip & Readonly<{ epochs: number }> & Pick<JournalReader, 'archives'> {
  return closing(readJournal(file), (reader) => {
    reader.checkWhole();
    const noted = reader.recordedEnd();
    const lines = reader.lines();
    let epochs = 0;
    for (let step = lines.next(); ; step = lines.next()) {
      if (!step.done) {
        if (step.value.fact.kind === 'epoch') epochs++;
        each(step.value);
        continue;
      }
      if (noted && noted.seq > step.value.seq) throw cutShort(file, step.value, noted);
      return { seq: step.value.seq, sum: step.value.sum, epochs, archives: reader.archives };
    }
  });
}
