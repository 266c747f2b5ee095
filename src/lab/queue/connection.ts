import type { Pool, PoolClient } from 'pg';
import type PgBoss from 'pg-boss';
import type { Clock } from '../../core/clock.ts';
import { codeOf, ConfigError, messageOf, NoAnswerError } from '../../core/errors.ts';

/** Runs one statement. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** A statement of pg-boss, run by `query`. */
export const executorOf = (query: Query): PgBoss.Db => ({
  executeSql: async (text, values) => ({ rows: [...(await query(text, values))] }),
});

/** Packages that studies on a queue need, and nothing else does. */
const PACKAGES = 'pg-boss@10.4.2 pg@8.23.1';
/** Longest wait for a connection, and for the answer to one statement, in ms. */
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** Connections of one process: few, because a database has about a hundred for all. */
const CONNECTIONS = 3;
/** Wait before a statement is tried again, in ms: doubled each time. */
const AGAIN_MS = 100;
const AGAIN_MAX_MS = 5_000;

/**
 * Classes of SQLSTATE that a repetition may get past: connection, transaction rolled back, resources, lock not available,
 * the server's own stop or start, its disk.
 */
const PASSING = /^(08|40|53|57|58|55000|55P03|25P03)/;
/** Errors of the system that have no SQLSTATE, and those of the client without any code. */
const isPassing = (thrown: unknown): boolean => {
  const code = codeOf(thrown);
  if (code !== null && /^[0-9A-Z]{5}$/.test(code)) return PASSING.test(code);
  return thrown instanceof Error && !(thrown instanceof TypeError);
};

export type ConnectionOptions = Readonly<{
  /** Address with its password. */
  url: string;
  /** Address as messages name it. */
  shown: string;
  clock: Clock;
  /** Ends every wait. */
  signal: AbortSignal;
  /** Called when the database stops answering, with the reason, and with null when it answers again. */
  onTrouble: (why: string | null) => void;
}>;

/** Packages of the queue, loaded by the commands that need them alone. @throws {ConfigError} if they are not installed */
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
 * The database of a queue. A statement that meets a restart, a lost connection or a full disk is repeated until it is answered:
 * every statement here may be repeated, because each does the same when done twice.
 */
export class Connection {
  readonly boss: PgBoss;
  /** Statements that make the tables of pg-boss, for a transaction of one's own. */
  readonly bossTables: string;
  readonly #pool: Pool;
  readonly #options: ConnectionOptions;
  #isTroubled = false;

  private constructor(pool: Pool, boss: typeof PgBoss, options: ConnectionOptions & { schema: string }) {
    this.#pool = pool;
    this.#options = options;
    // An idle connection that breaks is replaced by the next statement, which reports what it meets.
    pool.on('error', () => undefined);
    // One that breaks within a transaction fails its statement; the event beside that would end the process.
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
   * @throws {NoAnswerError} when there is no answer
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

  /** Runs a statement until it is answered. @throws the database's error that no repetition gets past, or the stop */
  query: Query = async <Row>(text: string, values: readonly unknown[] = []) =>
    this.#repeated(async () => rowsOf(await this.#pool.query(text, [...values])) as readonly Row[]);

  /** Runs `work` in one transaction, and repeats all of it if the outcome is unknown. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#repeated(async () => {
      const client = await this.#pool.connect();
      try {
        const found = await within(client, work);
        client.release();
        return found;
      } catch (error) {
        // What the transaction left behind goes with its connection.
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

/** Rows of an answer; of several statements at once there are several answers, and their rows are not asked for. */
const rowsOf = (answer: { rows: unknown[] } | readonly unknown[]): readonly unknown[] =>
  'rows' in answer ? answer.rows : [];

/** Errors of authorisation, of an unknown user and an unknown database. */
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
