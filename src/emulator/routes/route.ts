import type { EpochMs } from '../../core/brand.ts';
import type { Address } from '../../domain/instrument.ts';
import type { Disorder } from '../faults/corrupt.ts';
import type { Account, ApiKey, RecoveredSigner } from '../state/state.ts';
import { type VenueState, accountOf } from '../state/venueState.ts';
import { undelegated } from '../state/messages.ts';
import { orElse } from '../../core/errors.ts';

export type Context = Readonly<{
  venue: VenueState;
  now: EpochMs;
  key: ApiKey;
  /** Path parameters by name. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: string;
  /** Id of this request, in the envelope and in the response to a send. */
  uuid: string;
  recovered: RecoveredSigner | null;
  /** Fault in the pages of a list, if the plan contains one. */
  disorder: Disorder | null;
}>;

/** Returns `data` as JSON text. Throws a `Refusal` for anything that the venue refuses. */
export type Handler = (context: Context) => string;

/** Handlers by method and path, with parameters in braces, as in `GET /api/v1/orders/{orderId}`. */
export type Routes = Readonly<Record<`${'GET' | 'POST' | 'DELETE'} /api/v1/${string}`, Handler>>;

export type Match = Readonly<{ endpoint: string; handle: Handler; path: Readonly<Record<string, string>> }>;

/** Creates the router, which finds the first matching route of a path (without query) in table order. */
export function createRouter(routes: Routes) {
  const table = Object.entries(routes).map(([endpoint, handle]) => ({
    endpoint,
    handle,
    parts: endpoint.split('/'),
  }));
  return (method: string, path: string): Match | null => {
    const given = `${method} ${path}`.split('/');
    for (const { parts, ...route } of table) {
      const values = parts.length === given.length ? matchParts(parts, given) : null;
      if (values) return { ...route, path: values };
    }
    return null;
  };
}

function matchParts(parts: readonly string[], given: readonly string[]): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith('{')) values[part.slice(1, -1)] = decode(text);
    else if (part !== text) return null;
  }
  return values;
}

/** Decodes a path segment; one with invalid percent-encoding stays unchanged. */
const decode = (text: string): string => orElse(() => decodeURIComponent(text), text);

/** The account of the key's wallet. @throws {Refusal} when the key is not bound to one */
export function boundUser({ venue, key }: Pick<Context, 'venue' | 'key'>): Account {
  if (key.unbound) throw undelegated('userAddress is not bound to this key');
  return accountOf(venue, key.userAddress);
}

/** The key's wallet, or null. */
export const userOf = ({ key }: Pick<Context, 'key'>): Address | null =>
  key.unbound ? null : key.userAddress;
