import type { FastifyInstance } from 'fastify';
import type { Host } from '../../core/clock.ts';
import { codeOf, ConfigError, messageOf, orElse } from '../../core/errors.ts';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Address of a TCP listener. `port` 0 picks one, preferably that of the last run on the state folder. */
export type Listen = Readonly<{ host: string; port: number }>;

/** A listening server. `url`: without a trailing slash. */
export type Listener = Readonly<{ server: FastifyInstance; url: string }>;

/** `stateDir`: folder that remembers the port; null for none. `what`: name in errors. */
type ListenParts = Readonly<{ listen: Listen; stateDir: string | null; what: string }>;

/**
 * Makes a server listen on TCP. `create`: creates the server anew for each attempt.
 * @throws {ConfigError} when the address cannot be used
 */
export async function listenOnTcp(
  create: () => FastifyInstance,
  { listen, stateDir, what }: ListenParts,
): Promise<Listener> {
  const { host, port } = listen;
  const last = port === 0 && stateDir !== null ? lastPort(stateDir) : port;
  const server =
    last === port
      ? await bound(create(), { host, port }, what)
      : await bound(create(), { host, port: last }, what).catch(() => bound(create(), listen, what));
  const address = server.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  if (port === 0 && stateDir !== null) keepPort(stateDir, taken);
  return { server, url: `http://${host}:${taken}` };
}

async function bound(
  server: FastifyInstance,
  { host, port }: Listen,
  what: string,
): Promise<FastifyInstance> {
  try {
    await server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port });
    return server;
  } catch (cause) {
    await server.close();
    const remedy =
      codeOf(cause) === 'EADDRINUSE'
        ? 'Name another port, or 0 for any that is free'
        : 'Name another address';
    throw new ConfigError(
      `${what}: cannot listen on ${host}:${port}: ${messageOf(cause)}. ${remedy}. Nothing was started`,
      { host, port },
      { cause },
    );
  }
}

/** URL with which this machine reaches a listener on all its addresses. */
export const reachable = (url: string): string =>
  url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, 'http://127.0.0.1');

/** Time in ms for the last responses to be sent. */
const FAREWELL_MS = 1_000;

/** Closes a server: idle connections immediately, others once they have their responses. */
export async function closeServer(server: FastifyInstance, host: Pick<Host, 'after'>): Promise<void> {
  const cancel = host.after(FAREWELL_MS, () => server.server.closeAllConnections());
  await server.close();
  cancel();
}

const PORT_FILE = 'control.port';

/** Port of the last run on a state folder, so that an open page finds the next run; 0 if unknown. */
export const lastPort = (stateDir: string): number =>
  orElse(() => {
    const file = join(stateDir, PORT_FILE);
    const [, port = '0'] =
      (lstatSync(file).isFile() && /^(\d{1,5})\n$/.exec(readFileSync(file, 'utf8'))) || [];
    return Number(port) < 65_536 ? Number(port) : 0;
  }, 0);

/** Remembers a run's port in its state folder if that is writable; otherwise the next run takes any port. */
export const keepPort = (stateDir: string, port: number): void =>
  orElse(() => {
    const file = join(stateDir, PORT_FILE);
    rmSync(file, { force: true });
    writeFileSync(file, `${port}\n`, { flag: 'wx', mode: 0o600 });
  }, undefined);
