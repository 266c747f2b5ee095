import type { EpochMs } from '../../core/brand.ts';
import { gatewayReply, type VenueReply } from '../reply.ts';
import type { State } from '../state.ts';

/** A bucket of tokens, one for each request. */
export type RateLimit = {
  readonly perMinute: number;
  readonly burst: number;
  readonly retryAfter: boolean;
  tokens: number;
  at: EpochMs;
};

const MINUTE_MS = 60_000;

/** Takes a token of the bucket. Without one the request is refused, before the venue has it. */
export function limited({ rateLimit }: State, now: EpochMs): VenueReply | null {
  if (!rateLimit) return null;
  const { perMinute, burst } = rateLimit;
  rateLimit.tokens = Math.min(burst, rateLimit.tokens + ((now - rateLimit.at) * perMinute) / MINUTE_MS);
  rateLimit.at = now;
  if (rateLimit.tokens >= 1) {
    rateLimit.tokens--;
    return null;
  }
  const seconds = Math.ceil(((1 - rateLimit.tokens) * MINUTE_MS) / perMinute / 1000);
  return gatewayReply(429, rateLimit.retryAfter ? { 'retry-after': String(seconds) } : {});
}
