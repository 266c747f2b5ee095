import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher, Pool } from 'undici';
import { messageOf } from '../../core/errors.ts';
import { RefusedRequest } from '../control/request.ts';
import type { Session } from './sessions.ts';
import { connectionTo, connectorOf, isUnconnected, originOf, pathAt, type DaemonPlace } from '../client.ts';

/** Finds the current address of a daemon; null while none runs. */
export type Reach = () => DaemonPlace | null;

/** Time limit in ms for the start of a response, and between its chunks: event streams send a keep-alive every 15 s. */
const READ_MS = 10_000;
const COMMAND_MS = 30_000;
const SILENCE_MS = 60_000;
/** Time in ms after which an idle connection is closed: shorter than a daemon's. */
const IDLE_MS = 2_000;

/** Browser headers passed on to a daemon, and its response headers passed back. */
const PASSED_ON = ['content-type', 'last-event-id', 'x-drover-mode', 'x-drover-account'];
const PASSED_BACK = ['content-type', 'cache-control', 'allow'];

/** Target of a request. `name`: of the daemon, for errors. `path`: of its API, with query. `session`: ends the response too. */
type Target = Readonly<{ name: string; reach: Reach; path: string; session: Pick<Session, 'atEnd'> }>;

/** Forwards a page's requests to daemons, and their responses back, including streams. A command is sent once, on its own connection. */
export class Forwarder {
  readonly #pools = new Map<string, Pool>();

  /** @throws {RefusedRequest} when the daemon does not respond; with `UNKNOWN` if a command may have been carried out */
  async forward(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, reach, path, session }: Target,
  ): Promise<FastifyReply> {
    const place = placeOf(name, reach);
    const answer = await this.#ask(request, place, path).catch((error: unknown) => {
      throw lost(error, name, request.method);
    });
    if (answer.statusCode === 401) {
      await answer.body.dump();
      throw new RefusedRequest('UNREACHABLE', `${name} does not take the token that the gateway has for it`);
    }
    const cancel = session.atEnd(() => answer.body.destroy());
    answer.body.once('close', cancel);
    for (const header of PASSED_BACK) {
      const value = answer.headers[header];
      if (value !== undefined) void reply.header(header, value);
    }
    return reply.code(answer.statusCode).send(answer.body);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  async #ask(
    { method, headers, body }: FastifyRequest,
    place: DaemonPlace,
    path: string,
  ): Promise<Dispatcher.ResponseData> {
    const isRead = method === 'GET';
    const dispatcher = isRead ? await this.#poolAt(place) : await connectionTo(place);
    const given = PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
    try {
      return await dispatcher.request({
        method: isRead ? 'GET' : 'POST',
        path: pathAt(place, path),
        headers: {
          ...(Object.fromEntries(given) as Record<string, string>),
          'x-drover-page': '1',
          'x-drover-client': 'page',
          ...('token' in place ? { authorization: `Bearer ${place.token}` } : {}),
        },
        body: isRead ? null : JSON.stringify(body ?? {}),
        headersTimeout: isRead ? READ_MS : COMMAND_MS,
        bodyTimeout: SILENCE_MS,
      });
    } finally {
      if (!isRead) void dispatcher.close();
    }
  }

  async #poolAt(place: DaemonPlace): Promise<Pool> {
    const key = 'socket' in place ? place.socket : place.url;
    const known = this.#pools.get(key);
    if (known) return known;
    const { Pool: PoolOf } = await import('undici');
    const pool = new PoolOf(originOf(place), { connect: connectorOf(place), keepAliveTimeout: IDLE_MS });
    this.#pools.set(key, pool);
    return pool;
  }
}

/** @throws {RefusedRequest} when no daemon runs, or its socket cannot be trusted */
function placeOf(name: string, reach: Reach): DaemonPlace {
  try {
    const place = reach();
    if (place !== null) return place;
  } catch (error) {
    throw new RefusedRequest('UNREACHABLE', `${name}: ${messageOf(error)}. Nothing was sent`);
  }
  throw new RefusedRequest('UNREACHABLE', `${name} does not run. Nothing was sent`);
}

/** Refusal for a daemon that did not respond. */
function lost(error: unknown, name: string, method: string): RefusedRequest {
  const why = `${name} does not answer: ${messageOf(error)}`;
  if (method === 'GET') return new RefusedRequest('UNREACHABLE', why);
  if (isUnconnected(error)) return new RefusedRequest('UNREACHABLE', `${why}. Nothing was sent`);
  return new RefusedRequest(
    'UNKNOWN',
    `${name} did not answer: unknown whether the command was carried out. Check the status before you repeat it`,
  );
}
