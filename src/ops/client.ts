import type { Client as UndiciClient } from 'undici';
import { z } from 'zod';
import { systemClock, type Clock } from '../core/clock.ts';
import {
  codeOf,
  ConfigError,
  messageOf,
  NoAnswerError,
  NotSentError,
  OutcomeUnknownError,
  SafetyError,
  type DroverError,
} from '../core/errors.ts';
import { systemRandom, type Random } from '../core/random.ts';
import type { LocalCall } from './localCalls.ts';
import { commandStateSchema, type CommandState } from './model/commandState.ts';
import { statusSchema, type Status } from './model/status.ts';

/** Address of a daemon: its socket, or a URL with its token. */
export type DaemonPlace = Readonly<{ socket: string } | { url: string; token: string }>;

/** Address that a daemon listens on. `call`: for one in this process. `client`: name of the command, as journaled. */
export type DaemonAddress = Readonly<
  (DaemonPlace | { call: LocalCall }) & {
    client: string;
    /** Mode and account that commands are meant for; a daemon with others refuses them. */
    meant?: Readonly<{ mode: string; account: string }>;
  }
>;

const resultSchema = z.object({
  id: z.string(),
  done: z.boolean(),
  text: z.string().default(''),
  result: z.record(z.string(), z.unknown()).default({}),
});
/** Response to a completed command. `done` false: it continues, and `left` says with what. */
export type CommandResult = Readonly<z.output<typeof resultSchema>>;

const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const sessionCodeSchema = z.object({ code: z.string(), expiresInMs: z.number(), url: z.string().nullable() });
export type SessionCode = Readonly<z.output<typeof sessionCodeSchema>>;

/** Time in ms for a read, and for a command's first response, which the daemon sends within 20 s. */
const READ_MS = 10_000;
const COMMAND_MS = 30_000;
/** Maximum wait for a command that is still reading the venue, and the interval between polls for it, in ms. */
const PATIENCE_MS = 120_000;
const AGAIN_MS = 500;

const STRANGE =
  "the daemon's answer is not understood by this version: use the version of drover that it runs";

type Method = 'GET' | 'POST' | 'DELETE';
type Answer = Readonly<{ status: number; body: unknown }>;

const UNCONNECTED = ['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND'];
/** True for a connection that was never established. */
export const isUnconnected = (error: unknown): boolean => UNCONNECTED.includes(codeOf(error) ?? '');

const unconnected = (error: unknown): NotSentError =>
  new NotSentError(`no run is active there, or it cannot be reached: ${messageOf(error)}. Nothing was sent`);

/** Client of a daemon's control API. A command is sent once; a lost answer is asked for, never the command again. */
export class DaemonClient {
  readonly #address: DaemonAddress;
  readonly #clock: Clock;
  readonly #random: Random;
  #connection: UndiciClient | null = null;

  constructor(address: DaemonAddress, { clock = systemClock, random = systemRandom } = {}) {
    this.#address = address;
    this.#clock = clock;
    this.#random = random;
  }

  status(): Promise<Status> {
    return this.get('/v1/status', statusSchema);
  }

  /**
   * Value of a read endpoint.
   * @throws {NoAnswerError} when the daemon does not respond
   * @throws {NotSentError} when no connection could be made
   * @throws {ConfigError} when the requested object does not exist
   */
  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return valueOf(await this.#answer('GET', path), schema);
  }

  /**
   * Creates a one-time code for a browser with a role; also returns the page's TCP address, null without one.
   * @throws {NoAnswerError} when the daemon does not respond, or its version has no page
   */
  async sessionCode(role: 'read' | 'operate' = 'operate'): Promise<SessionCode> {
    const answer = await this.#answer('POST', '/v1/session-codes', { role });
    if (answer.status === 404) throw new NoAnswerError('this run serves no page: its version is too old');
    return valueOf(answer, sessionCodeSchema);
  }

  /** Signs out all browsers. @throws as `get` */
  async endSessions(): Promise<void> {
    valueOf(await this.#answer('DELETE', '/v1/sessions'), z.unknown());
  }

  /** State of a command and its remaining work. @throws as `get` */
  command(id: string): Promise<CommandState> {
    return this.get(`/v1/commands/${encodeURIComponent(id)}`, commandStateSchema);
  }

  /**
   * Sends a command once, and waits for its response, at most `patienceMs` (2 minutes). `body`: the fields of its verb.
   * @throws {SafetyError} when a safety rule refuses it
   * @throws {ConfigError} when it names something that does not exist
   * @throws {OutcomeUnknownError} without a response: it may have been done
   * @throws {NotSentError} when nothing was sent
   */
  async steer(
    verb: string,
    body: Readonly<Record<string, unknown>>,
    { patienceMs = PATIENCE_MS, id = this.#random.uuid() } = {},
  ): Promise<CommandResult> {
    const began = this.#clock.monotonic();
    const left = () => patienceMs - (this.#clock.monotonic() - began);
    const answer = await this.#give(verb, { id, ...body });
    if (answer !== null && answer.status !== 202) return resultOf(answer, id);
    return this.#answerTo(id, left);
  }

  async close(): Promise<void> {
    await this.#connection?.destroy();
    this.#connection = null;
  }

  /** First response to a command; null if it was lost on the way. */
  async #give(verb: string, body: Readonly<Record<string, unknown>>): Promise<Answer | null> {
    try {
      return await this.#ask('POST', `/v1/${verb}`, body);
    } catch (error) {
      if (isUnconnected(error)) throw unconnected(error);
      return null;
    }
  }

  /** Polls for the response to a command. */
  async #answerTo(id: string, left: () => number): Promise<CommandResult> {
    for (;;) {
      const state = await this.command(id).catch(() => {
        throw new OutcomeUnknownError(
          `unknown whether the command was carried out (its id is ${id}): see \`drover status\`, and do not repeat it before`,
          { id },
        );
      });
      if (state.answer?.kind === 'refused') throw refusal(state.answer.because, state.answer.text);
      if (state.answer) return { id, done: true, text: state.answer.text, result: state.answer.result };
      if (left() <= 0)
        return { id, done: false, text: 'not answered yet: the daemon continues with it', result: {} };
      await this.#clock.sleep(Math.min(AGAIN_MS, Math.max(left(), 0)));
    }
  }

  /** Response to a request that is safe to retry. @throws {NoAnswerError} without one. @throws {NotSentError} once the run ended */
  #answer(method: Method, path: string, body?: unknown): Promise<Answer> {
    return this.#ask(method, path, body).catch((error: unknown) => {
      throw isUnconnected(error)
        ? unconnected(error)
        : new NoAnswerError(`the daemon did not answer: ${messageOf(error)}`);
    });
  }

  async #ask(method: Method, path: string, body?: unknown): Promise<Answer> {
    if ('call' in this.#address) return this.#address.call({ method, path, body });
    this.#connection ??= await connectionTo(this.#address);
    const response = await this.#connection.request({
      method,
      path: pathAt(this.#address, path),
      headers: this.#headers(method),
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: method === 'GET' ? READ_MS : COMMAND_MS,
      bodyTimeout: READ_MS,
    });
    return { status: response.statusCode, body: await response.body.json() };
  }

  #headers(method: Method): Record<string, string> {
    const { client, meant } = this.#address;
    return {
      'x-drover-client': client,
      ...('token' in this.#address ? { authorization: `Bearer ${this.#address.token}` } : {}),
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...(meant ? { 'x-drover-mode': meant.mode, 'x-drover-account': meant.account } : {}),
    };
  }
}

/** Opens a connection to a daemon. */
export async function connectionTo(place: DaemonPlace): Promise<UndiciClient> {
  const { Client } = await import('undici');
  return new Client(originOf(place), { connect: connectorOf(place) });
}

export const originOf = (place: DaemonPlace): string =>
  'socket' in place ? 'http://localhost' : new URL(place.url).origin;

export const connectorOf = (place: DaemonPlace) =>
  'socket' in place
    ? { socketPath: place.socket, timeout: READ_MS }
    : { timeout: READ_MS, rejectUnauthorized: true };

/** Path of an endpoint, also behind a proxy that serves the daemon under a path. */
export const pathAt = (place: DaemonPlace, path: string): string =>
  'url' in place ? `${new URL(place.url).pathname.replace(/\/+$/, '')}${path}` : path;

/** Value of a response. @throws as `get` */
function valueOf<T>({ status, body }: Answer, schema: z.ZodType<T>): T {
  if (status !== 200) throw refusedBy(body);
  const { data, error } = schema.safeParse(body);
  if (error) throw new NoAnswerError(STRANGE);
  return data;
}

function resultOf({ status, body }: Answer, id: string): CommandResult {
  if (status === 200) {
    const { data, error } = resultSchema.safeParse(body);
    if (error) throw new OutcomeUnknownError(`${STRANGE}: see \`drover status\``, { id });
    return data;
  }
  const { code = 'INTERNAL', message = '' } = refusalSchema.safeParse(body).data?.error ?? {};
  if (code === 'UNKNOWN' || code === 'INTERNAL') throw new OutcomeUnknownError(message, { id });
  throw refusedBy(body);
}

/** Our error for a refusal by the daemon. Nothing was done. */
function refusedBy(body: unknown): DroverError {
  const { code, message } = refusalSchema.safeParse(body).data?.error ?? {
    code: 'INTERNAL',
    message: STRANGE,
  };
  if (code === 'SAFETY' || code === 'FORBIDDEN' || code === 'UNAUTHORIZED') return new SafetyError(message);
  if (code === 'USAGE' || code === 'NOT_FOUND') return new ConfigError(message);
  return new NoAnswerError(message);
}

const refusal = (because: 'usage' | 'safety', text: string): DroverError =>
  because === 'safety' ? new SafetyError(text) : new ConfigError(text);
