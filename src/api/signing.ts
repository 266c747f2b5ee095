import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { SafetyError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import { denialOf, type AllowedGroup, type DeniedCall, type Denial } from './allowList.ts';
import type { PreparedRequest } from './endpoint.ts';

type SignInput = Readonly<{
  method: string;
  /** Path starting with `/api/v1`, with its sorted query. */
  uri: string;
  /** Unix ms, the text of the `x-api-ts` header. */
  timestamp: string;
  /** The text of the `x-api-nonce` header. */
  nonce: string;
  /** The raw body, byte for byte; empty when there is none. */
  body: string;
  secret: string;
}>;

/** HMAC-SHA256 over the five lines of a request, in lower-case hex. */
export const signRequest = ({ secret, ...request }: SignInput): string => signatureOf(request, secret);

type SigningFields = Omit<SignInput, 'secret'>;

const signatureOf = (
  { method, uri, timestamp, nonce, body }: SigningFields,
  key: string | KeyObject,
): string =>
  createHmac('sha256', key)
    .update(`${method.toUpperCase()}\n${uri}\n${timestamp}\n${nonce}\n${body}`)
    .digest('hex');

type Query = Readonly<Record<string, string | number | undefined>>;

/** The path with its query sorted by name, percent-encoded once: the signed text is the text sent. */
export function canonicalUri(path: string, query: Query = {}): string {
  const pairs: string[] = [];
  for (const name of Object.keys(query).sort()) {
    const value = query[name];
    if (value !== undefined) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  }
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

type Credentials = Readonly<{ apiKey: string; secret: string; chainId: number; product: string }>;

/** Creates a signer for one scope's key, which returns a request's headers. `content-type` is only sent with a body. */
export function createSigner({ apiKey, secret, chainId, product }: Credentials) {
  const chain = String(chainId);
  const key = createSecretKey(secret, 'utf8');
  return (request: SigningFields): Record<string, string> => {
    const headers: Record<string, string> = {
      'x-api-key': apiKey,
      'x-api-sign': signatureOf(request, key),
      'x-api-ts': request.timestamp,
      'x-api-nonce': request.nonce,
      'x-api-chain-id': chain,
      'x-api-p': product,
    };
    if (request.body) headers['content-type'] = 'application/json';
    return headers;
  };
}
type Signer = ReturnType<typeof createSigner>;

export type SignedRequest = PreparedRequest &
  Readonly<{ timestamp: EpochMs; nonce: string; headers: Record<string, string> }>;

type SigningParts = Readonly<{
  sign: Signer;
  allowed: ReadonlySet<AllowedGroup>;
  clock: Clock;
  random: Random;
  log: Log;
  onDenied: (call: DeniedCall) => void;
}>;

/** Placeholder for a hidden signature. */
const WITHHELD = '(withheld)';

/** Number of signatures kept: more than the requests that a venue accepts while one of them is valid. */
const KNOWN_MAX = 2_000;

/** The only place that signs; every request must pass it, because an unsigned one cannot be sent. */
export class SigningGate {
  readonly #parts: SigningParts;
  /** The latest signatures, oldest first. */
  readonly #made = new Set<string>();
  #denied = 0;

  constructor(parts: SigningParts) {
    this.#parts = parts;
  }

  /** Number of denied requests. */
  get denied(): number {
    return this.#denied;
  }

  /** True for a recent signature of ours, in lower case, with which a request could still be sent. */
  hasMade(signature: string): boolean {
    return this.#made.has(signature);
  }

  /** Signs a request, if that is permitted. @throws {SafetyError} naming the setting that would permit it */
  sign(prepared: PreparedRequest): SignedRequest {
    const denial = this.#denialOf(prepared);
    if (!denial) return this.#kept(this.#signed(prepared));
    this.#denied += 1;
    const call = { method: prepared.method, path: pathOf(prepared), ...denial };
    this.#parts.log.error(call, 'a request was denied: nothing was signed or sent');
    this.#parts.onDenied(call);
    throw refusal(call);
  }

  /** Shows a request to people. One that may not be sent has no signature, so that nobody else can send it. */
  show(prepared: PreparedRequest): SignedRequest {
    const denial = this.#denialOf(prepared);
    const signed = this.#signed(prepared);
    return denial ? { ...signed, headers: { ...signed.headers, 'x-api-sign': WITHHELD } } : signed;
  }

  #kept(signed: SignedRequest): SignedRequest {
    const [oldest] = this.#made.size < KNOWN_MAX ? [] : this.#made;
    if (oldest !== undefined) this.#made.delete(oldest);
    this.#made.add(signed.headers['x-api-sign'] ?? '');
    return signed;
  }

  #denialOf(prepared: PreparedRequest): Denial | null {
    return denialOf({ method: prepared.method, path: pathOf(prepared) }, this.#parts.allowed);
  }

  /** Names every field, because spreading would cost each request microseconds. */
  #signed({ method, uri, body }: PreparedRequest): SignedRequest {
    const { clock, random, sign } = this.#parts;
    const timestamp = clock.now();
    const nonce = random.uuid();
    const headers = sign({ method, uri, timestamp: String(timestamp), nonce, body });
    return { method, uri, body, timestamp, nonce, headers };
  }
}

const pathOf = ({ uri }: PreparedRequest): string => uri.split('?', 1)[0] ?? '';

function refusal({ method, path, group, reason }: DeniedCall): SafetyError {
  const remedy =
    group === null
      ? ''
      : `. Add it to the config (signing: { allow: [${group}] }), pass allow: ['${group}'] to createVenueClient, ` +
        `or --allow ${group} to \`drover api\``;
  return new SafetyError(`${method} ${path} was not sent: ${reason}${remedy}`, { method, path, group });
}
