import { createHmac, randomUUID } from 'node:crypto';

/** Signs as the venue's specification says, sharing no code with the product. */
export type ClientOptions = { apiKey: string; secret: string; chainId?: string; product?: string };
export type Call = {
  method: 'GET' | 'POST' | 'DELETE' | 'PUT';
  path: string;
  query?: Record<string, string | number>;
  body?: unknown;
  ts: number;
  nonce?: string;
};
export type Signed = { method: string; uri: string; headers: Record<string, string>; body: string };

export function sign(
  key: ClientOptions,
  { method, path, query = {}, body, ts, nonce = randomUUID() }: Call,
): Signed {
  const pairs = Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = pairs.map(([name, value]) => `${name}=${value}`).join('&');
  const uri = text ? `${path}?${text}` : path;
  const raw = body === undefined ? '' : JSON.stringify(body);
  const payload = [method, uri, String(ts), nonce, raw].join('\n');
  const headers: Record<string, string> = {
    'x-api-key': key.apiKey,
    'x-api-sign': createHmac('sha256', key.secret).update(payload).digest('hex'),
    'x-api-ts': String(ts),
    'x-api-nonce': nonce,
    'x-api-chain-id': key.chainId ?? '143',
    'x-api-p': key.product ?? 'ProductA',
  };
  if (raw) headers['content-type'] = 'application/json';
  return { method, uri, headers, body: raw };
}

export type Envelope = { code: number; errMsg: string; data: unknown; uuid: string | null; t: number | null };

/** Sends over a real socket. */
export async function call(baseUrl: string, signed: Signed): Promise<{ status: number; text: string }> {
  const answer = await fetch(baseUrl + signed.uri, {
    method: signed.method,
    headers: signed.headers,
    ...(signed.body ? { body: signed.body } : {}),
  });
  return { status: answer.status, text: await answer.text() };
}
