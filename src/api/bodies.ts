import type { z } from 'zod';
import { NotSentError } from '../core/errors.ts';
import type { Dialect } from './assumptions/dialect.ts';
import { labelOf, type Endpoint, type Method, type PreparedRequest, type RequestParts } from './endpoint.ts';
import { canonicalUri } from './signing.ts';
import { reasonOf } from './wire.ts';
import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import type { FundedTerms } from '../domain/venue.ts';

/**
 * Builds a request in the venue's names, or without a dialect in ours.
 * @throws {NotSentError} when a part does not match the endpoint's schema
 */
export function prepare(
  endpoint: Endpoint,
  asked: RequestParts,
  dialect: Dialect | null = null,
): PreparedRequest {
  const check = <T>(part: keyof RequestParts, schema: z.ZodType<T> | undefined): T | undefined => {
    if (!schema && asked[part] === undefined) return undefined;
    const parsed = schema?.safeParse(asked[part] ?? {});
    if (parsed?.success) return dialect ? dialect.ask(endpoint, part, parsed.data) : parsed.data;
    const reason = parsed ? reasonOf(parsed.error) : 'it takes none';
    throw new NotSentError(`${labelOf(endpoint)}: ${part}: ${reason}`);
  };
  const body = check('body', endpoint.body);
  return {
    method: endpoint.method,
    uri: canonicalUri(fill(endpoint.path, check('path', endpoint.params)), check('query', endpoint.query)),
    body: body === undefined ? '' : JSON.stringify(body),
  };
}

/** Parts of a raw call. */
export type RawParts = Readonly<{
  query?: Readonly<Record<string, string | number>>;
  /** Body: text is sent unchanged, anything else as JSON. */
  body?: string | object;
}>;

/** A request with an arbitrary path; only the path is checked. */
export function prepareRaw(method: Method, path: string, { query, body = '' }: RawParts): PreparedRequest {
  if (!/^\/api\/v1\/[^?#\s]+$/.test(path))
    throw new NotSentError(
      `${JSON.stringify(path)} is not a path that starts with /api/v1/; pass the query separately`,
    );
  return {
    method,
    uri: canonicalUri(path, query),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const fill = (template: string, params: Readonly<Record<string, string>> | undefined): string =>
  params
    ? template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    : template;

/** Address in lower case, because the venue lists addresses in any case. */
export const lower = (address: Address): Address => address.toLowerCase() as Address;

/** Terms of an order in the venue's words. The sender adds the deadline. */
export const bodyOf = (terms: FundedTerms) => ({
  ...termsBody(terms),
  ...(terms.funding?.kind === 'deferred' && { deferred: true }),
});

/** The same with a deposit from the wallet. */
export const withDepositBody = (
  terms: FundedTerms,
  { token, amount }: Extract<FundedTerms['funding'], { kind: 'deposit' }>,
) => ({
  ...termsBody(terms),
  ...(token && { tokenAddress: lower(token) }),
  tokenAmount: formatDecimal(amount),
});

function termsBody(terms: FundedTerms) {
  const stockAddress = lower(terms.stock);
  const side = terms.side === 'buy' ? ('Buy' as const) : ('Sell' as const);
  if (terms.type === 'limit')
    return {
      stockAddress,
      side,
      type: 'Limit' as const,
      quantity: formatDecimal(terms.quantity),
      price: formatDecimal(terms.price),
      timeInForce: 'DAY' as const,
    };
  const size =
    terms.side === 'buy'
      ? { notional: formatDecimal(terms.notional) }
      : { quantity: formatDecimal(terms.quantity) };
  return { stockAddress, side, type: 'Market' as const, ...size };
}
