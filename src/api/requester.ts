import { z } from 'zod';
import { prepare } from './bodies.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { invariant, NotSentError, OutcomeUnknownError, UnreachableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import type { TransferGate } from '../domain/transfers/transfer.ts';
import type { SendGate } from '../domain/venue.ts';
import type { Assumptions } from './assumptions/assumptions.ts';
import type { Dialect } from './assumptions/dialect.ts';
import type { Budget } from './budget.ts';
import {
  ANSWER_BYTES_MAX,
  labelOf,
  type Access,
  type Endpoint,
  type Route,
  type RequestParts,
  type PreparedRequest,
} from './endpoint.ts';
import { parseEnvelope, readAnswer, type Answer } from './envelope.ts';
import { excerptOf, failureOf, noAnswer, type Redact } from './failures.ts';
import type { ClockOffset } from './offset.ts';
import { frozen, Reread } from './responseCache.ts';
import type { SignedRequest, SigningGate } from './signing.ts';
import type { RawResponse, Transport } from './transport.ts';
import { reasonOf } from './wire.ts';

/** Chain and product of all requests of a client. */
type Scope = Readonly<{ chainId: number; product: string }>;

const named = z.object({
  chainId: z.number().nullish(),
  productType: z.string().nullish(),
  address: z.string().nullish(),
  userAddress: z.string().nullish(),
});

/** Reason why a response about a user belongs to another wallet, chain or product; null if it does not, or does not say. */
export function otherScope(data: unknown, { path }: RequestParts, scope: Scope): string | null {
  if (!path || !('userId' in path) || typeof path.userId !== 'string') return null;
  const { chainId, productType, ...whose } = named.safeParse(data).data ?? {};
  const address = whose.address ?? whose.userAddress ?? path.userId;
  if (address.toLowerCase() !== path.userId.toLowerCase())
    return `it belongs to wallet ${address}, not to ${path.userId}`;
  if ((chainId ?? scope.chainId) !== scope.chainId)
    return `it belongs to chain ${chainId}, not to ${scope.chainId}`;
  return (productType ?? scope.product) === scope.product
    ? null
    : `it belongs to another product, not to ${scope.product}`;
}

const READ_LIMIT_MS = 10_000;
const SEND_LIMIT_MS = 20_000;
const READ_TRIES_MAX = 3;
const BACK_OFF_MS = 250;

/** A request and its outcome. `endpoint`: method and path template; `ms`: by the client's clock. */
export type Exchange = Readonly<{
  endpoint: string;
  outcome: Answer['kind'] | 'unreachable' | 'unknown';
  ms: number;
}>;
type ExchangeListener = (exchange: Exchange) => void;

type RequesterParts = Readonly<{
  access: Access;
  scope: Scope;
  clock: Clock;
  random: Random;
  log: Log;
  redact: Redact;
  signing: SigningGate;
  budget: Budget;
  offset: ClockOffset;
  transport: Transport;
  assumptions: Assumptions;
  /** Null if the venue uses our names. */
  dialect: Dialect | null;
}>;

/** `answeredLate`: receives the data of a response after the time limit, or the reason why it has none. */
export type Gate = (SendGate | TransferGate) & Readonly<{ answeredLate?(data: Promise<unknown>): void }>;

/** Performs every request: slot, signature, transport, response. Reads are retried; a send is made once. */
export class Requester {
  readonly #parts: RequesterParts;
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Set<ExchangeListener>();
  readonly #reread = new Reread();
  /** Parsed data of polled endpoints, reused while the text is unchanged. */
  readonly #dataRead = new WeakMap<object, unknown>();
  #ready = false;

  constructor(parts: RequesterParts) {
    this.#parts = parts;
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Calls `listener` with each request once it has a response or has failed. */
  watch(listener: ExchangeListener): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls an endpoint and returns the parsed `data` of its response. */
  async run(endpoint: Endpoint, asked: RequestParts, gate?: Gate): Promise<unknown> {
    const answer = gate
      ? await this.#gated(endpoint, asked, gate)
      : await this.answer(endpoint, prepare(endpoint, asked, this.#parts.dialect));
    const data = this.#dataOf(endpoint, answer);
    const other = otherScope(data, asked, this.#parts.scope);
    if (other === null) return data;
    throw noAnswer(`${labelOf(endpoint)}: the answer was not accepted: ${other}`, endpoint.repeat);
  }

  #dataOf(endpoint: Endpoint, answer: Answer): unknown {
    const { redact, assumptions, dialect } = this.#parts;
    if (answer.kind !== 'success')
      throw failureOf(answer, endpoint, { redact, refusals: assumptions.refusals });
    const { data } = answer.envelope;
    const isPolled = endpoint.polled && typeof data === 'object' && data !== null;
    if (isPolled && this.#dataRead.has(data)) return this.#dataRead.get(data);
    const parsed = endpoint.response.safeParse(dialect ? dialect.read(endpoint, data) : data);
    if (parsed.success && isPolled) this.#dataRead.set(data, frozen(parsed.data));
    if (parsed.success) return parsed.data;
    throw noAnswer(`${labelOf(endpoint)}: unexpected data: ${reasonOf(parsed.error)}`, endpoint.repeat, {
      details: { excerpt: excerptOf(answer, redact) },
    });
  }

  /** Returns the response to a request, whatever its status. */
  answer(route: Route, prepared: PreparedRequest): Promise<Answer> {
    if (route.repeat === 'always') return this.#read(route, prepared);
    return this.#inSlot(route, () => this.#exchange(route, this.#parts.signing.sign(prepared)));
  }

  /** @throws {NotSentError} when the key lacks the permission */
  #admit(route: Route): void {
    if (route.access === 'WRITABLE' && this.#parts.access === 'READ_ONLY')
      throw new NotSentError(`${labelOf(route)} needs a WRITABLE key; this one is READ_ONLY`);
  }

  async #warmUp(): Promise<void> {
    await this.#parts.transport.ready?.();
    this.#ready = true;
  }

  /** Makes the only attempt of a request that must not be repeated. */
  async #inSlot(route: Route, send: () => Promise<Answer>): Promise<Answer> {
    this.#admit(route);
    if (!this.#ready) await this.#warmUp();
    return this.#atOnce(route, () => {
      this.#parts.offset.check();
      return send();
    });
  }

  /**
   * Signs and sends within one hold of the clock: a fast clock on a slow machine catches up before the signature reads the
   * time, not between that and the first byte.
   */
  #atOnce(route: Route, send: () => Promise<Answer>): Promise<Answer> {
    const { budget, clock } = this.#parts;
    return budget.run(route.lane, () => {
      const release = clock.hold();
      try {
        return send();
      } finally {
        release();
      }
    });
  }

  /** Takes a slot, opens the gate, signs, commits and sends the first byte in one step, without waiting in between. */
  #gated(endpoint: Endpoint, asked: RequestParts, gate: Gate): Promise<Answer> {
    return this.#inSlot(endpoint, () => {
      const opened = gate.open();
      if ('stop' in opened) throw new NotSentError(opened.stop);
      const deadline = 'deadline' in opened ? opened.deadline : undefined;
      const { signing, dialect } = this.#parts;
      const signed = signing.sign(prepare(endpoint, dated(endpoint, asked, deadline), dialect));
      const { method, uri, timestamp, nonce, body } = signed;
      invariant(method !== 'GET', 'a read takes no gate');
      gate.commit({ method, uri, timestamp, nonce, body });
      return this.#exchange(endpoint, signed, (late) =>
        gate.answeredLate?.(late.then((it) => this.#dataOf(endpoint, it))),
      );
    });
  }

  async #read(route: Route, prepared: PreparedRequest): Promise<Answer> {
    const { clock, log, random } = this.#parts;
    this.#admit(route);
    if (!this.#ready) await this.#warmUp();
    for (let tried = 1; ; tried++) {
      const isLast = tried === READ_TRIES_MAX;
      let answer: Answer | null;
      try {
        answer = await this.#atOnce(route, () => this.#exchange(route, this.#parts.signing.sign(prepared)));
      } catch (error) {
        answer = lostRead(error, route, isLast);
      }
      const isUsable = answer !== null && answer.kind !== 'limited' && answer.status < 500;
      if (answer && (isUsable || isLast)) return answer;
      log.warn({ request: labelOf(route), tried }, 'no usable response; retrying');
      await clock.sleep(BACK_OFF_MS * 2 ** (tried - 1) * (1 + random.next()));
    }
  }

  /** `hear`: receives a response that arrives after the time limit. */
  #exchange(
    route: Route,
    { method, uri, headers, body, nonce }: SignedRequest,
    hear?: (late: Promise<Answer>) => void,
  ): Promise<Answer> {
    const { clock, transport } = this.#parts;
    const fresh = route.repeat === 'never';
    const limitMs = fresh ? SEND_LIMIT_MS : READ_LIMIT_MS;
    const { maxBytes = ANSWER_BYTES_MAX } = route;
    const label = labelOf(route);
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
    const sentAt = clock.now();
    const parse = route.polled
      ? (text: string) => this.#reread.read(uri, text, parseEnvelope)
      : parseEnvelope;
    const received = (response: RawResponse) => this.#received(readAnswer(response, parse), sentAt);
    // The round trip of a late response is not used to measure the clock offset.
    const late = hear && ((response: RawResponse) => hear(Promise.resolve(readAnswer(response))));
    const sending = transport
      .send({ method, uri, headers, body, nonce, fresh, limitMs, maxBytes, ...(late ? { late } : {}) })
      .then(received);
    if (this.#listeners.size > 0) this.#time(label, sending);
    return sending;
  }

  /** Reports the outcome of a request to listeners, in addition to its caller. */
  #time(endpoint: string, sending: Promise<Answer>): void {
    const { clock } = this.#parts;
    const from = clock.monotonic();
    const over = (outcome: Exchange['outcome']) => {
      const exchange = { endpoint, outcome, ms: clock.monotonic() - from };
      for (const listener of this.#listeners) listener(exchange);
    };
    sending.then(
      ({ kind }) => over(kind),
      (error: unknown) => over(error instanceof UnreachableError ? 'unreachable' : 'unknown'),
    );
  }

  #received(answer: Answer, sentAt: EpochMs): Answer {
    const { budget, clock, log, offset } = this.#parts;
    offset.observe(answer, sentAt, clock.now());
    if (answer.kind === 'limited') {
      const after = answer.headers['retry-after'];
      budget.limited(typeof after === 'string' ? after : undefined);
      log.warn({ retryAfter: after }, 'rate limited by the venue');
    } else budget.accepted();
    return answer;
  }
}

/** The request with the deadline of its gate, for endpoints that have one. */
function dated({ deadlineIn }: Endpoint, asked: RequestParts, deadline: number | undefined): RequestParts {
  invariant(
    (deadlineIn === undefined) === (deadline === undefined),
    'a gate gives a deadline to what carries one, and to nothing else',
  );
  return deadlineIn === undefined ? asked : { ...asked, [deadlineIn]: { ...asked[deadlineIn], deadline } };
}

/** Null for a failure after which a read is retried; throws any other, and after the last attempt that one too. */
function lostRead(error: unknown, route: Route, isLast: boolean): null {
  const isLost = error instanceof OutcomeUnknownError;
  if (isLast && isLost) throw noAnswer(`${labelOf(route)}: ${error.message}`, route.repeat, { cause: error });
  if (isLast || !(isLost || error instanceof UnreachableError)) throw error;
  return null;
}
