import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { epochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { type Front, pass } from './front.ts';
import { protocolError } from '../state/messages.ts';
import { nodeProtocolError, type RpcFront } from './rpcFront.ts';
import type { VenueReply } from '../state/constants.ts';

/** A request before it is routed. */
type Caller = Readonly<{
  /** As in the request line. */
  target: string;
  /** Alternating names and values, including repeated headers. */
  rawHeaders: readonly string[];
}>;

/** Status and reason of a refused request. */
type Refusal = Readonly<{ status: 400 | 403; why: string }>;

/** Names under which a page of another site cannot reach this machine. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
/** Values of `Sec-Fetch-Site` for a URL typed by a person, or a site's own pages: no page is served here. */
const OWN_FETCH = ['none', 'same-origin'];

const PROGRAMS: Refusal = { status: 403, why: 'only for programs on this machine' };

/**
 * Refuses requests that a web page could send in a user's name, and ambiguous ones. With `isLocal`, `Host` must also name
 * this machine.
 */
export function refusalOf({ target, rawHeaders }: Caller, isLocal: boolean): Refusal | null {
  const [host, ...others] = valuesOf('host', rawHeaders);
  if (host === undefined || others.length > 0) return { status: 400, why: 'a request has exactly one Host' };
  if (!target.startsWith('/')) return { status: 400, why: 'a target is a path alone' };
  const isOfPage =
    valuesOf('origin', rawHeaders).length > 0 ||
    valuesOf('sec-fetch-site', rawHeaders).some((site) => !OWN_FETCH.includes(site));
  return isOfPage || (isLocal && !LOOPBACK_HOST.test(host)) ? PROGRAMS : null;
}

const valuesOf = (name: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

/** Events of an incoming body. */
type BodyStream = Readonly<{
  on(event: 'data', hear: (chunk: Buffer) => void): unknown;
  on(event: 'end' | 'close', hear: () => void): unknown;
}>;

/** An unreadable body: the reason, and the HTTP status. */
class BodyError extends Error {
  readonly statusCode: 400 | 413;

  constructor(statusCode: 400 | 413, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/**
 * Reads the body of a request, whatever its method and content type, because all of it is signed. Empty for none.
 * @throws {BodyError} when it exceeds `most` bytes, is not UTF-8, or was cut short
 */
async function readBody(incoming: BodyStream, most: number): Promise<string> {
  const bytes = await allOf(incoming, most);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BodyError(400, 'the body is not UTF-8');
  }
}

function allOf(incoming: BodyStream, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isWhole = false;
    incoming.on('data', (chunk) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else reject(new BodyError(413, `the body is larger than ${most} bytes`));
    });
    incoming.on('end', () => {
      isWhole = true;
      resolve(Buffer.concat(chunks));
    });
    incoming.on('close', () => isWhole || reject(new BodyError(400, 'the body was cut short')));
  });
}

const BODY_MAX_BYTES = 256 * 1024;

type ServerOptions = Readonly<{
  front: Front;
  clock: Clock;
  /** Milliseconds by which its `Date` and `t` are ahead of the clock. */
  offsetMs: () => number;
  /** True when only this machine can connect. */
  isLocal: boolean;
  log: Log;
}>;

/** The venue over HTTP: every request, whatever its method, path and content type, goes unchanged to the front. */
export function createVenueServer({ front, clock, offsetMs, isLocal, log }: ServerOptions): FastifyInstance {
  const now = () => epochMs(clock.now() + offsetMs());
  const dated = (answer: VenueReply): VenueReply => ({
    ...answer,
    headers: { ...answer.headers, date: new Date(now()).toUTCString() },
  });
  return createServer({
    clock,
    isLocal,
    log,
    async answer(request, body) {
      const { method, originalUrl: uri, headers, ip } = request;
      const reply = await front({ method, uri, headers: singleHeaders(headers), body, ip });
      return reply && dated(reply);
    },
    outside: (status, why) => dated(protocolError(status, why, now())),
  });
}

type Parts = Readonly<{
  clock: Clock;
  isLocal: boolean;
  log: Log;
  /** Responds to a request that passed the checks; null breaks the connection. */
  answer: (request: FastifyRequest, body: string) => Promise<VenueReply | null>;
  /** Responds to input that never becomes a request to the venue or its node. */
  outside: (status: number, why: string) => VenueReply;
}>;

/** Creates a server with one handler: caller and size are checked before any routing. */
function createServer({ clock, isLocal, log, answer, outside }: Parts): FastifyInstance {
  const server = fastify({
    forceCloseConnections: true,
    rewriteUrl: () => '/',
    http: { requireHostHeader: false },
    clientErrorHandler: (error, socket) => endWith(socket, outside(...asStatus(error))),
  });
  server.server.on('checkExpectation', (...pair) => server.server.emit('request', ...pair));
  server.setErrorHandler((error, _request, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 500) log.error({ err: error }, 'the emulator failed to answer');
    const { status, headers, body } = outside(statusCode, messageOf(error));
    return reply.code(status).headers(headers).header('connection', 'close').send(body);
  });
  server.addHook('onRequest', async (request, reply) => {
    const key = request.headers['x-api-nonce'];
    const line = { reply, clock, key: typeof key === 'string' ? key : '' };
    const caller = { target: request.originalUrl, rawHeaders: request.raw.rawHeaders };
    const refusal = refusalOf(caller, isLocal);
    if (refusal) return write(line, outside(refusal.status, refusal.why));
    return write(line, await answer(request, await readBody(request.raw, BODY_MAX_BYTES)));
  });
  return server;
}

/** HTTP status and text of a parser error. */
function asStatus({ code }: Readonly<{ code?: string }>): [status: number, why: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the headers are too large'];
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? [408, 'the request took too long'] : [400, 'this is not HTTP'];
}

/** Responds on a connection that carried no valid request. */
export function endWith(socket: Socket, { status, headers, body }: VenueReply): void {
  if (!socket.writable) return void socket.destroy();
  const all = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

type Line = Readonly<{ reply: FastifyReply; clock: Clock; key: string }>;

/** Writes the response, or breaks the connection without one. */
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

type RpcServerOptions = Readonly<{ front: RpcFront; clock: Clock; isLocal: boolean; log: Log }>;

/** The node of the chain over HTTP: the body of every POST, whatever its path, goes unchanged to the front. */
export function createRpcServer({ front, clock, isLocal, log }: RpcServerOptions): FastifyInstance {
  return createServer({
    clock,
    isLocal,
    log,
    answer: ({ method }, body) =>
      method === 'POST' ? front(body) : Promise.resolve(nodeProtocolError(405, 'ask by POST')),
    outside: nodeProtocolError,
  });
}

/** Headers with a single value; repeated ones count as missing. */
const singleHeaders = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );

/** `option`: name of the option that sets the port. */
type Address = Readonly<{ host: string; port: number; option: 'port' | 'rpcPort' | 'controlPort' }>;

/**
 * Starts listening and returns the URL; port 0 takes a free port.
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
