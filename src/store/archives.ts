import type { Database } from './sqlite/sqlite.ts';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfigError, closing, orClosed } from '../core/errors.ts';
import { lineOf, ORIGIN, type Tip } from './integrity.ts';
import { ARCHIVES_TABLE, checkVersion, isArchive, rowsOf, sumAt } from './schema.ts';
import { atFile, damaged, openDatabase } from './sqlite/sqliteErrors.ts';
import type { Line } from './codec.ts';

/** File with the entries of a finished year, moved out of a journal: those after `before`, up to `end`. */
export type Archive = Readonly<{ year: number; file: string; before: Tip; end: Tip }>;

/** File name of the archive of a year: of 2025, `journal-2025.sqlite`. */
export const archiveName = (journal: string, year: number): string =>
  `${basename(journal, '.sqlite')}-${year}.sqlite`;

type ArchiveRow = Readonly<{ year: number; file: string; seq: number; sum: string }>;

/** True for a journal that has archives. */
const isPruned = (database: Database): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'archives'`).get() !== undefined;

/** Archives of a journal, oldest first; empty for one that was never pruned. */
export function archivesOf(database: Database, journal: string): readonly Archive[] {
  if (!isPruned(database)) return [];
  const records = database
    .prepare<[], ArchiveRow>('SELECT year, file, last_seq AS seq, sum FROM archives ORDER BY last_seq')
    .all();
  let before = ORIGIN;
  return records.map(({ year, file, seq, sum }) => {
    const archive = { year, file: placeOf(file, journal), before, end: { seq, sum } };
    before = archive.end;
    return archive;
  });
}

/** Path of an archive. One in the journal's folder takes precedence, so that a copy of a whole folder is complete. */
function placeOf(file: string, journal: string): string {
  const beside = join(dirname(journal), basename(file));
  return file === basename(file) || existsSync(beside) ? beside : file;
}

/** End of the last archive, which the first entry of the journal's own file follows. */
export const endOf = (archives: readonly Archive[]): Tip => archives.at(-1)?.end ?? ORIGIN;

/** Records archives in their journal's file. The caller must have a transaction open. */
export function recordArchives(database: Database, journal: string, archives: readonly Archive[]): void {
  database.exec(ARCHIVES_TABLE);
  const insert = database.prepare('INSERT INTO archives VALUES (?, ?, ?, ?)');
  for (const { year, file, end } of archives)
    insert.run(year, dirname(file) === dirname(journal) ? basename(file) : file, end.seq, end.sum);
}

/**
 * Opens an archive for reading, and compares its first and last entries with the journal's record of it.
 * @throws {ConfigError} when it is missing, damaged, or not the one that the journal names
 */
export function openArchive(archive: Archive, journal: string): Database {
  const { file } = archive;
  if (!existsSync(file)) throw missing(archive, journal);
  const database = openDatabase(file, { readonly: true });
  return orClosed(database, () => {
    atFile(file, () => requireSame(database, archive, journal));
    return database;
  });
}

function requireSame(database: Database, archive: Archive, journal: string): void {
  const { file, before, end } = archive;
  if (!isArchive(database)) throw damaged(file, 'it is not an archive');
  checkVersion(database, file);
  const first = database.prepare<[], number>('SELECT min(seq) FROM entries').pluck().get() ?? 0;
  const last = database.prepare<[], Tip>('SELECT seq, sum FROM entries ORDER BY seq DESC LIMIT 1').get();
  if (first === before.seq + 1 && last?.seq === end.seq && last.sum === end.sum) return;
  const found = `entries ${first} to ${last?.seq ?? 0} (last sum ${last?.sum ?? 'none'})`;
  throw new ConfigError(
    `${file} is not the archive that ${journal} names: it holds ${found} instead of ${extentOf(archive)}. ` +
      'Put back the right one, from the latest backup or from the journal whose name it had: archives keep their names',
    { file, journal },
  );
}

const extentOf = ({ before, end }: Archive): string =>
  `entries ${before.seq + 1} to ${end.seq} (last sum ${end.sum})`;

const missing = (archive: Archive, journal: string): ConfigError =>
  new ConfigError(
    `${archive.file} is missing: this archive of ${journal} holds ${extentOf(archive)}, without which the history is incomplete. ` +
      'Nothing was sent. Put it back there or beside the journal, from the latest backup',
    { file: archive.file, journal },
  );

/** Opens each archive and closes it again. @throws {ConfigError} as `openArchive` does */
export function checkArchives(archives: readonly Archive[], journal: string): void {
  for (const archive of archives) openArchive(archive, journal).close();
}

/** Checksum at an entry moved out of a journal; undefined if no archive has it. @throws {ConfigError} as `openArchive` does */
export function archivedSum(archives: readonly Archive[], seq: number, journal: string): string | undefined {
  const archive = archives.find(({ before, end }) => before.seq < seq && seq <= end.seq);
  if (!archive) return undefined;
  return closing(openArchive(archive, journal), (database) =>
    atFile(archive.file, () => sumAt(database, seq)),
  );
}

/**
 * Verified entries of archives, oldest first; returns the end of the last.
 * @throws {ConfigError} naming the archive that is missing, damaged or a different one
 */
export function* archivedLines(archives: readonly Archive[], journal: string): Generator<Line, Tip> {
  let before = archives[0]?.before ?? ORIGIN;
  for (const archive of archives) {
    const database = openArchive(archive, journal);
    try {
      for (const row of rowsOf(database)) {
        yield lineOf(row, before, archive.file);
        before = row;
      }
    } finally {
      database.close();
    }
  }
  return before;
}
