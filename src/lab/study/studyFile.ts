import type { Database } from '../../store/sqlite/sqlite.ts';
import { codeOf, ConfigError } from '../../core/errors.ts';
import { atFile, openDatabase } from '../../store/sqlite/sqliteErrors.ts';
import { keyOf, type ParamSet } from '../search/space.ts';
import { HEADLINE, type Headline } from '../trials/headline.ts';
import type { TrialOutcome } from '../trials/trial.ts';

/** Trial in a study. `window`: index of its walk-forward part, -1 for the whole span. `number`: index in its search. */
export type BookedTrial = Readonly<{
  window: number;
  number: number;
  params: ParamSet;
  outcome: TrialOutcome;
}>;

export const WHOLE = -1;

/** Everything that determines the trials of a study, by the name under which an error reports a difference. */
export type StudyIdentity = Readonly<Record<string, string>>;

/** Study on disk: one SQLite file. A booked trial survives a kill and a power loss. */
export interface StudyFile {
  readonly file: string;
  /** Outcome of a parameter set, if it is booked. */
  outcome(window: number, params: ParamSet): TrialOutcome | undefined;
  /** Books outcomes in one transaction. A trial that is already booked is not changed. */
  book(trials: readonly BookedTrial[]): void;
  /** Number of booked trials: all, or those of one window. */
  count(window?: number): number;
  close(): void;
}

const FORMAT = '1';
const DONE = ['run_id', 'objectives', 'why', 'headline', 'trades', 'fees', 'returns', 'ms'] as const;
const DONE_COLUMNS = DONE.join(', ');

const SCHEMA = `
  CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE trials (
    window INTEGER NOT NULL,
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    run_id TEXT UNIQUE,
    objectives TEXT,
    why TEXT,
    headline TEXT,
    trades INTEGER,
    fees REAL,
    returns BLOB,
    ms REAL,
    PRIMARY KEY (window, key)
  ) STRICT;
`;

type Row = Readonly<{
  state: TrialOutcome['state'];
  run_id: string | null;
  objectives: string | null;
  why: string | null;
  headline: string | null;
  trades: number | null;
  fees: number | null;
  returns: Uint8Array | null;
  ms: number | null;
}>;

type Opening = Readonly<{ identity: StudyIdentity; resume: boolean }>;

/**
 * Opens a study, or creates it.
 * @throws {ConfigError} when it exists and is not resumed, when it is a different study (naming the difference), when
 * another process works on it, or when the file cannot be read or written
 */
export function openStudy(file: string, { identity, resume }: Opening): StudyFile {
  const database = openDatabase(file, { timeout: 1_000 });
  try {
    return atFile(
      file,
      () => {
        // Held until the file is closed or the process ends: two runs of one study would repeat its trials.
        database.pragma('locking_mode = EXCLUSIVE');
        database.pragma('journal_mode = WAL');
        database.pragma('synchronous = FULL');
        begin(database, file, { identity, resume });
        return studyIn(database, file);
      },
      damaged,
    );
  } catch (error) {
    database.close();
    if (error instanceof Error && isBusy(error.cause ?? error)) throw inUse(file, error);
    throw error;
  }
}

const isBusy = (cause: unknown): boolean => codeOf(cause)?.startsWith('SQLITE_BUSY') ?? false;

const inUse = (file: string, cause: Error): ConfigError =>
  new ConfigError(
    `another drover process works on ${file}: wait until it has ended, or name another file by --study`,
    { file },
    { cause },
  );

const damaged = (file: string, what: string, cause?: unknown): ConfigError =>
  new ConfigError(
    `${file} is not a study, or is damaged: ${what}. Name another file by --study, or remove this one to start over`,
    { file },
    { cause },
  );

function begin(database: Database, file: string, { identity, resume }: Opening): void {
  const tables = database
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  if (tables.length === 0) {
    if (resume)
      throw new ConfigError(`--resume: there is no study in ${file}. Leave --resume out to begin it`);
    database.transaction(() => {
      database.exec(SCHEMA);
      const insert = database.prepare('INSERT INTO study (name, value) VALUES (?, ?)');
      for (const [name, value] of Object.entries({ format: FORMAT, ...identity })) insert.run(name, value);
    })();
    return;
  }
  if (!tables.some(({ name }) => name === 'study'))
    throw damaged(file, 'it is a database of another program');
  requireSame(database, file, identity);
  if (!resume)
    throw new ConfigError(
      `${file} already holds this study. Continue it with --resume, or name another file by --study`,
    );
}

function requireSame(database: Database, file: string, identity: StudyIdentity): void {
  const rows = database.prepare<[], { name: string; value: string }>('SELECT name, value FROM study').all();
  const kept = new Map(rows.map(({ name, value }) => [name, value]));
  const other = Object.entries({ format: FORMAT, ...identity }).filter(
    ([name, value]) => kept.get(name) !== value,
  );
  if (other.length === 0) return;
  const shown = other.map(([name, value]) => `${name} was ${brief(kept.get(name))} and is ${brief(value)}`);
  throw new ConfigError(
    `${file} is another study: ${shown.join('; ')}. Name another file by --study to begin a new one; this one stays as it is`,
    { file },
  );
}

const BRIEF = 60;
const brief = (text = 'not stated'): string =>
  text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text || 'none';

function studyIn(database: Database, file: string): StudyFile {
  const find = database.prepare<[number, string], Row>(
    `SELECT state, ${DONE_COLUMNS} FROM trials WHERE window = ? AND key = ?`,
  );
  const insert = database.prepare(
    `INSERT OR IGNORE INTO trials (window, key, number, state, ${DONE_COLUMNS})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const counted = database.prepare<[number | null], { count: number }>(
    'SELECT count(*) AS count FROM trials WHERE window = coalesce(?, window)',
  );
  const book = database.transaction((trials: readonly BookedTrial[]) => {
    for (const { window, number, params, outcome } of trials) {
      const row = rowOf(outcome);
      insert.run(window, keyOf(params), number, row.state, ...DONE.map((name) => row[name] ?? null));
    }
  });
  return {
    file,
    outcome(window, params) {
      const row = find.get(window, keyOf(params));
      return row && outcomeOf(row);
    },
    book(trials) {
      atFile(file, () => book(trials), damaged);
    },
    count: (window) => counted.get(window ?? null)?.count ?? 0,
    close: () => database.close(),
  };
}

/** Columns of an outcome; the others are null. */
function rowOf(outcome: TrialOutcome): Pick<Row, 'state'> & Partial<Row> {
  const { state } = outcome;
  switch (state) {
    case 'failed':
    case 'crashed':
      return { state, why: outcome.why };
    case 'stopped':
      return {
        state,
        run_id: outcome.runId,
        objectives: JSON.stringify([outcome.objective]),
        ms: outcome.elapsedMs,
      };
    case 'done': {
      const { runId, objectives, why, headline, trades, fees, returns, elapsedMs } = outcome;
      return {
        state,
        run_id: runId,
        objectives: JSON.stringify(objectives),
        why,
        headline: JSON.stringify(HEADLINE.map((name) => headline[name])),
        trades,
        fees,
        returns: Buffer.from(returns.buffer, returns.byteOffset, returns.byteLength),
        ms: elapsedMs,
      };
    }
  }
}

function outcomeOf(row: Row): TrialOutcome {
  const { state, run_id: runId, ms } = row;
  if (state === 'failed' || state === 'crashed') return { state, why: row.why ?? '' };
  const objectives = JSON.parse(row.objectives ?? '[]') as (number | null)[];
  if (state === 'stopped')
    return { state, runId: runId ?? '', objective: objectives[0] ?? NaN, elapsedMs: ms ?? 0 };
  const values = JSON.parse(row.headline ?? '[]') as (number | null)[];
  return {
    state,
    runId: runId ?? '',
    objectives,
    why: row.why,
    headline: Object.fromEntries(HEADLINE.map((name, index) => [name, values[index] ?? null])) as Headline,
    trades: row.trades ?? 0,
    fees: row.fees ?? 0,
    returns: floatsOf(row.returns),
    elapsedMs: ms ?? 0,
  };
}

/** Numbers of a blob, copied, because a buffer of SQLite may be unaligned. */
function floatsOf(blob: Uint8Array | null): Float64Array {
  if (!blob) return new Float64Array(0);
  return new Float64Array(Uint8Array.from(blob).buffer);
}
