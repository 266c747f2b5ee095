import type { VenueConfig } from '../config/schema.ts';
import type { Environment } from '../config/environment.ts';
import { secretOrigin } from '../config/secrets.ts';

/** The venue rejects a timestamp that is further off than this. */
const WINDOW_MS = 45_000;

type Facts = Readonly<{ venue: VenueConfig; env: Environment; offsetMs: number | null }>;

/**
 * What is left when the venue says no more than "unauthorized": it answers so to a wrong key, secret, address, time and
 * scope alike. Told by what can be known from here; nothing is tried out, because each try looks the same from here and
 * like an attack from there.
 */
export function candidates({ venue, env, offsetMs }: Facts): { detail: string; remedy: string } {
  const key = secretOrigin('apiKey', env, venue);
  const secret = secretOrigin('apiSecret', env, venue);
  return {
    detail: `the venue does not accept the key, and does not say why. ${clockVerdict(offsetMs)}`,
    remedy: [
      'One of these is left; whoever issued the key can tell which:',
      `key: is it active and not expired, and are key (${key}) and secret (${secret}) of one pair?`,
      'address: is the public address of this machine on the whitelist of the key? An empty whitelist rejects everything',
      `scope: is the key for chain ${venue.chainId} and ${venue.product}, in this very case? Do not try others here`,
    ].join('\n  '),
  };
}

function clockVerdict(offsetMs: number | null): string {
  if (offsetMs === null) return 'The clock could not be compared: the answer carries no time';
  const seconds = Math.abs(offsetMs) / 1000;
  if (Math.abs(offsetMs) < WINDOW_MS / 2)
    return `It is not the clock: ${seconds} s off, ${WINDOW_MS / 1000} s are allowed`;
  return `It may well be the clock: this one is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead'}. Set it by NTP first`;
}
