import { z } from 'zod';
import { CODES } from './adopted.ts';
import type { RawResponse } from './transport.ts';

const envelope = z.object({
  code: z.number(),
  errMsg: z.string().nullish(),
  uuid: z.string().nullish(),
  t: z.number().nullish(),
  data: z.unknown(),
});

/** What the venue wraps every answer in. Success is code 200. */
export type Envelope = z.output<typeof envelope>;

/**
 * What an answer is worth. `declined`: the venue speaks, and says no. `unusable`: whoever spoke, it was not the venue's
 * answer to this request (5xx, a redirect, a page of a proxy, half a body).
 */
export type Answer = Readonly<
  { status: number; headers: RawResponse['headers']; body: string } & (
    | { kind: 'success' | 'declined'; envelope: Envelope }
    | { kind: 'unauthorized' | 'limited' | 'unusable'; envelope: Envelope | null }
  )
>;

export function readAnswer({ status, headers, body }: RawResponse): Answer {
  const parsed = parseEnvelope(body);
  const about = { status, headers, body };
  if (status === 429) return { ...about, kind: 'limited', envelope: parsed };
  if (status >= 500 || (status >= 300 && status < 400))
    return { ...about, kind: 'unusable', envelope: parsed };
  if (status === 401 || status === 403 || parsed?.code === CODES.unauthorized)
    return { ...about, kind: 'unauthorized', envelope: parsed };
  if (!parsed) return { ...about, kind: 'unusable', envelope: null };
  if (parsed.code !== CODES.success) return { ...about, kind: 'declined', envelope: parsed };
  return status < 300
    ? { ...about, kind: 'success', envelope: parsed }
    : { ...about, kind: 'unusable', envelope: parsed };
}

function parseEnvelope(body: string): Envelope | null {
  try {
    return envelope.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}
