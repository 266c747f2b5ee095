import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket, Server } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { codeOf } from '../../core/errors.ts';
import { toJson } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { DaemonIdentity } from '../daemon.ts';
import { addPage, isPagePath, type PageFiles } from '../page/files.ts';
import { callerOf, checkArrival, isFromPage, TOKEN_IN_URL, type Door } from './access.ts';
import { refusalBody, RefusedRequest, STATUS_BY_CODE, type Caller, type RefusalCode } from './request.ts';
import { patternOf, type Call, type Reply, type Route } from './route.ts';
import { failureOf } from './problems.ts';

/** Maximum size of a command's body, in bytes. */
const BODY_MAX_BYTES = 64 * 1024;
/** Maximum size of a request's headers, in bytes. */
const HEADERS_MAX_BYTES = 8 * 1024;
/** Maximum time for a request's headers, and for the whole request, in ms. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
/** Time after which an idle connection is closed, in ms. */
const IDLE_MS = 5_000;
/** Interval between two checks for slow requests, in ms. */
const CHECK_MS = 1_000;
/** Maximum length of an id in a URL, in characters: a file name of 255 bytes, each escaped. */
const ID_MAX = 765;

export type ServerParts = Readonly<{
  routes: readonly Route[];
  /** Run that receives the commands; null if other processes run it. */
  identity: DaemonIdentity | null;
  /** Files of the page; absent if none is served. */
  page?: PageFiles | undefined;
  /** False until the run has read its journal. */
  hasBegun: () => boolean;
  door: Door;
  clock: Pick<Clock, 'monotonic'>;
  secrets: Secrets;
  log: Log;
}>;

/** One listener of the control API. Requests that reach a route passed the checks of host, page, token, role and rate. */
export function createControlServer(parts: ServerParts): FastifyInstance {
  const server = fastify({
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: ID_MAX },
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    keepAliveTimeout: IDLE_MS,
    requestTimeout: REQUEST_MS,
    http: {
      requireHostHeader: false,
      maxHeaderSize: HEADERS_MAX_BYTES,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    clientErrorHandler: (error, socket) => endWith(socket, error),
    // A URL that the router cannot parse never reaches the hooks.
    frameworkErrors(_error, _request, reply) {
      void refuse(reply.headers(PRIVATE).header('connection', 'close'), 'USAGE', UNREADABLE);
    },
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
  });
  server.removeContentTypeParser('text/plain');
  const rates = new Rates(parts.clock);
  guard(server, { ...parts, rates, connections: new Connections(server.server) });
  server.setErrorHandler((error, _request, reply) => {
    const { code, message } = refusalOf(
      isGuess(error) && !rates.take('failed', '') ? TOO_MANY_GUESSES : error,
      parts,
    );
    return refuse(reply, code, message);
  });
  server.setNotFoundHandler((request, reply) => {
    const { code, message, allow } = absenceOf(request, parts.routes);
    return refuse(allow === null ? reply : reply.header('allow', allow), code, message);
  });
  for (const route of parts.routes) addRoute(server, route, parts);
  if (parts.page) addPage(server, parts.page);
  return server;
}

/** Refusal of a URL without an endpoint, or with another method; `allow`: the methods it supports. */
function absenceOf(
  { method, originalUrl }: FastifyRequest,
  routes: readonly Route[],
): Readonly<{ code: RefusalCode; message: string; allow: string | null }> {
  const [path = ''] = originalUrl.split('?');
  const here = routes.filter((route) => patternOf(route).test(path));
  if (here.length === 0) return { code: 'NOT_FOUND', message: NO_ENDPOINT, allow: null };
  const allow = [...new Set(here.map((route) => route.method))].join(', ');
  const message = `${method} is not possible here: this endpoint takes ${allow}. Nothing was done`;
  return { code: 'METHOD', message, allow };
}

const NO_ENDPOINT = 'there is no such endpoint: GET /v1/openapi.json lists all';
const UNREADABLE = 'this address cannot be read: GET /v1/openapi.json lists all';

const refuse = (reply: FastifyReply, code: RefusalCode, message: string): FastifyReply =>
  reply
    .code(STATUS_BY_CODE[code])
    .type('application/json')
    .send(toJson(refusalBody(code, message)));

/** Headers of every response: not to be cached, and no guessing of its type. */
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

type GuardParts = ServerParts & Readonly<{ rates: Rates; connections: Connections }>;

/** Checks every request before routing, and marks every response as private. */
function guard(server: FastifyInstance, parts: GuardParts): void {
  const { door, hasBegun, secrets, rates, connections } = parts;
  const placeAt = placesOf(parts);
  // oxlint-disable-next-line typescript/require-await -- an error refuses the request only through a promise
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(PRIVATE);
    const { method, originalUrl: target, raw } = request;
    const { isPage, isOpen, isHealth } = placeAt(method, target);
    checkArrival({ method, target, rawHeaders: raw.rawHeaders }, door);
    if (secrets.redact(target) !== target) throw new RefusedRequest('USAGE', TOKEN_IN_URL);
    const caller = callerOf(raw.rawHeaders, door) ?? (isOpen ? NOBODY : null);
    if (caller === null)
      throw new RefusedRequest('UNAUTHORIZED', 'no valid token: send it as `Authorization: Bearer TOKEN`');
    if (caller !== NOBODY) connections.admit(raw.socket);
    if (
      !isHealth &&
      !rates.take(method === 'GET' ? 'read' : 'steer', caller.way === 'nobody' ? '' : caller.role)
    )
      throw new RefusedRequest('RATE', 'too many requests: nothing was done, ask again in a second');
    if (method !== 'GET' && !isOpen) requireOperator(caller);
    if (method !== 'GET') checkCommand(request, caller, parts);
    if (!hasBegun() && !isPage)
      throw new RefusedRequest('STARTING', 'the run is reading its journal: ask again');
    renew(caller, reply, door);
    callers.set(request.raw, caller);
  });
  // The rest of an unwanted body is not read: its connection ends with the response.
  server.addHook('onSend', ({ raw }, reply) => {
    if (!raw.complete) reply.header('connection', 'close');
    return Promise.resolve();
  });
}

/** Classification of a URL. `isOpen`: needs no role; `isHealth`: monitors may poll it freely. */
type Place = Readonly<{ isPage: boolean; isOpen: boolean; isHealth: boolean }>;

function placesOf({ routes, page }: ServerParts): (method: string, target: string) => Place {
  const byAddress = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  return (method, target) => {
    const isPage = page !== undefined && method === 'GET' && isPagePath(target);
    const { isOpen = isPage, isHealth = false } = byAddress.get(`${method} ${target.split('?')[0]}`) ?? {};
    return { isPage, isOpen, isHealth };
  };
}

function requireOperator(caller: Caller): void {
  if (caller.role !== 'operate')
    throw new RefusedRequest('FORBIDDEN', 'the read role may only look: a command needs the operate role');
}

/** Refuses a command sent with a cookie but not by the page, and one meant for another run. */
function checkCommand(request: FastifyRequest, caller: Caller, { identity }: ServerParts): void {
  if (caller.way === 'page' && !isFromPage(request.raw.rawHeaders))
    throw new RefusedRequest(
      'FORBIDDEN',
      'a command by cookie needs the header x-drover-page: 1. Nothing was done',
    );
  if (identity !== null) checkAddressee(request, identity);
}

/** Extends the session of a page in use. */
function renew({ session }: Caller, reply: FastifyReply, door: Door): void {
  const cookie = session && door.kind === 'tcp' ? door.sessions?.renewal(session) : undefined;
  if (cookie) void reply.header('set-cookie', cookie);
}

const NOBODY: Caller = { role: 'read', by: 'nobody', money: false, door: 'tcp', way: 'nobody' };
/** Callers of the requests in progress. */
const callers = new WeakMap<IncomingMessage, Caller>();

/** True for a request with an unknown token, code or cookie: these are counted together. */
const isGuess = (error: unknown): boolean => error instanceof RefusedRequest && error.code === 'UNAUTHORIZED';

const TOO_MANY_GUESSES = new RefusedRequest('RATE', 'too many requests without a valid token: wait');

/** Refuses a command addressed to a mode or account other than this run's. */
function checkAddressee({ headers }: FastifyRequest, { mode, account }: DaemonIdentity): void {
  const meant = [
    ['mode', headers['x-drover-mode'], mode],
    ['account', headers['x-drover-account'], account],
  ] as const;
  for (const [what, named, own] of meant)
    if (named !== undefined && named !== own)
      throw new RefusedRequest(
        'SAFETY',
        `the command is for the ${what} ${String(named)}, and this run is of the ${what} ${own}. Nothing was done`,
      );
}

function addRoute(server: FastifyInstance, route: Route, { secrets }: ServerParts): void {
  server.route({
    method: route.method,
    url: route.path,
    async handler({ raw, params, query, body }, reply) {
      const caller = callers.get(raw) ?? NOBODY;
      if (route.isMoney && !caller.money)
        throw new RefusedRequest(
          'FORBIDDEN',
          'orders and transfers over TCP need `control.money: true` in the config. Nothing was done',
        );
      const call = {
        caller,
        params: params as Record<string, string>,
        query,
        body,
      };
      const answer = await answerOf(route, call, reply);
      if (answer === null) return reply;
      const { status, body: value, type = 'application/json' } = answer;
      const text = typeof value === 'string' ? value : toJson(value);
      return reply.code(status).type(type).send(secrets.redact(text));
    },
  });
}

/** Parameters of an endpoint without any. */
const NOTHING = z.strictObject({});

async function answerOf(route: Route, call: Call, reply: FastifyReply): Promise<Reply | null> {
  try {
    // Ignoring an unknown parameter would return more than was asked for.
    if (route.method === 'GET' && !route.query && route.answer !== null && !route.isHealth)
      NOTHING.parse(call.query);
    return await route.handle(call, reply);
  } catch (error) {
    throw failureOf(error, route, call);
  }
}

/** Code and message of a failure. An unexpected one is logged, and not shown. */
function refusalOf(
  thrown: unknown,
  { secrets, log }: ServerParts,
): Readonly<{ code: RefusalCode; message: string }> {
  if (thrown instanceof RefusedRequest) return { code: thrown.code, message: secrets.redact(thrown.message) };
  const { statusCode = 500 } = thrown as { statusCode?: number };
  if (statusCode === 413)
    return { code: 'TOO_LARGE', message: `a body has at most ${BODY_MAX_BYTES} bytes. Nothing was done` };
  if (statusCode < 500)
    return { code: 'USAGE', message: 'the body of a command is one JSON object. Nothing was done' };
  log.error({ err: thrown }, 'the control API failed to answer');
  return { code: 'INTERNAL', message: 'this failed unexpectedly: the log of the run says more' };
}

/** Refusals of input that never became a request, by Node's codes; any other is not HTTP. */
const UNREAD: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'HEADERS_TOO_LARGE',
    `the headers of a request have at most ${HEADERS_MAX_BYTES} bytes`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['TIMEOUT', `a request arrives within ${REQUEST_MS / 1_000} s`],
};
const NOT_HTTP = ['USAGE', 'this is not a readable HTTP request'] as const;

/** Closes a connection whose request cannot be read. */
function endWith(socket: Socket, error: Error): void {
  const [code, why] = UNREAD[codeOf(error) ?? ''] ?? NOT_HTTP;
  const status = STATUS_BY_CODE[code];
  const body = toJson(refusalBody(code, `${why}. Nothing was done`));
  const headers = {
    ...PRIVATE,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}connection: close\r\n\r\n`;
  if (socket.writable) socket.write(head + body);
  socket.destroy();
}

/** Maximum number of connections without a known caller: the oldest makes room for a new one. */
const STRANGERS_MAX = 100;
/** Maximum number of connections of a listener: further ones are closed, so that the run keeps its file descriptors. */
const CONNECTIONS_MAX = 200;

/** Connections of a listener. Those that merely occupy a slot, idle or byte by byte, displace only each other, never a known caller. */
class Connections {
  /** Connections without a known caller, oldest first. */
  readonly #strangers = new Set<Socket>();

  constructor(server: Server) {
    server.maxConnections = CONNECTIONS_MAX;
    server.on('connection', (socket) => this.#add(socket));
  }

  /** Records that a known caller uses a connection. */
  admit(socket: Socket): void {
    this.#strangers.delete(socket);
  }

  #add(socket: Socket): void {
    const [oldest] = this.#strangers;
    if (oldest && this.#strangers.size >= STRANGERS_MAX) {
      this.#strangers.delete(oldest);
      oldest.destroy();
    }
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
  }
}

/** Rate limits of a listener, per role. Failed authentications of all callers count together. */
const ALLOWANCES = {
  read: { perSecond: 50, burst: 100 },
  steer: { perSecond: 10, burst: 20 },
  failed: { perSecond: 1, burst: 5 },
} as const satisfies Record<string, Readonly<{ perSecond: number; burst: number }>>;

/** Request rates by kind and caller, as token buckets on the machine's monotonic clock. */
class Rates {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Consumes one request of a kind; false if the caller has none left now. */
  take(kind: keyof typeof ALLOWANCES, caller: string): boolean {
    const { perSecond, burst } = ALLOWANCES[kind];
    const now = this.#clock.monotonic();
    const key = `${kind} ${caller}`;
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + ((now - at) * perSecond) / 1_000);
    const isAllowed = filled >= 1;
    this.#buckets.set(key, { left: isAllowed ? filled - 1 : filled, at: now });
    return isAllowed;
  }
}
