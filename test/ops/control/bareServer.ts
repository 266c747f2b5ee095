import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { machine } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import type { Door } from '../../../src/ops/control/access.ts';
import { ok, type Route } from '../../../src/ops/control/route.ts';
import { createControlServer } from '../../../src/ops/control/server.ts';

export const READ = 'r'.repeat(32);
export const OPERATE = 'o'.repeat(32);

const reads = (path: string): Route => ({
  method: 'GET',
  path,
  summary: 'A test.',
  answer: z.looseObject({}),
  handle: ({ query }) => ok({ query }),
});

const steers = (path: string): Route => ({
  method: 'POST',
  path,
  summary: 'A test.',
  answer: z.looseObject({}),
  handle: ({ body, caller }) => ok({ body, by: caller.by }),
});

/** Routes of a server without a run behind it. */
const routes: readonly Route[] = [
  reads('/v1/status'),
  reads('/v1/commands/:id'),
  steers('/v1/trade'),
  { ...steers('/v1/orders'), isMoney: true },
];

export type BareServer = Readonly<{
  server: FastifyInstance;
  port: number;
  /** Connections that it has taken, in order. */
  connections: readonly Socket[];
  close: () => Promise<void>;
}>;

const TCP: Door = {
  kind: 'tcp',
  host: '127.0.0.1',
  tokens: { read: READ, operate: OPERATE },
  allowsMoney: () => false,
};

/** A listener of the control API on a free port, with a few endpoints and no run. */
export async function bareServer(door: Door = TCP): Promise<BareServer> {
  const identity = {
    mode: 'emulator',
    account: 'an emulated account',
    version: '0',
    stateDir: '/nowhere',
    pid: 1,
    startedAt: '2026-06-15T00:00:00.000Z',
    killFiles: [],
  } as const;
  const server = createControlServer({
    routes,
    identity,
    hasBegun: () => true,
    door,
    clock: { monotonic: () => performance.now() },
    secrets: new Secrets(),
    log: silentLog,
  });
  const connections: Socket[] = [];
  server.server.on('connection', (socket) => connections.push(socket));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  const close = async () => {
    server.server.closeAllConnections();
    await server.close();
  };
  return {
    server,
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    connections,
    close,
  };
}

/** Resolves once `isSo` returns true. @throws after 3 s */
export async function until(isSo: () => boolean): Promise<void> {
  const from = performance.now();
  while (!isSo()) {
    if (performance.now() - from > 3_000) throw new Error('it never came to be so');
    await new Promise<void>((resolve) => {
      machine.after(5, resolve);
    });
  }
}
