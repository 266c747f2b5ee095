import { syncPath } from './trust.ts';
import type { Database } from './sqlite/sqlite.ts';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newYorkDate, newYorkTime } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { codeOf, ConfigError, DroverError, faultIn, messageOf, closing } from '../core/errors.ts';
import {
  archiveName,
  archivedLines,
  archivesOf,
  checkArchives,
  endOf,
  openArchive,
  recordArchives,
  type Archive,
} from './archives.ts';
import type { Tip } from './integrity.ts';
import { checkWhole, createArchive, raiseVersion } from './schema.ts';
import { atFile, openDatabase } from './sqlite/sqliteErrors.ts';

/** Entries in a journal's own file that may be moved into archives, one per year. */
export type PrunePlan = Readonly<{
  archives: readonly Archive[];
  /** Year of the last entry, which is kept. */
  lastYear: number;
  /** Number of entries that remain in the journal's own file. */
  kept: number;
}>;

/** Years to move: all before `before`, or all but the latest `keep`. By default all but the year of the last entry. */
export type YearChoice = Readonly<{ before?: number | undefined; keep?: number | undefined }>;

/** Year in New York time, the time zone of sessions. */
const yearOf = (at: number): number => Number(newYorkDate(epochMs(at)).slice(0, 4));

const startOf = (year: number): number => newYorkTime(`${year}-01-01`, '00:00');

/**
 * Finished years of a journal, and their archives in `folder`. A year starts with its first entry, whatever the times of later
 * ones: entries keep their order.
 * @throws {ConfigError} when the choice includes the year of the last entry, or an earlier archive has changed
 */
export function planPruning(
  journal: string,
  { before, keep = 1 }: YearChoice,
  folder = dirname(journal),
): PrunePlan {
  return closing(openDatabase(journal, { readonly: true }), (database) =>
    atFile(journal, () => {
      const [firstYear, lastYear] = [yearAt(database, 'ASC'), yearAt(database, 'DESC')];
      const until = before ?? lastYear - keep + 1;
      if (until > lastYear)
        throw new ConfigError(
          `--before ${until}: the last entry of ${journal} is of ${lastYear}, and its year stays in the journal. Name ${lastYear} or an earlier year`,
        );
      const archives = yearsOf(database, { journal, folder, firstYear, until });
      const kept = database.prepare<[number], number>('SELECT count(*) FROM entries WHERE seq > ?').pluck();
      return { archives, lastYear, kept: kept.get(endOf(archives).seq) ?? 0 };
    }),
  );
}

/** Year of the first or last entry of the file. */
function yearAt(database: Database, order: 'ASC' | 'DESC'): number {
  const at = database.prepare<[], number>(`SELECT at FROM entries ORDER BY seq ${order} LIMIT 1`).pluck();
  return yearOf(at.get() ?? 0);
}

type Years = Readonly<{ journal: string; folder: string; firstYear: number; until: number }>;

function yearsOf(database: Database, { journal, folder, firstYear, until }: Years): Archive[] {
  const lastBefore = database.prepare<[number], Tip>(
    `SELECT seq, sum FROM entries
     WHERE seq < (SELECT seq FROM entries WHERE at >= ? ORDER BY seq LIMIT 1) ORDER BY seq DESC LIMIT 1`,
  );
  const archives: Archive[] = [];
  const earlier = archivesOf(database, journal);
  checkArchives(earlier, journal);
  let before = endOf(earlier);
  for (let year = firstYear; year < until; year++) {
    const end = lastBefore.get(startOf(year + 1));
    if (!end || end.seq <= before.seq) continue;
    archives.push({ year, file: join(folder, archiveName(journal, year)), before, end });
    before = end;
  }
  return archives;
}

/** Next step; each is reported before it begins. */
export type PruneStep = 'copy' | 'check' | 'place' | 'remove' | 'compact';

type Report = (step: PruneStep, file: string) => void;

/**
 * Moves entries of finished years out of a journal that no run uses: the caller holds its folder. They are first completely
 * written, verified and synced in their archives, then removed in one transaction that links the journal to them; killed at any
 * step, each entry is still read once, and pruning again continues. Returns why the file could not be shrunk, null if it was.
 * @throws {ConfigError} when an archive cannot be written, or a file of its name has other content; nothing was removed then
 */
export function pruneJournal(
  journal: string,
  { archives }: Pick<PrunePlan, 'archives'>,
  report: Report,
): string | null {
  for (const archive of archives) writeArchive(archive, journal, report);
  return closing(openDatabase(journal), (database) =>
    atFile(journal, () => {
      database.pragma('synchronous = FULL');
      if (archives.length > 0) {
        report('remove', journal);
        remove(database, journal, archives);
      }
      report('compact', journal);
      return compact(database);
    }),
  );
}

function remove(database: Database, journal: string, archives: readonly Archive[]): void {
  const move = database.transaction(() => {
    recordArchives(database, journal, archives);
    database.prepare<[number]>('DELETE FROM entries WHERE seq <= ?').run(endOf(archives).seq);
    raiseVersion(database);
  });
  move();
}

/** Returns the space of removed entries to the disk. Returns the reason if that failed, otherwise null. */
function compact(database: Database): string | null {
  if (database.pragma('freelist_count') === 0) return null;
  return faultIn(Error, () => {
    database.exec('VACUUM');
    database.pragma('wal_checkpoint(TRUNCATE)');
  });
}

/** Writes an archive under its name, complete and synced; one from an earlier attempt is verified. */
function writeArchive(archive: Archive, journal: string, report: Report): void {
  const { file } = archive;
  const isThere = existsSync(file);
  const fresh = { ...archive, file: `${file}.new` };
  try {
    if (!isThere) {
      report('copy', file);
      copy(fresh, journal);
    }
    report('check', file);
    if (isThere) requireCopy(archive, journal);
    else checkCopy(fresh, journal);
    report('place', file);
    if (!isThere) {
      syncPath(fresh.file);
      renameSync(fresh.file, file);
    }
    syncPath(file);
    syncPath(dirname(file));
  } catch (cause) {
    throw notWritten(archive, cause);
  }
}

/** Copies entries into a new private file, replacing one left by an earlier attempt. */
function copy({ file, before, end }: Archive, journal: string): void {
  for (const part of ['', '-journal']) rmSync(`${file}${part}`, { force: true });
  closeSync(openSync(file, 'wx', 0o600));
  closing(openDatabase(file), (database) => {
    database.pragma('synchronous = FULL');
    createArchive(database);
    database.prepare<[string]>('ATTACH DATABASE ? AS journal').run(journal);
    database
      .prepare<[number, number]>(
        'INSERT INTO entries SELECT * FROM journal.entries WHERE seq > ? AND seq <= ? ORDER BY seq',
      )
      .run(before.seq, end.seq);
    copySymbols(database);
  });
}

/** Copies the codes of symbols in quotes from the database attached as the journal. Schema 7 and before have none. */
function copySymbols(database: Database): void {
  const column = database.prepare(`SELECT name FROM pragma_table_info('symbols', 'journal')`).get();
  if (column !== undefined) database.exec('INSERT INTO symbols SELECT * FROM journal.symbols');
}

/** Reads an archive from end to end. @throws {ConfigError} when it differs from the journal */
function checkCopy(archive: Archive, journal: string): void {
  closing(openArchive(archive, journal), (database) => checkWhole(database, archive.file));
  for (const _line of archivedLines([archive], journal));
}

/** @throws {ConfigError} when a file with the name of an archive is not the copy from an earlier attempt */
function requireCopy(archive: Archive, journal: string): void {
  try {
    checkCopy(archive, journal);
  } catch (cause) {
    throw new ConfigError(
      `${archive.file} is there already, and is not a copy of these entries of ${journal}: ${messageOf(cause)}. ` +
        'Nothing was removed. If it belongs to another journal, name another folder for the archives (--archive DIR); ' +
        'otherwise move it away',
      { file: archive.file },
      { cause },
    );
  }
}

/** Error for an archive that was not written; a bug, or an error that already gives advice, is returned unchanged. */
function notWritten({ file }: Archive, cause: unknown): unknown {
  for (const part of ['', '-journal']) rmSync(`${file}.new${part}`, { force: true });
  if (cause instanceof DroverError || codeOf(cause) === null) return cause;
  return new ConfigError(
    `${file} cannot be written: ${messageOf(cause)}. The journal is as it was. ` +
      'Make room on its disk and let this user write to its folder, or name another (--archive DIR)',
    { file },
    { cause },
  );
}
