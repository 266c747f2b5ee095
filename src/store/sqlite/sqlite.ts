import { messageOf } from '../../core/errors.ts';
import { prebuiltClass, type Native, type NativeClass, type NativeStatement } from './prebuiltSqlite.ts';

/** Value of a column. A whole number beyond 2^53 is a bigint. */
export type Value = string | number | bigint | Uint8Array | null;

export type DatabaseOptions = Readonly<{
  /** True to write nothing; the file must exist. Default false: it is made. */
  readonly?: boolean;
  /** Longest wait for another connection that writes, in ms. Default 5,000. */
  timeout?: number;
}>;

const BUSY_MS = 5_000;

/** Failure of SQLite. `code`: name of its result, such as `SQLITE_BUSY`; of a failed read or write with what failed. */
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

/** Names of the results of reads and writes, which say what has failed. */
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

/** Codes by the texts of `sqlite3_errstr`: `all()` of the library for older Node gives no code. */
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
 * Open SQLite file. Node's own SQLite from 22.16 on; before that a library with the same interface, which brings its
 * program for each system: nothing is compiled when drover is installed.
 */
export class Database {
  readonly #native: Native;
  #isOpen = true;

  /** @throws {SqliteError} when there is no such file to read, or it may not be opened */
  constructor(file: string, { readonly = false, timeout = BUSY_MS }: DatabaseOptions = {}) {
    const Native = nativeClass();
    this.#native = attempt(() => new Native(file, { readOnly: readonly, timeout }));
  }

  /** Runs statements that return nothing. */
  exec(sql: string): void {
    attempt(() => this.#native.exec(sql));
  }

  /** `P`: the parameters in order; named ones would cost an insert half as much again. `R`: a row. */
  prepare<P extends readonly unknown[] = readonly Value[], R = unknown>(sql: string): Statement<P, R> {
    return new Statement(attempt(() => this.#native.prepare(sql)));
  }

  /** Value of a pragma, or of its first row and column if it has several; undefined if it has none. */
  pragma(text: string): Value | undefined {
    return attempt(() => new Statement<[], Value>(this.#native.prepare(`PRAGMA ${text}`)).pluck().get());
  }

  /** Function that does all of `work` or, when that throws, none of it. Within another one it is a part of that. */
  transaction<A extends readonly unknown[], T>(work: (...args: A) => T): (...args: A) => T {
    return (...args) => {
      const isPart = this.#native.isTransaction;
      this.exec(isPart ? 'SAVEPOINT part' : 'BEGIN IMMEDIATE');
      try {
        const result = work(...args);
        this.exec(isPart ? 'RELEASE part' : 'COMMIT');
        return result;
      } catch (error) {
        // After some failures, such as a full disk, SQLite has ended the transaction itself.
        if (this.#native.isTransaction) this.exec(isPart ? 'ROLLBACK TO part; RELEASE part' : 'ROLLBACK');
        throw error;
      }
    };
  }

  /** Closes the file; again: no effect. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    attempt(() => this.#native.close());
  }
}

/** Message of a native statement about a whole number beyond 2^53; only Node's own has a code as well. */
const OUT_OF_RANGE = /too large to be represented/;

const narrow = (value: Value): Value =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/**
 * Rows of many, some at a time, so that they are never all in memory and no read is long. `page`: the next rows after the one given,
 * at first after none.
 */
export function* inPages<R>(page: (last: R | undefined) => readonly R[]): Generator<R, void> {
  for (let rows = page(undefined); rows.length > 0; rows = page(rows.at(-1))) yield* rows;
}

/** Rows of one page. A long read would keep a writer from checkpointing its log. */
export const PAGE_ROWS = 1_000;

/** Statement that is ready to run, again and again. */
export class Statement<P extends readonly unknown[], R> {
  readonly #native: NativeStatement;
  #names: readonly string[] | null = null;
  #isPlucked = false;
  #isWide = false;

  constructor(native: NativeStatement) {
    this.#native = native;
    native.setReturnArrays(true);
  }

  /** Has rows be the value of their first column. */
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

  /** Reads with numbers, which is fast, until there is one that a number cannot hold. */
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

/** Node's own SQLite has what is needed from 22.16 on; no 23 is supported any more. */
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

/** Node's own SQLite, without the warning that it calls itself experimental. */
function ownClass(): NativeClass {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return (process.getBuiltinModule('node:sqlite') as unknown as { DatabaseSync: NativeClass }).DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
