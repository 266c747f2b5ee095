import { fastify, type FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { ConfigError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Front } from './front.ts';
import { gatewayReply, type VenueReply } from './reply.ts';
import type { RpcFront } from './rpc/rpcFront.ts';

/** Largest body that is read. */
const BODY_MAX_BYTES = 256 * 1024;

export type ServerOptions = Readonly<{ front: Front; clock: Clock; log: Log }>;

/** The venue over HTTP: every request, whatever its path, goes to the front as it came. */
export function createVenueServer({ front, clock, log }: ServerOptions): FastifyInstance {
  const server = fastify({ bodyLimit: BODY_MAX_BYTES, forceCloseConnections: true, rewriteUrl: () => '/' });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const dated = ({ status, headers, body }: VenueReply) => ({
    ...{ status, body },
    headers: { ...headers, date: new Date(clock.now()).toUTCString() },
  });
  server.setErrorHandler((error, _request, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 500) log.error({ err: error }, 'the emulator failed to answer');
    const { status, headers, body } = dated(gatewayReply(statusCode));
    return reply.code(status).headers(headers).send(body);
  });
  server.all('/', async (request, reply) => {
    const answer = await front({
      method: request.method,
      uri: request.originalUrl,
      headers: singleHeaders(request.headers),
      body: typeof request.body === 'string' ? request.body : '',
      ip: request.ip,
    });
    if (!answer) {
      reply.hijack();
      request.raw.socket.destroy();
      return reply;
    }
    const { status, headers, body } = dated(answer);
    return reply.code(status).headers(headers).send(body);
  });
  return server;
}

export type RpcServerOptions = Readonly<{ front: RpcFront; log: Log }>;

/** The node of the chain over HTTP: the body of every POST, whatever its path, goes to the front as it came. */
export function createRpcServer({ front, log }: RpcServerOptions): FastifyInstance {
  const server = fastify({ bodyLimit: BODY_MAX_BYTES, forceCloseConnections: true, rewriteUrl: () => '/' });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.setErrorHandler((error, _request, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 500) log.error({ err: error }, 'the node of the emulator failed to answer');
    return reply.code(statusCode).send('');
  });
  server.post('/', async ({ body }, reply) => {
    const answer = await front(typeof body === 'string' ? body : '');
    return reply.header('content-type', 'application/json').send(answer);
  });
  return server;
}

/** A header that came twice is none. */
const singleHeaders = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );

export type Address = Readonly<{ host: string; port: number }>;

/**
 * Starts to listen; port 0 takes a free one. Gives the URL.
 * @throws {ConfigError} when the port is taken, or the host is not one of this machine's
 */
export async function listen(server: FastifyInstance, { host, port }: Address): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    throw new ConfigError(`cannot listen on ${host}:${port}: ${messageOf(cause)}`, { host, port }, { cause });
  }
  const bound = server.server.address();
  const taken = typeof bound === 'object' && bound ? bound.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}
