import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export type SignInput = Readonly<{
  method: string;
  /** Path from `/api/v1` on, with its sorted query. */
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

type Unsigned = Omit<SignInput, 'secret'>;

const signatureOf = ({ method, uri, timestamp, nonce, body }: Unsigned, key: string | KeyObject): string =>
  createHmac('sha256', key)
    .update(`${method.toUpperCase()}\n${uri}\n${timestamp}\n${nonce}\n${body}`)
    .digest('hex');

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The path and, sorted by name, the query, percent-encoded once: the text that is signed is the text that is sent. */
export function canonicalUri(path: string, query: Query = {}): string {
  const pairs: string[] = [];
  for (const name of Object.keys(query).sort()) {
    const value = query[name];
    if (value !== undefined) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  }
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

export type Credentials = Readonly<{ apiKey: string; secret: string; chainId: number; product: string }>;

/** Signs with the key of one scope: gives the headers of a request. `content-type` stands only beside a body. */
export function createSigner({ apiKey, secret, chainId, product }: Credentials) {
  const chain = String(chainId);
  const key = createSecretKey(secret, 'utf8');
  return (request: Unsigned): Record<string, string> => {
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
export type Signer = ReturnType<typeof createSigner>;
