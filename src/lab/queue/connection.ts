import type { Pool, PoolClient } from 'pg';
import type PgBoss from 'pg-boss';
import type { Clock } from '../../core/clock.ts';
import { codeOf, ConfigError, messageOf, NoAnswerError } from '../../core/errors.ts';

/** Runs one statement. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Executor for statements of pg-boss, which runs them by `query`. */
export const executorOf = (query: Query): PgBoss.Db => ({
  executeSql: async (text, values) => ({ rows: [...(await query(text, values))] }),
});

/** Packages that only studies on a queue need. */
const PACKAGES = 'pg-boss@10.4.2 pg@8.23.1';
/** Timeout in ms for a connection, and for each statement. */
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** Number of connections per process: few, because a database has about a hundred in total. */
const CONNECTIONS = 3;
/** Initial wait before a statement is retried, in ms; doubled each time. */
const AGAIN_MS = 100;
const AGAIN_MAX_MS = 5_000;

/**
 * SQLSTATE classes for which a retry may succeed: connection, transaction rolled back, resources, lock not available,
 * server shutdown or start, its disk.
 */
const PASSING = /^(08|40|53|57|58|55000|55P03|25P03)/;
/** True for an error that may pass, including system errors without a SQLSTATE and client errors without a code. */
const isPassing = (thrown: unknown): boolean => {
  const code = codeOf(thrown);
  if (code !== null && /^[0-9A-Z]{5}$/.test(code)) return PASSING.test(code);
  return thrown instanceof Error && !(thrown instanceof TypeError);
};

export type ConnectionOptions = Readonly<{
  /** Address including the password. */
  url: string;
  /** Address as shown in messages. */
  shown: string;
  clock: Clock;
  /** Ends all waits. */
  signal: AbortSignal;
  /** Called with the reason when the database stops responding, and with null when it responds again. */
  onTrouble: (why: string | null) => void;
}>;

/** Packages of the queue, loaded only by commands that need them. @throws {ConfigError} if they are not installed */
async function packages() {
  try {
    const [pg, boss] = await Promise.all([import('pg'), import('pg-boss')]);
    return { Pool: pg.default.Pool, Boss: boss.default };
  } catch (cause) {
    if (codeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new ConfigError(
      `a study on a queue needs two packages that are not installed. Run: npm install ${PACKAGES}`,
      {},
      { cause },
    );
  }
}

/**
 * Database of a queue. A statement that meets a restart, a lost connection or a full disk is retried until it succeeds:
 * all statements here are idempotent.
 */
export class Connection {
  readonly boss: PgBoss;
  /** Statements that create the tables of pg-boss, to run in our own transaction. */
  readonly bossTables: string;
  readonly #pool: Pool;
  readonly #options: ConnectionOptions;
  #isTroubled = false;

  private constructor(pool: Pool, boss: typeof PgBoss, options: ConnectionOptions & { schema: string }) {
    this.#pool = pool;
    this.#options = options;
    // A broken idle connection is replaced by the next statement, which reports any error.
    pool.on('error', () => undefined);
    // A connection that breaks within a transaction fails its statement; the event would otherwise end the process.
    pool.on('connect', (client) => void client.on('error', () => undefined));
    this.boss = new boss({
      db: executorOf((text, values) => this.query(text, values)),
      schema: options.schema,
      supervise: false,
      schedule: false,
      migrate: false,
    });
    this.boss.on('error', () => undefined);
    this.bossTables = boss
      .getConstructionPlans(options.schema)
      .replace(/^\s*BEGIN;/, '')
      .replace(/COMMIT;\s*$/, '');
  }

  /**
   * Connects. @param schema of pg-boss
   * @throws {ConfigError} for a wrong user, password or database
   * @throws {NoAnswerError} when there is no response
   */
  static async open(options: ConnectionOptions, schema: string): Promise<Connection> {
    const { Pool, Boss } = await packages();
    const pool = new Pool({
      connectionString: options.url,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      application_name: 'drover',
    });
    const connection = new Connection(pool, Boss, { ...options, schema });
    try {
      await pool.query('SELECT 1');
      return connection;
    } catch (cause) {
      await pool.end();
      throw firstError(cause, options.shown);
    }
  }

  /** Runs a statement until it succeeds. @throws the database's error if retrying cannot help, or the stop */
  query: Query = async <Row>(text: string, values: readonly unknown[] = []) =>
    this.#repeated(async () => rowsOf(await this.#pool.query(text, [...values])) as readonly Row[]);

  /** Runs `work` in one transaction, and repeats it as a whole if the outcome is unknown. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#repeated(async () => {
      const client = await this.#pool.connect();
      try {
        const found = await within(client, work);
        client.release();
        return found;
      } catch (error) {
        // Discards the connection, with anything the transaction left behind.
        client.release(true);
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    const { clock, signal, onTrouble } = this.#options;
    for (let wait = AGAIN_MS; ; wait = Math.min(wait * 2, AGAIN_MAX_MS)) {
      try {
        const found = await work();
        if (this.#isTroubled) onTrouble(null);
        this.#isTroubled = false;
        return found;
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw error;
        if (!this.#isTroubled) onTrouble(messageOf(error));
        this.#isTroubled = true;
        await clock.sleep(wait, signal);
      }
    }
  }
}

async function within<T>(client: PoolClient, work: (query: Query) => Promise<T>): Promise<T> {
  const query: Query = async <Row>(text: string, values: readonly unknown[] = []) =>
    rowsOf(await client.query(text, [...values])) as readonly Row[];
  await query('BEGIN');
  const found = await work(query);
  await query('COMMIT');
  return found;
}

/** Rows of a result. Several statements at once give several results, whose rows are not needed. */
const rowsOf = (answer: { rows: unknown[] } | readonly unknown[]): readonly unknown[] =>
  'rows' in answer ? answer.rows : [];

/** SQLSTATE codes of failed authorisation, an unknown user and an unknown database. */
const WRONG = ['28P01', '28000', '3D000'];

function firstError(cause: unknown, shown: string): Error {
  const why = messageOf(cause) || (codeOf(cause) ?? 'no reason known');
  if (WRONG.includes(codeOf(cause) ?? ''))
    return new ConfigError(
      `the queue ${shown} refuses: ${why}. Correct user and database in --queue, and the password in DROVER_QUEUE or the file of --queue-password`,
      {},
      { cause },
    );
  return new NoAnswerError(
    `the queue ${shown} does not answer: ${why}. Start the database, or correct --queue`,
    {},
    { cause },
  );
}
