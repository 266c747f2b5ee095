import { createHmac, randomUUID } from 'node:crypto';

/**
 * A second client of the venue, written from its specification alone: it shares no code with the product, so that one
 * misreading does not hide another.
 */
export type Credentials = Readonly<{ apiKey: string; secret: string; chainId: number; product: string }>;

type Text = Readonly<{ method: string; uri: string; ts: string; nonce: string; body: string }>;

/** HMAC-SHA256 in hex over method, URI, timestamp, nonce and raw body, one to a line. */
export function signatureOf(secret: string, { method, uri, ts, nonce, body }: Text): string {
  const payload = [method.toUpperCase(), uri, ts, nonce, body].join('\n');
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(payload, 'utf8').digest('hex');
}

export type Query = Readonly<Record<string, string | number>>;

/** The path with its pairs sorted by name, as they are signed and sent. */
export function uriOf(path: string, query: Query = {}): string {
  const names = Object.keys(query).sort((one, other) => (one < other ? -1 : 1));
  return names.length === 0 ? path : `${path}?${names.map((name) => `${name}=${query[name]}`).join('&')}`;
}

/** Invalid parts of a request; `headers` are added, or removed when undefined. */
export type Tampering = Readonly<{
  ts?: number;
  nonce?: string;
  headers?: Readonly<Record<string, string | undefined>>;
  /** Sent instead of the body that was signed. */
  sentBody?: string;
}>;

export type Reply = Readonly<{
  status: number;
  code: number;
  errMsg: string;
  data: unknown;
  uuid: string | null;
  t: number | null;
}>;

type Parts = Readonly<{ query?: Query; body?: object; tampering?: Tampering }>;

export class IndependentClient {
  readonly #baseUrl: string;
  readonly #credentials: Credentials;
  readonly #now: () => number;

  constructor(baseUrl: string, credentials: Credentials, now: () => number) {
    this.#baseUrl = baseUrl;
    this.#credentials = credentials;
    this.#now = now;
  }

  async request(method: string, path: string, { query, body, tampering = {} }: Parts = {}): Promise<Reply> {
    const uri = uriOf(`/api/v1${path}`, query);
    const raw = body === undefined ? '' : JSON.stringify(body);
    const sent = tampering.sentBody ?? raw;
    const answer = await fetch(this.#baseUrl + uri, {
      method,
      headers: this.#headers({ method, uri, body: raw }, tampering),
      ...(sent === '' ? {} : { body: sent }),
    });
    const envelope = (await answer.json()) as Omit<Reply, 'status'>;
    return { ...envelope, status: answer.status };
  }

  /** Returns the data of a successful call. */
  async data(method: string, path: string, parts: Parts = {}): Promise<unknown> {
    const { code, errMsg, data } = await this.request(method, path, parts);
    if (code !== 200) throw new Error(`${method} ${path}: ${code} ${errMsg}`);
    return data;
  }

  #headers(request: Pick<Text, 'method' | 'uri' | 'body'>, tampering: Tampering): Record<string, string> {
    const { apiKey, secret, chainId, product } = this.#credentials;
    const ts = String(tampering.ts ?? this.#now());
    const nonce = tampering.nonce ?? randomUUID();
    const all: Record<string, string | undefined> = {
      'x-api-key': apiKey,
      'x-api-sign': signatureOf(secret, { ...request, ts, nonce }),
      'x-api-ts': ts,
      'x-api-nonce': nonce,
      'x-api-chain-id': String(chainId),
      'x-api-p': product,
      ...(request.body === '' ? {} : { 'content-type': 'application/json' }),
      ...tampering.headers,
    };
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }
}
