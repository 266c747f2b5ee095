import type { Database } from './sqlite/sqlite.ts';
import { archivesOf, endOf, openArchive, type Archive } from './archives.ts';
import type { Row, Tip } from './integrity.ts';
import { COLUMNS, pageOf, selecting } from './schema.ts';
import { atFile } from './sqlite/sqliteErrors.ts';

/** Open database file with a part of a journal's entries: an archive, or the journal itself with the latest ones. */
export interface JournalPart {
  readonly file: string;
  /** End of the part before this one. */
  readonly before: Tip;
  /** Number of the last entry of an archive; Infinity for the journal itself, which grows. */
  readonly last: number;
  readonly database: Database;
  /** At most `count` rows after this number. */
  after(seq: number, count: number): Row[];
  /** All rows of an order. */
  ofOrder(order: string): Row[];
  /** End of the part, or the entry, before a row. */
  tipBefore(row: Row): Tip;
}

/**
 * Opens the archives of an open journal; returns all parts, oldest first.
 * @throws {ConfigError} when an archive is missing, damaged, or not the one that the journal names
 */
export function openParts(database: Database, file: string): readonly JournalPart[] {
  const archives = atFile(file, () => archivesOf(database, file));
  const open: JournalPart[] = [];
  try {
    for (const archive of archives) open.push(archivePart(archive, file));
  } catch (error) {
    for (const part of open) part.database.close();
    throw error;
  }
  return [...open, partOf({ file, database, before: endOf(archives), last: Infinity })];
}

const archivePart = (archive: Archive, journal: string): JournalPart => {
  const { file, before, end } = archive;
  return partOf({ file, before, last: end.seq, database: openArchive(archive, journal) });
};

function partOf(extent: Pick<JournalPart, 'file' | 'before' | 'last' | 'database'>): JournalPart {
  const { file, database, before } = extent;
  const page = pageOf(database);
  const ofOrder = selecting(database, `SELECT ${COLUMNS} FROM entries WHERE order_id = ? ORDER BY seq`);
  const sum = database.prepare<[number], string>('SELECT sum FROM entries WHERE seq = ?').pluck();
  return {
    ...extent,
    after: (seq, count) => atFile(file, () => page(seq, count)),
    ofOrder: (order) => atFile(file, () => ofOrder(order)),
    tipBefore: ({ seq }) => (seq - 1 === before.seq ? before : { seq: seq - 1, sum: sum.get(seq - 1) ?? '' }),
  };
}
