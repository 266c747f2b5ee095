import { Database, SqliteError, type DatabaseOptions } from './sqlite.ts';
import {
  codeOf,
  ConfigError,
  DroverError,
  messageOf,
  storageErrorOf,
  type StorageError,
} from '../../core/errors.ts';
import { oneLine } from '../../core/printable.ts';

/** Maximum length of a quoted table or trigger name, in characters. */
const OBJECT_MAX = 80;

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/** Advice for a file that is intact but cannot be used. */
export const ADVICE =
  'Check whether its disk is full or read-only, and whether it or a file beside it belongs to another user';

/** True if SQLite reports damaged content, as opposed to failures that end when the disk is repaired. */
export const isDamage = (thrown: unknown): boolean => DAMAGE.test(codeOf(thrown) ?? '');

/** Error for a file that is unreadable but may be intact: replacing it would lose its content. */
function unusable(file: string, cause: unknown): ConfigError | StorageError {
  const code = codeOf(cause);
  const Failure = storageErrorOf(cause);
  const why =
    code === null || messageOf(cause).includes(code) ? messageOf(cause) : `${messageOf(cause)} (${code})`;
  return new Failure(
    `${file} cannot be read or written: ${why}. ${ADVICE}. It may be intact: do not recover it, and do not start another in its place`,
    { file },
    { cause },
  );
}

/**
 * Runs `work` on a file and reports its failures; `onDamage` describes damaged content.
 * @throws {ConfigError} when it is damaged, or this user may not use it
 * @throws {StorageError} when its disk is full or fails
 */
export function atFile<T>(file: string, work: () => T, onDamage = damaged): T {
  try {
    return work();
  } catch (cause) {
    throw failureAt(file, cause, onDamage);
  }
}

/** Error to report for what work on a file has thrown; a bug is returned unchanged. */
export function failureAt(file: string, cause: unknown, onDamage = damaged): unknown {
  if (cause instanceof DroverError || codeOf(cause) === null) return cause;
  return isDamage(cause) ? onDamage(file, messageOf(cause), cause) : unusable(file, cause);
}

/** Opens a database. SQLite reads nothing yet: only a wrong name or missing permission fails. @throws {ConfigError} */
export function openDatabase(file: string, options?: DatabaseOptions): Database {
  try {
    return new Database(file, options);
  } catch (cause) {
    throw cause instanceof SqliteError ? unusable(file, cause) : cause;
  }
}

const OBJECTS =
  "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'";

/** Tables, indexes, triggers and views of a database, each with its definition without whitespace. */
function objectsOf(database: Database): ReadonlyMap<string, string> {
  const rows = database.prepare<[], { type: string; name: string; sql: string }>(OBJECTS).all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, sql.replace(/\s+/g, '')]));
}

/**
 * Requires that a file contains nothing except what `schema` creates: a foreign trigger would change what is written, and a view what
 * is read. Missing tables are allowed.
 * @throws {ConfigError} naming the first that differs
 */
export function requireOwnTables(database: Database, file: string, schema: string): void {
  const model = new Database(':memory:');
  model.exec(schema);
  const own = objectsOf(model);
  model.close();
  for (const [object, sql] of atFile(file, () => objectsOf(database)))
    if (own.get(object) !== sql)
      throw new ConfigError(
        `${file} has a ${oneLine(object, OBJECT_MAX)} that this program did not make: it may change what is kept. ` +
          'Nothing was read or written. Use a copy that only drover has written',
        { file },
      );
}

/** Names of archives of a journal: `journal-2025.sqlite`. */
const ARCHIVE = /-\d{4}\.sqlite$/;

const ARCHIVE_REMEDY = 'Put back this archive, which never changes, from any backup that has it.';
const REMEDY =
  'Restore its latest version, with the files -wal and -head beside it; or let `drover journal recover` keep it ' +
  'aside and begin a new one from what the venue shows.';

export function damaged(file: string, what: string, cause?: unknown): ConfigError {
  const remedy = ARCHIVE.test(file) ? ARCHIVE_REMEDY : REMEDY;
  return new ConfigError(`${file} is damaged: ${what}. ${remedy}`, { file }, { cause });
}
