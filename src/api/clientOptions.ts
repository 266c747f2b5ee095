import type { Clock } from '../core/clock.ts';
import { ConfigError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import type { Secrets } from '../core/secrets.ts';
import { ALLOWED_GROUPS, isAllowedGroup, type AllowedGroup, type DeniedCall } from './allowList.ts';
import type { Assumptions } from './assumptions/assumptions.ts';
import type { Access } from './endpoint.ts';
import type { Transport } from './transport.ts';

export type VenueClientOptions = Readonly<{
  /** Up to and without `/api/v1`; a context path may stand in it. https, or http on loopback. */
  baseUrl: string;
  chainId: number;
  /** Case-sensitive, as the venue spells it. */
  product: string;
  apiKey: string;
  secret: string;
  /** What the key may do. With `READ_ONLY` a write fails before it queues. Default `WRITABLE`. */
  access?: Access;
  /**
   * What may be signed beside reads and the placing and cancelling of orders. Default nothing: a call of any other
   * group fails with a `SafetyError` before it is signed.
   */
  allow?: readonly AllowedGroup[];
  /** Told of each call that `allow` keeps from being signed, before it fails. */
  onDenied?: (call: DeniedCall) => void;
  /** Most requests in any minute; `Infinity` lifts the budget. Default 600. */
  requestsPerMinute?: number;
  /** Names and words of the venue where they are not those that this package assumes. */
  assumptions?: Assumptions;
  clock?: Clock;
  /** Nonces and the jitter of back-offs. */
  random?: Random;
  transport?: Transport;
  log?: Log;
  /** Takes up the key's secret, and masks it wherever an answer of the venue is quoted. */
  secrets?: Secrets;
}>;

/** Below this the bucket would hold nothing. */
const REQUESTS_MIN = 10;
/** What can stand in a header. */
const HEADER = /^[\x21-\x7e]+$/;

/** @throws {ConfigError} for a key, scope, budget or group that cannot be */
export function checkOptions({
  apiKey,
  product,
  secret,
  chainId,
  allow = [],
  requestsPerMinute = REQUESTS_MIN,
}: VenueClientOptions): void {
  if (!HEADER.test(apiKey) || !HEADER.test(product) || secret === '')
    throw new ConfigError('the API key, its secret and the product must be given, without spaces');
  if (!Number.isSafeInteger(chainId) || chainId < 1)
    throw new ConfigError('the chain id must be a whole number');
  if (!(requestsPerMinute >= REQUESTS_MIN))
    throw new ConfigError(`the request budget must be at least ${REQUESTS_MIN} a minute`);
  for (const group of allow)
    if (!isAllowedGroup(group))
      throw new ConfigError(`allow: ${String(group)} is none of ${ALLOWED_GROUPS.join(', ')}`);
}
