import { SECOND_MS } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { codeOf } from '../../core/errors.ts';
import { oneLine } from '../../core/printable.ts';
import type { Parcel } from './message.ts';

/**
 * Outcome of an attempt. `reason`: in plain words, without any address. `isRefused`: the other side rejects the request, because
 * of its text or the address: each service words this differently.
 */
export type Delivery = Readonly<
  { ok: true } | { ok: false; reason: string; retryAfterMs?: number; isRefused?: boolean }
>;

/** Sender of one channel. `limit`: longest text, in characters. It never rejects; a mail may go on after `signal`, which `attempt` does not wait for. */
export interface Sender {
  readonly limit: number;
  send(parcel: Parcel, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** HTTP request of a channel. Redirects are not followed, because the address is a secret. */
export type HttpRequest = Readonly<{
  method: 'GET' | 'POST';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Size in bytes at which the response is cut off. Default: 2,000,000. */
  maxBytes?: number;
  signal: AbortSignal;
}>;
export type HttpAnswer = Readonly<{ status: number; retryAfter: string | null; body: string }>;

/** Performs a request; rejects without a complete response. */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/** Maximum duration of a channel's attempt, in ms. */
export const ATTEMPT_MS = 30_000;

/** Maximum delay that a channel may request, in ms. */
const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * Outcome according to the response's status. `now`: for a `Retry-After` that is a date; `place`: where the address is set, for
 * the advice to change it.
 */
export function deliveryOf(
  { status, retryAfter, body }: HttpAnswer,
  now: number,
  place = 'the address',
): Delivery {
  if (status >= 200 && status < 300) return { ok: true };
  const retryAfterMs = waitOf(retryAfter, now) ?? (status === 429 ? bodyWait(body) : null);
  const failed = { ok: false, ...(retryAfterMs === null ? {} : { retryAfterMs }) } as const;
  const words = wordsIn(body);
  if (status === 429) return { ...failed, reason: 'too many messages (HTTP 429)' };
  if (status >= 300 && status < 400)
    return { ...failed, reason: `it answered with a redirect (HTTP ${status}), which is not followed` };
  if (status === 401 || status === 403)
    return { ...failed, reason: `it refuses the address (HTTP ${status})${words}` };
  if (status === 404 || status === 410)
    return { ...failed, reason: `the address is unknown there (HTTP ${status})${words}` };
  const isRefused = REFUSALS.has(status);
  return {
    ...failed,
    reason: `HTTP ${status}${words}${movedTo(body, place)}`,
    ...(isRefused ? { isRefused } : {}),
  };
}

/** Statuses with which a service refuses a request as it stands. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/** Maximum length of a quoted part of a response, in characters. */
const WORDS_MAX = 200;

/** Explanation in a channel's response, as part of a line; empty if there is none. The caller must mask secrets. */
function wordsIn(body: string): string {
  const [, quoted] = /"(?:description|message|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body) ?? [];
  const words = oneLine((quoted ?? body).trim(), WORDS_MAX);
  return words === '' ? '' : `: "${words}"`;
}

/** Advice for a Telegram group whose number has changed; empty if it has not. */
function movedTo(body: string, place: string): string {
  const [, chat] = /"migrate_to_chat_id"\s*:\s*(-?\d+)/.exec(body) ?? [];
  return chat === undefined
    ? ''
    : `. The chat is now ${chat}: make ${place} BOT_TOKEN/${chat}, then start the run again`;
}

function waitOf(text: string | null, now: number): number | null {
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  return bounded(Number.isFinite(seconds) ? seconds * SECOND_MS : Date.parse(text) - now);
}

/** Delay in seconds that Telegram and Discord put into the body after too many messages. */
function bodyWait(body: string): number | null {
  const [, seconds] = /"retry_after"\s*:\s*(\d+(?:\.\d+)?)/.exec(body) ?? [];
  return seconds === undefined ? null : bounded(Number(seconds) * SECOND_MS);
}

const bounded = (ms: number): number | null => (ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : null);

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN|EDNS)$/, 'its name could not be resolved'],
  [/^EPRIVATE$/, 'its name leads into a private network'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed'],
  [
    /^(ETIMEDOUT|ABORT_ERR|UND_ERR_(ABORTED|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT))$/,
    'no answer in time',
  ],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'it cannot be reached from here'],
  [/^ETLS$/, 'it offers no encryption (STARTTLS)'],
  [/CERT|TLS|SSL|SELF_SIGNED|VERIFY/, 'its certificate was not accepted'],
  [/^EAUTH$/, 'it refuses user or password'],
];

/** Plain reason for a failed connection: from its code only, because messages may quote an address. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === 'AbortError') return 'no answer in time';
  const code = originalCode(thrown) ?? codeOf(thrown);
  if (code === null) return 'the connection failed';
  const known = REASONS.find(([pattern]) => pattern.test(code));
  return known?.[1] ?? `the connection failed (${code})`;
}

/** Code of the cause of a failed mail, where `code` is only a general one such as ESOCKET. */
const originalCode = (thrown: unknown): string | null =>
  thrown instanceof Error && 'originalCode' in thrown && typeof thrown.originalCode === 'string'
    ? thrown.originalCode
    : null;

/** First delay after a failure, in ms. Each further one is twice as long. */
const BACKOFF_MS = 1_000;

/** Consecutive failures of a retried task: the delay after each, and whether they have lasted long. */
export class Outage {
  readonly #parts: OutageParts;
  readonly #backoffMaxMs: number;
  #failing: Readonly<{ since: number; attempts: number }> | null = null;
  #isDown = false;

  constructor(parts: OutageParts, backoffMaxMs: number) {
    this.#parts = parts;
    this.#backoffMaxMs = backoffMaxMs;
  }

  get isFailing(): boolean {
    return this.#failing !== null;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /**
   * Records a failure. Returns the delay until the next attempt, in ms.
   * @param askedMs minimum delay requested by the other side: it will fail at least that long
   */
  add(reason: string, askedMs: number): number {
    const { clock, downAfterMs } = this.#parts;
    const now = clock.monotonic();
    const { since, attempts } = this.#failing ?? { since: now, attempts: 0 };
    this.#failing = { since, attempts: attempts + 1 };
    if (now + askedMs - since >= downAfterMs) this.setDown(reason);
    return Math.min(BACKOFF_MS * 2 ** attempts, this.#backoffMaxMs);
  }

  end(): void {
    this.#failing = null;
    this.setDown(null);
  }

  setDown(reason: string | null): void {
    if ((reason !== null) === this.#isDown) return;
    this.#isDown = reason !== null;
    this.#parts.onDown(reason);
  }
}

/** `downAfterMs`: duration after which failures are reported as `down`. */
export type OutageParts = Readonly<{
  /** Clock of the machine. */
  clock: Clock;
  downAfterMs: number;
  /** Receives the reason once the failures have lasted long; null when it works again. */
  onDown: (reason: string | null) => void;
}>;

/** Tries a task for at most `ms` of the clock, or until `stop`. It then settles, whatever the task does. */
export async function attempt(
  send: (signal: AbortSignal) => Promise<Delivery>,
  { clock, ms, stop }: Readonly<{ clock: Pick<Clock, 'after'>; ms: number; stop: AbortSignal }>,
): Promise<Delivery> {
  const cut = new AbortController();
  const abort = () => cut.abort();
  stop.addEventListener('abort', abort, { once: true });
  const cancel = clock.after(ms, abort);
  const given = new Promise<Delivery>((resolve) =>
    cut.signal.addEventListener('abort', () => resolve({ ok: false, reason: 'no answer in time' })),
  );
  try {
    return stop.aborted ? { ok: false, reason: 'stopped' } : await Promise.race([send(cut.signal), given]);
  } finally {
    stop.removeEventListener('abort', abort);
    cancel();
  }
}
