import Database from 'better-sqlite3';
import { codeOf, ConfigError, DroverError, messageOf } from '../core/errors.ts';

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/** What to look at where a file is as it should be, and the system does not let it be used. */
export const LOOK =
  'Look whether its disk is full or read-only, and whether it or a file beside it belongs to another user';

/** Whether SQLite says that the bytes of a file are wrong, as opposed to all that may be over once its disk is mended. */
export const isDamage = (thrown: unknown): boolean => DAMAGE.test(codeOf(thrown) ?? '');

/** A file that may be whole and cannot be got at: whoever begins another in its place gives up what it holds. */
export function unusable(file: string, cause: unknown): ConfigError {
  const code = codeOf(cause);
  const why =
    code === null || messageOf(cause).includes(code) ? messageOf(cause) : `${messageOf(cause)} (${code})`;
  return new ConfigError(
    `${file} cannot be read or written: ${why}. ${LOOK}. It may be whole: do not recover it, and begin no other in its place`,
    { file },
    { cause },
  );
}

/**
 * Works at a file of the journal, or at another one whose damage is told by `spoilt`.
 * @throws {ConfigError} when it is damaged, or cannot be read or written
 */
export function atFile<T>(file: string, work: () => T, spoilt = damaged): T {
  try {
    return work();
  } catch (cause) {
    throw failureAt(file, cause, spoilt);
  }
}

/** What is told of what work at a file has thrown; a mistake of ours as it is. */
export function failureAt(file: string, cause: unknown, spoilt = damaged): unknown {
  if (cause instanceof DroverError || codeOf(cause) === null) return cause;
  return isDamage(cause) ? spoilt(file, messageOf(cause), cause) : unusable(file, cause);
}

/** SQLite reads nothing yet: what fails is the file's name, or the right to it. @throws {ConfigError} */
export function openDatabase(file: string, options?: Database.Options): Database.Database {
  try {
    return new Database(file, options);
  } catch (cause) {
    throw unusable(file, cause);
  }
}

export function damaged(file: string, what: string, cause?: unknown): ConfigError {
  const remedy =
    'Put it back as it was last, with the files -wal and -head beside it; or let `drover journal recover` keep it ' +
    'aside and begin a new one from what the venue shows.';
  return new ConfigError(`${file} is damaged: ${what}. ${remedy}`, { file }, { cause });
}
