import type { Dispatcher } from 'undici';
import {
  ConfigError,
  messageOf,
  OutcomeUnknownError,
  UnreachableError,
  type DroverError,
} from '../core/errors.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { isLoopbackHost } from '../core/loopback.ts';
import { LATE_MS, type RawResponse, type Transport, type TransportRequest } from './transport.ts';

type BaseUrl = Readonly<{
  /** Scheme, host and port. */
  origin: string;
  /** The context path before `/api/v1`, which is sent but never signed. Empty or without a trailing slash. */
  prefix: string;
}>;

/** @throws {ConfigError} for anything but https, or http on loopback, with at most a path */
export function parseBaseUrl(text: string): BaseUrl {
  const wrong = (what: string) => new ConfigError(`venue base URL: ${what}`);
  if (!URL.canParse(text)) throw wrong(`${JSON.stringify(text)} is not a URL`);
  const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(text);
  if (username || password || search || hash) throw wrong('must carry no user, query or fragment');
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname)))
    throw wrong(`${origin} must be https; http is for loopback alone`);
  const prefix = pathname.replace(/\/+$/, '');
  if (/\/api\/v1(\/|$)/.test(prefix)) throw wrong('ends before /api/v1, which the client adds');
  return { origin, prefix };
}

/** `due`: on the clock's monotonic scale, so that setting the clock does not change a limit. */
type Limit = { readonly due: number; readonly expire: () => void; place: number };

/** Time limits of all requests in flight, with one timer for the earliest of them. */
export class TimeLimits {
  readonly #clock: Clock;
  /**
   * Limits in an array. Each knows its index, and the last one moves into a freed slot. A `Set` would leave garbage tables
   * behind: at thousands of requests a second that costs more than everything else.
   */
  readonly #limits: Limit[] = [];
  #cancel: Cancel = () => undefined;
  #wakeAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once `ms` have passed, unless cancelled before. */
  add(ms: number, expire: () => void): Cancel {
    const limit = { due: this.#clock.monotonic() + ms, expire, place: this.#limits.length };
    this.#limits.push(limit);
    this.#arm(limit.due);
    return () => {
      this.#remove(limit);
      if (this.#limits.length === 0) this.#disarm();
    };
  }

  #remove(limit: Limit): void {
    if (this.#limits[limit.place] !== limit) return;
    const last = this.#limits.pop();
    if (!last || last === limit) return;
    last.place = limit.place;
    this.#limits[limit.place] = last;
  }

  #arm(due: number): void {
    if (due >= this.#wakeAt) return;
    this.#cancel();
    this.#wakeAt = due;
    this.#cancel = this.#clock.after(due - this.#clock.monotonic(), () => this.#sweep());
  }

  #disarm(): void {
    this.#cancel();
    this.#wakeAt = Infinity;
  }

  #sweep(): void {
    this.#disarm();
    const now = this.#clock.monotonic();
    const ended = this.#limits.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);
    for (const limit of ended) {
      this.#remove(limit);
      limit.expire();
    }
    if (this.#limits.length > 0) this.#arm(Math.min(...this.#limits.map(({ due }) => due)));
  }
}

/** Maximum number of sockets for reads of the venue: one for each that can be in flight. */
const CONNECTIONS_MAX = 72;

/**
 * Options of undici. Its own time limits use the machine's clock; ours use the program's. Certificates are verified
 * whatever NODE_TLS_REJECT_UNAUTHORIZED says: otherwise anyone could obtain the key, or answer as our node.
 */
const CONNECTION = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0, rejectUnauthorized: true } };

/** The transport for a venue. @throws {ConfigError} for an invalid base URL */
export const createUndiciTransport = ({ baseUrl, clock }: { baseUrl: string; clock: Clock }): Transport =>
  createHttpTransport({ ...parseBaseUrl(baseUrl), clock, connections: CONNECTIONS_MAX });

/** `prefix`: path prepended to that of each request. `connections`: maximum number of sockets for reads. */
type HttpOptions = BaseUrl & Readonly<{ clock: Clock; connections: number }>;

/**
 * HTTP/1.1 over undici. Reads share a pool. A request that must not be resent gets its own connection, which is destroyed
 * afterwards; redirects are ordinary responses. The clock is held while bytes move.
 */
export function createHttpTransport({
  origin,
  prefix,
  clock,
  connections,
}: HttpOptions): Required<Transport> {
  const limits = new TimeLimits(clock);
  const loading = import('undici').then(({ Client, Pool }) => ({
    Client,
    pool: new Pool(origin, { ...CONNECTION, connections }),
  }));
  let loaded: Awaited<typeof loading> | undefined;
  /** Timed-out requests whose responses are still read. */
  const late = new Set<Exchange>();

  const dispatch = ({ Client, pool }: Awaited<typeof loading>, request: TransportRequest) =>
    new Promise<RawResponse>((resolve, reject) => {
      const own = request.fresh ? new Client(origin, { ...CONNECTION, pipelining: 0 }) : null;
      const exchange = new Exchange({
        maxBytes: request.maxBytes,
        release: clock.hold(request.nonce),
        resolve,
        reject,
        end: () => {
          late.delete(exchange);
          void own?.destroy();
        },
      });
      const hear = request.late;
      exchange.limitTo(request.limitMs, {
        limits,
        ...(hear ? { late: { hear, began: () => late.add(exchange) } } : {}),
      });
      const { method, headers, body } = request;
      (own ?? pool).dispatch({ method, path: prefix + request.uri, headers, body: body || null }, exchange);
    });

  return {
    async ready() {
      const release = clock.hold();
      loaded = await loading.finally(release);
    },
    send: (request) => (loaded ? dispatch(loaded, request) : loading.then((now) => dispatch(now, request))),
    async close() {
      for (const exchange of late) exchange.cutOff();
      await (await loading).pool.destroy();
    },
  };
}

/** Minimum size in bytes that a chunk of a body counts for: even a tiny one takes about this much memory. */
const PIECE_MIN_BYTES = 64;

type Ends = Readonly<{
  maxBytes: number;
  release: Cancel;
  resolve: (response: RawResponse) => void;
  reject: (error: DroverError) => void;
  end: () => void;
}>;

/** Handler of a response after the time limit; without it the connection is closed at the limit. */
type Late = Readonly<{ hear: (response: RawResponse) => void; began: () => void }>;
type LimitOptions = Readonly<{ limits: TimeLimits; late?: Late }>;

/** A request in progress and its incoming response. Ends once; later bytes are discarded, or form a late response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #ends: Ends;
  readonly #chunks: Buffer[] = [];
  /** Set once undici is about to write the first byte; before that, nothing was sent. */
  #controller: Dispatcher.DispatchController | null = null;
  #unlimit: Cancel | null = null;
  #late: Late | null = null;
  #status = 0;
  #headers: RawResponse['headers'] = {};
  #bytes = 0;
  #ended = false;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  limitTo(ms: number, { limits, late }: LimitOptions): void {
    this.#unlimit = limits.add(ms, () => {
      const why = `no complete answer within ${ms / 1000} s`;
      if (!late || !this.#controller) return this.#fail(why);
      this.#late = late;
      this.#ends.reject(new OutcomeUnknownError(why));
      this.#ends.release();
      late.began();
      this.#unlimit = limits.add(LATE_MS, () => this.cutOff());
    });
  }

  /** Stops reading a timed-out request. */
  cutOff(): void {
    this.#fail('given up');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) controller.abort(new OutcomeUnknownError('abandoned before it was sent'));
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: RawResponse['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    const { maxBytes } = this.#ends;
    this.#bytes += Math.max(chunk.length, PIECE_MIN_BYTES);
    if (this.#bytes > maxBytes) this.#fail(`the answer is larger than ${maxBytes} bytes`);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const [first, second] = this.#chunks;
    const whole = first && !second ? first : Buffer.concat(this.#chunks);
    const response = { status: this.#status, headers: this.#headers, body: whole.toString('utf8') };
    if (this.#late) this.#late.hear(response);
    else this.#ends.resolve(response);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(messageOf(error), error);
  }

  #fail(why: string, cause?: Error): void {
    const started = this.#controller;
    if (!this.#end()) return;
    const options = cause ? { cause } : {};
    if (!started) return this.#ends.reject(new UnreachableError(`nothing was sent: ${why}`, {}, options));
    const error = new OutcomeUnknownError(why, {}, options);
    started.abort(error);
    this.#ends.reject(error);
  }

  /** False if it had already ended. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#unlimit?.();
    this.#ends.release();
    this.#ends.end();
    return true;
  }
}
