import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { ConfigError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Front } from './front.ts';
import { gatewayReply, type VenueReply } from './reply.ts';
import type { RpcFront } from './rpc/rpcFront.ts';
import { pass } from './trip.ts';

/** Largest body that is read. */
const BODY_MAX_BYTES = 256 * 1024;

export type ServerOptions = Readonly<{
  front: Front;
  clock: Clock;
  /** How far the time that it tells is ahead of the clock. */
  offsetMs: () => number;
  log: Log;
}>;

/** The venue over HTTP: every request, whatever its path, goes to the front as it came. */
export function createVenueServer({ front, clock, offsetMs, log }: ServerOptions): FastifyInstance {
  const server = fastify({ bodyLimit: BODY_MAX_BYTES, forceCloseConnections: true, rewriteUrl: () => '/' });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const dated = (answer: VenueReply): VenueReply => ({
    ...answer,
    headers: { ...answer.headers, date: new Date(clock.now() + offsetMs()).toUTCString() },
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
    const key = request.headers['x-api-nonce'];
    return write({ reply, clock, key: typeof key === 'string' ? key : '' }, answer && dated(answer));
  });
  return server;
}

type Line = Readonly<{ reply: FastifyReply; clock: Clock; key: string }>;

/** Without an answer, the connection breaks. */
async function write({ reply, clock, key }: Line, answer: VenueReply | null): Promise<FastifyReply> {
  if (!answer) {
    reply.hijack();
    reply.raw.socket?.destroy();
    return reply;
  }
  const { status, headers, body, slowMs, interim } = answer;
  if (interim) {
    reply.raw.writeProcessing();
    reply.raw.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
  }
  if (slowMs === undefined) return reply.code(status).headers(headers).send(body);
  reply.hijack();
  const half = Math.ceil(body.length / 2);
  reply.raw.writeHead(status, headers).write(body.slice(0, half));
  await pass(clock, key, slowMs);
  reply.raw.end(body.slice(half));
  return reply;
}

export type RpcServerOptions = Readonly<{ front: RpcFront; clock: Clock; log: Log }>;

/** The node of the chain over HTTP: the body of every POST, whatever its path, goes to the front as it came. */
export function createRpcServer({ front, clock, log }: RpcServerOptions): FastifyInstance {
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
    return write({ reply, clock, key: '' }, answer);
  });
  return server;
}

/** A header that came twice is none. */
const singleHeaders = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );

/** `option`: the one that names the port. */
export type Address = Readonly<{ host: string; port: number; option: 'port' | 'rpcPort' | 'controlPort' }>;

/**
 * Starts to listen; port 0 takes a free one. Gives the URL.
 * @throws {ConfigError} naming the option, when the port is taken, or the host is not one of this machine's
 */
export async function listen(server: FastifyInstance, { host, port, option }: Address): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    const details = { host, port, option, reason: (cause as NodeJS.ErrnoException).code };
    throw new ConfigError(`cannot listen on ${host}:${port}: ${messageOf(cause)}`, details, { cause });
  }
  const bound = server.server.address();
  const taken = typeof bound === 'object' && bound ? bound.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}
