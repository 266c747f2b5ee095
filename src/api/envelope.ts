import { z } from 'zod';
import { parseBounded } from '../core/nesting.ts';
import { CODES } from './assumptions/venueRules.ts';
import type { RawResponse } from './transport.ts';

export const envelope = z.object({
  code: z.number(),
  errMsg: z.string().nullish(),
  uuid: z.string().nullish(),
  t: z.number().nullish(),
  data: z.unknown(),
});

/** Wrapper of every response of the venue. Success is code 200. */
export type Envelope = z.output<typeof envelope>;

/**
 * Kind of a response. `declined`: the venue refuses. `unusable`: not the venue's response to this request (5xx, a redirect, a
 * proxy's page, a truncated body).
 */
export type Answer = Readonly<
  { status: number; headers: RawResponse['headers']; body: string } & (
    | { kind: 'success' | 'declined'; envelope: Envelope }
    | { kind: 'unauthorized' | 'limited' | 'unusable'; envelope: Envelope | null }
  )
>;

export function readAnswer({ status, headers, body }: RawResponse, parse = parseEnvelope): Answer {
  const parsed = parse(body);
  const as = <Kind, E>(kind: Kind, envelope: E) => ({ status, headers, body, kind, envelope });
  if (status === 429) return as('limited', parsed);
  if (status >= 500 || (status >= 300 && status < 400)) return as('unusable', parsed);
  if (status === 401 || status === 403 || parsed?.code === CODES.unauthorized)
    return as('unauthorized', parsed);
  if (!parsed) return as('unusable', null);
  if (parsed.code !== CODES.success) return as('declined', parsed);
  return status < 300 ? as('success', parsed) : as('unusable', parsed);
}

export function parseEnvelope(body: string): Envelope | null {
  try {
    return envelope.safeParse(parseBounded(body)).data ?? null;
  } catch {
    return null;
  }
}
