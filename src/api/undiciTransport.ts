import type { Dispatcher } from 'undici';
import type { Cancel, Clock } from '../core/clock.ts';
import { messageOf, OutcomeUnknownError, UnreachableError, type DroverError } from '../core/errors.ts';
import { parseBaseUrl } from './baseUrl.ts';
import { TimeLimits } from './timeLimits.ts';
import { LATE_MS, type RawResponse, type Transport, type TransportRequest } from './transport.ts';

/** Most sockets for reads: one for each that may be in flight. */
const CONNECTIONS_MAX = 72;

/**
 * Undici's own time limits read the machine's clock; ours are kept on the clock of the program. Certificates are verified
 * whatever NODE_TLS_REJECT_UNAUTHORIZED says: without that, whoever answers gets the key.
 */
const CONNECTION = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0, rejectUnauthorized: true } };

/**
 * HTTP/1.1 over undici. Reads share a pool. A request that must not be replayed has a connection of its own, made for it
 * and destroyed after it; redirects are answers like any other. The clock is held while bytes move.
 */
export function createUndiciTransport({ baseUrl, clock }: { baseUrl: string; clock: Clock }): Transport {
  const { origin, prefix } = parseBaseUrl(baseUrl);
  const limits = new TimeLimits(clock);
  const loading = import('undici').then(({ Client, Pool }) => ({
    Client,
    pool: new Pool(origin, { ...CONNECTION, connections: CONNECTIONS_MAX }),
  }));
  let loaded: Awaited<typeof loading> | undefined;
  /** Given up, and still listened to. */
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

type Ends = Readonly<{
  maxBytes: number;
  release: Cancel;
  resolve: (response: RawResponse) => void;
  reject: (error: DroverError) => void;
  end: () => void;
}>;

/** What becomes of an answer after the time limit: without it the connection is cut off there. */
type Late = Readonly<{ hear: (response: RawResponse) => void; began: () => void }>;
type Limiting = Readonly<{ limits: TimeLimits; late?: Late }>;

/** One request on its way and its answer as it comes in. Ends once; what arrives after that is cut off, or is late. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #ends: Ends;
  readonly #chunks: Buffer[] = [];
  /** Set when undici is about to write the first byte. Without it, nothing has left. */
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

  limitTo(ms: number, { limits, late }: Limiting): void {
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

  /** Stops listening to one that has been given up. */
  cutOff(): void {
    this.#fail('given up');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) controller.abort(new OutcomeUnknownError('given up before it was sent'));
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: RawResponse['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    const { maxBytes } = this.#ends;
    this.#bytes += chunk.length;
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

  /** False when it had ended before. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#unlimit?.();
    this.#ends.release();
    this.#ends.end();
    return true;
  }
}
