import type { DatabaseSyncInstance, StatementSyncInstance as NativeStatement } from '@photostructure/sqlite';
import { createRequire } from 'node:module';
import { ConfigError, messageOf } from '../../core/errors.ts';

export type { NativeStatement };

type NativeOptions = Readonly<{ readOnly: boolean; timeout: number }>;

/** Part of Node's own SQLite class `DatabaseSync` that drover uses. */
export type Native = Readonly<{
  isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  close(): void;
}>;

export type NativeClass = new (file: string, options: NativeOptions) => Native;

/** Name of the attached file in SQL. */
const SCHEMA = 'file';

/** All schemas except `main` and `temp`: a statement may have attached another file too. */
const ATTACHED = 'SELECT name FROM pragma_database_list WHERE seq > 1';

/** Statements that search only `main`. Ours name no schema, and otherwise SQLite finds a table in any of them. */
const MAIN_ONLY: readonly (readonly [RegExp, string])[] = [
  [/\bCREATE (TABLE|INDEX|TRIGGER|VIEW)( IF NOT EXISTS)? /g, `CREATE $1$2 ${SCHEMA}.`],
  [/\bsqlite_schema\b/g, `${SCHEMA}.sqlite_schema`],
  [/^PRAGMA /, `PRAGMA ${SCHEMA}.`],
  [/^VACUUM\b/, `VACUUM ${SCHEMA}`],
];

const inSchema = (sql: string): string =>
  MAIN_ONLY.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sql);

type Library = new (file: string, options: NativeOptions) => DatabaseSyncInstance;

const LIBRARY = '@photostructure/sqlite';

/** Loads the library, which is optional: npm omits it on systems for which it has no binary. */
function libraryBy(load: (name: string) => unknown): Library {
  try {
    return (load(LIBRARY) as { DatabaseSync: Library }).DatabaseSync;
  } catch (cause) {
    const { version, platform, arch } = process;
    throw new ConfigError(
      `Node ${version} has no SQLite that drover can use, and ${LIBRARY} is not there for ${platform} ${arch} ` +
        `(${messageOf(cause).split('\n')[0] ?? ''}). Use Node 24 or later, or 22 from 22.16 on, which need no library; on Linux, ` +
        'macOS and Windows, x64 or arm64, `npm install --include=optional` installs it',
      {},
      { cause },
    );
  }
}

/**
 * `DatabaseSync` of a library with prebuilt binaries. Its `close` leaves prepared statements to the garbage collector, and
 * they keep the connection with its locks. SQLite closes an attached file immediately, whatever was prepared: so the file is
 * attached to an empty in-memory database, and detached at the end.
 * @throws {ConfigError} when the library is missing, or has no binary for this system
 */
export function prebuiltClass(load: (name: string) => unknown = createRequire(import.meta.url)): NativeClass {
  const DatabaseSync = libraryBy(load);
  return class implements Native {
    readonly #memory: DatabaseSyncInstance;
    readonly #file: string;
    #isAttached = false;

    /** Opens the file as the library does, and reads nothing yet: the first statement detects damage and locks. */
    constructor(file: string, options: NativeOptions) {
      new DatabaseSync(file, options).close();
      this.#file = file;
      this.#memory = new DatabaseSync(':memory:', options);
    }

    get isTransaction(): boolean {
      return this.#memory.isTransaction;
    }

    exec(sql: string): void {
      this.#attach();
      this.#memory.exec(inSchema(sql));
    }

    prepare(sql: string): NativeStatement {
      this.#attach();
      return this.#memory.prepare(inSchema(sql));
    }

    close(): void {
      try {
        if (this.isTransaction) this.#memory.exec('ROLLBACK');
        for (const { name } of this.#memory.prepare(ATTACHED).all() as { name: string }[])
          this.#memory.exec(`DETACH "${name}"`);
      } finally {
        this.#memory.close();
      }
    }

    #attach(): void {
      if (this.#isAttached) return;
      this.#memory.exec(`ATTACH '${this.#file.replaceAll("'", "''")}' AS ${SCHEMA}`);
      this.#isAttached = true;
    }
  };
}
