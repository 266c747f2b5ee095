import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../../core/brand.ts';
import { CHAIN_ID, PRODUCT } from '../state/constants.ts';
import type { ApiKey } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';
import { splitAt, type VenueRequest } from '../state/messages.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const TIMESTAMP = /^\d{1,15}$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;

/**
 * Authenticates a request and uses up its nonce; null, without any change, when anything is wrong (spec,
 * "Authentication").
 */
export function authenticate(venue: VenueState, request: VenueRequest, now: EpochMs): ApiKey | null {
  const { headers } = request;
  const key = venue.keys.get(headers['x-api-key'] ?? '');
  const nonce = headers['x-api-nonce'] ?? '';
  const signed = isSignedBy(request, key?.secret ?? '');
  if (!key || !signed || !UUID_V4.test(nonce) || !isFresh(venue, headers['x-api-ts'] ?? '', now)) return null;
  if (!isInScope(headers) || !isLive(key, request.ip, now)) return null;
  if (key.access === 'READ_ONLY' && request.method !== 'GET') return null;
  return useNonce(venue, `${key.apiKey} ${nonce.toLowerCase()}`, now) ? key : null;
}

/** Verifies the signature of the five lines (HMAC-SHA256, hex in either case) in constant time. */
function isSignedBy({ method, uri, headers, body }: VenueRequest, secret: string): boolean {
  const lines = [method, canonical(uri), headers['x-api-ts'] ?? '', headers['x-api-nonce'] ?? '', body];
  const expected = createHmac('sha256', secret).update(lines.join('\n')).digest();
  const given = headers['x-api-sign'] ?? '';
  return SIGNATURE.test(given) && timingSafeEqual(expected, Buffer.from(given, 'hex'));
}

/** The path with its query sorted by name; the text of each pair is unchanged. */
function canonical(uri: string): string {
  const [path, query] = splitAt(uri, '?');
  if (!query) return path;
  const pairs = query.split('&').map((pair) => ({ pair, name: splitAt(pair, '=')[0] }));
  pairs.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  return `${path}?${pairs.map(({ pair }) => pair).join('&')}`;
}

/** True if a timestamp is within the window, in either direction (spec, "Authentication", 2). */
const isFresh = ({ state }: VenueState, timestamp: string, now: EpochMs): boolean =>
  TIMESTAMP.test(timestamp) && Math.abs(now - Number(timestamp)) <= state.constants.windowMs;

const isInScope = (headers: VenueRequest['headers']): boolean =>
  headers['x-api-chain-id'] === String(CHAIN_ID) && headers['x-api-p'] === PRODUCT;

const isLive = ({ active, expiresAt, ipWhitelist }: ApiKey, ip: string, now: EpochMs): boolean =>
  active && (expiresAt === null || now < expiresAt) && ipWhitelist.includes(ip);

/** Marks a nonce as used; false if it already was. Forgets nonces that no fresh request can carry. */
function useNonce(venue: VenueState, id: string, now: EpochMs): boolean {
  const { state, nonces } = venue;
  // Requests may arrive from one window before their timestamp to one after it.
  const keptMs = 2 * state.constants.windowMs;
  const kept = state.nonces.findIndex(({ at }) => at >= now - keptMs);
  for (const old of state.nonces.splice(0, kept < 0 ? state.nonces.length : kept)) nonces.delete(old.id);
  if (nonces.has(id)) return false;
  nonces.add(id);
  state.nonces.push({ at: now, id });
  return true;
}
