import { messageOf } from '../../core/errors.ts';
import { prebuiltClass, type Native, type NativeClass, type NativeStatement } from './prebuiltSqlite.ts';

/** Value of a column. A whole number beyond 2^53 is a bigint. */
export type Value = string | number | bigint | Uint8Array | null;

export type DatabaseOptions = Readonly<{
  /** True for read-only access to an existing file. By default a missing file is created. */
  readonly?: boolean;
  /** Maximum wait for another connection that is writing, in ms. Default 5,000. */
  timeout?: number;
}>;

const BUSY_MS = 5_000;

/** Failure of SQLite. `code`: name of its result, such as `SQLITE_BUSY`; more specific for a failed read or write. */
export class SqliteError extends Error {
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SqliteError';
    this.code = code;
  }
}

/** Names of results (https://sqlite.org/rescode.html) by their lowest byte. */
const RESULTS: Readonly<Record<number, string>> = {
  1: 'ERROR',
  2: 'INTERNAL',
  3: 'PERM',
  4: 'ABORT',
  5: 'BUSY',
  6: 'LOCKED',
  7: 'NOMEM',
  8: 'READONLY',
  9: 'INTERRUPT',
  10: 'IOERR',
  11: 'CORRUPT',
  12: 'NOTFOUND',
  13: 'FULL',
  14: 'CANTOPEN',
  15: 'PROTOCOL',
  17: 'SCHEMA',
  18: 'TOOBIG',
  19: 'CONSTRAINT',
  20: 'MISMATCH',
  21: 'MISUSE',
  22: 'NOLFS',
  23: 'AUTH',
  25: 'RANGE',
  26: 'NOTADB',
};

/** Detailed names of results of reads and writes. */
const INPUT_OUTPUT: Readonly<Record<number, string>> = {
  266: 'IOERR_READ',
  522: 'IOERR_SHORT_READ',
  778: 'IOERR_WRITE',
  1_034: 'IOERR_FSYNC',
  1_290: 'IOERR_DIR_FSYNC',
  1_546: 'IOERR_TRUNCATE',
  1_802: 'IOERR_FSTAT',
  3_850: 'IOERR_LOCK',
  4_618: 'IOERR_SHMOPEN',
  4_874: 'IOERR_SHMSIZE',
  5_386: 'IOERR_SHMMAP',
};

/** Codes by the texts of `sqlite3_errstr`: `all()` of the library for older Node versions gives no code. */
const CODES: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'database table is locked': 6,
  'out of memory': 7,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

const LOWEST_BYTE = 0xff;

function errorOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { errcode = CODES[thrown.message] } = thrown as Partial<{ errcode: number }>;
  if (errcode === undefined) return thrown;
  const name = INPUT_OUTPUT[errcode] ?? RESULTS[errcode & LOWEST_BYTE] ?? `RESULT_${errcode}`;
  return new SqliteError(thrown.message, `SQLITE_${name}`, { cause: thrown });
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw errorOf(thrown);
  }
}

/**
 * Open SQLite file. Uses Node's own SQLite from 22.16 on; before that a library with the same interface and prebuilt
 * binaries: nothing is compiled when drover is installed.
 */
export class Database {
  readonly #native: Native;
  #isOpen = true;

  /** @throws {SqliteError} when a file to read does not exist, or opening is not allowed */
  constructor(file: string, { readonly = false, timeout = BUSY_MS }: DatabaseOptions = {}) {
    const Native = nativeClass();
    this.#native = attempt(() => new Native(file, { readOnly: readonly, timeout }));
  }

  /** Runs statements that return nothing. */
  exec(sql: string): void {
    attempt(() => this.#native.exec(sql));
  }

  /** `P`: positional parameters; named ones would make an insert half as slow again. `R`: a row. */
  prepare<P extends readonly unknown[] = readonly Value[], R = unknown>(sql: string): Statement<P, R> {
    return new Statement(attempt(() => this.#native.prepare(sql)));
  }

  /** Value of a pragma, or the first column of its first row if it has several; undefined if it has none. */
  pragma(text: string): Value | undefined {
    return attempt(() => new Statement<[], Value>(this.#native.prepare(`PRAGMA ${text}`)).pluck().get());
  }

  /** Creates a function that does all of `work` or, if it throws, none of it. Within another one it is a savepoint. */
  transaction<A extends readonly unknown[], T>(work: (...args: A) => T): (...args: A) => T {
    return (...args) => {
      const isPart = this.#native.isTransaction;
      this.exec(isPart ? 'SAVEPOINT part' : 'BEGIN IMMEDIATE');
      try {
        const result = work(...args);
        this.exec(isPart ? 'RELEASE part' : 'COMMIT');
        return result;
      } catch (error) {
        // After some failures, such as a full disk, SQLite has already ended the transaction.
        if (this.#native.isTransaction) this.exec(isPart ? 'ROLLBACK TO part; RELEASE part' : 'ROLLBACK');
        throw error;
      }
    };
  }

  /** Closes the file. Closing it again has no effect. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    attempt(() => this.#native.close());
  }
}

/** Message of a native statement about an integer beyond 2^53; only Node's own also has a code. */
const OUT_OF_RANGE = /too large to be represented/;

const narrow = (value: Value): Value =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/**
 * Rows of a large result, read in pages, so that they are never all in memory and no read is long. `page`: the next rows after a
 * given one, or the first ones.
 */
export function* inPages<R>(page: (last: R | undefined) => readonly R[]): Generator<R, void> {
  for (let rows = page(undefined); rows.length > 0; rows = page(rows.at(-1))) yield* rows;
}

/** Number of rows per page. A long read would keep a writer from checkpointing its log. */
export const PAGE_ROWS = 1_000;

/** Prepared statement that can be run repeatedly. */
export class Statement<P extends readonly unknown[], R> {
  readonly #native: NativeStatement;
  #names: readonly string[] | null = null;
  #isPlucked = false;
  #isWide = false;

  constructor(native: NativeStatement) {
    this.#native = native;
    native.setReturnArrays(true);
  }

  /** Makes each row the value of its first column. */
  pluck(): this {
    this.#isPlucked = true;
    return this;
  }

  run(...parameters: P): void {
    attempt(() => this.#native.run(...parameters));
  }

  /** The first row. */
  get(...parameters: P): R | undefined {
    const values = this.#read((): unknown => this.#native.get(...parameters)) as readonly Value[] | undefined;
    return values && this.#rowOf(values);
  }

  all(...parameters: P): R[] {
    const rows = this.#read((): unknown => this.#native.all(...parameters)) as (readonly Value[])[];
    return rows.map((values) => this.#rowOf(values));
  }

  /** Reads with numbers, which is fast, until an integer does not fit into one. */
  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (thrown) {
      if (this.#isWide || !OUT_OF_RANGE.test(messageOf(thrown))) throw errorOf(thrown);
      this.#isWide = true;
      this.#native.setReadBigInts(true);
      return attempt(read);
    }
  }

  #rowOf(stored: readonly Value[]): R {
    const values = this.#isWide ? stored.map(narrow) : stored;
    if (this.#isPlucked) return values[0] as R;
    this.#names ??= this.#native.columns().map(({ name }) => name);
    const row: Record<string, Value | undefined> = {};
    for (const [index, name] of this.#names.entries()) row[name] = values[index];
    return row as R;
  }
}

/** Node's own SQLite has the required features from 22.16 on; no version 23 is supported any more. */
const [MAJOR, MINOR] = [22, 16];

let loaded: NativeClass | null = null;

function nativeClass(): NativeClass {
  if (loaded) return loaded;
  loaded = isOwn() ? ownClass() : prebuiltClass();
  return loaded;
}

/** True if SQLite is Node's own. */
export function isOwn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > MAJOR + 1 || (major === MAJOR && minor >= MINOR);
}

/** Node's own SQLite, without its warning that it is experimental. */
function ownClass(): NativeClass {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return (process.getBuiltinModule('node:sqlite') as unknown as { DatabaseSync: NativeClass }).DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
