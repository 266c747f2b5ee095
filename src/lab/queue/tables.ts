import { ConfigError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import type { Connection, Query } from './connection.ts';

/** Schema of our own tables, and that of pg-boss. */
export const OWN = 'drover';
export const JOBS = 'drover_jobs';

/** Queue of this version: workers of other versions never see its slices. */
export const QUEUE = `slices-${VERSION}`;

/** Version of the table layout. */
const FORMAT = 1;

const SCHEMA = `
  CREATE SCHEMA IF NOT EXISTS ${OWN};
  CREATE TABLE ${OWN}.format (format int PRIMARY KEY);
  INSERT INTO ${OWN}.format VALUES (${FORMAT});
  CREATE TABLE ${OWN}.study (
    id text PRIMARY KEY,
    name text NOT NULL,
    version text NOT NULL,
    coordinator text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE ${OWN}.artifact (
    hash text PRIMARY KEY,
    parts int NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE ${OWN}.artifact_part (
    hash text NOT NULL,
    part int NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (hash, part)
  );
  ALTER TABLE ${OWN}.artifact_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE ${OWN}.result (
    study text NOT NULL REFERENCES ${OWN}.study ON DELETE CASCADE,
    run_id text NOT NULL,
    outcome text NOT NULL,
    returns bytea,
    PRIMARY KEY (study, run_id)
  );
  CREATE TABLE ${OWN}.trial (
    study text NOT NULL REFERENCES ${OWN}.study ON DELETE CASCADE,
    trial text NOT NULL,
    run_id text NOT NULL,
    PRIMARY KEY (study, trial)
  );
  CREATE TABLE ${OWN}.attempt (
    study text NOT NULL REFERENCES ${OWN}.study ON DELETE CASCADE,
    trial text NOT NULL,
    begun int NOT NULL,
    PRIMARY KEY (study, trial)
  );
  CREATE TABLE ${OWN}.worker (
    id text PRIMARY KEY,
    name text NOT NULL,
    version text NOT NULL,
    threads int NOT NULL,
    trials bigint NOT NULL DEFAULT 0,
    busy_ms float8 NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL DEFAULT now()
  );
`;

/** Key of `pg_advisory_xact_lock`: only one process creates the tables. */
const LOCK = 7_236_012;

/** True if a schema has a table, as of this statement. `to_regclass` may have cached that there was none. */
async function hasTable(query: Query, schema: string, table: string): Promise<boolean> {
  const found = await query('SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
    schema,
    table,
  ]);
  return found.length > 0;
}

/** True if the tables exist. @throws {ConfigError} for tables with another layout */
export async function hasTables(query: Query): Promise<boolean> {
  if (!(await hasTable(query, OWN, 'format')) || !(await hasTable(query, JOBS, 'version'))) return false;
  const [row] = await query<{ format: number }>(`SELECT format FROM ${OWN}.format`);
  if (row?.format === FORMAT) return true;
  throw new ConfigError(
    `the tables of this queue have the form ${row?.format ?? 'of nothing'}, and drover ${VERSION} knows ${FORMAT}: use one version of drover everywhere, or another database`,
  );
}

/** Creates the tables if they are missing, and the queue of this version. */
export async function makeTables(connection: Connection): Promise<void> {
  const { boss, query: outside, bossTables } = connection;
  if (!(await hasTables(outside)))
    await connection.transaction(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(${LOCK})`);
      if (!(await hasTable(query, OWN, 'format'))) await query(SCHEMA);
      if (!(await hasTable(query, JOBS, 'version'))) await query(bossTables);
    });
  await boss.start();
  if (!(await boss.getQueue(QUEUE))) await boss.createQueue(QUEUE, QUEUE_OPTIONS);
}

/** A slice is retried until some worker completes it; trials that crash their workers are counted separately. */
const QUEUE_OPTIONS = { name: QUEUE, policy: 'standard', retryLimit: 1_000_000_000, retryDelay: 0 } as const;
