import type { z } from 'zod';
import { NotSentError } from '../core/errors.ts';
import type { Dialect } from './assumptions/dialect.ts';
import { labelOf, type Endpoint, type Method } from './endpoint.ts';
import { canonicalUri } from './signing.ts';
import { reasonOf } from './wire.ts';
import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import type { FundedTerms } from '../domain/venue.ts';
import type { MoveTerms, TransferGate } from '../domain/transfers/transfer.ts';
import type { VenueClient } from './client.ts';
import type { Calldata } from './transactions.ts';

/** A request before its signature: the parts that do not depend on the moment. */
export type Prepared = Readonly<{ method: Method; uri: string; body: string }>;

/** Parts of a request to an endpoint. */
export type RequestParts = Readonly<{ path?: object; query?: object; body?: object }>;

/**
 * A request in the names of its venue: without a dialect, in ours.
 * @throws {NotSentError} when a part does not fit the endpoint's schema
 */
export function prepare(endpoint: Endpoint, asked: RequestParts, dialect: Dialect | null = null): Prepared {
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
  /** Body as text: text unchanged, anything else as JSON. */
  body?: string | object;
}>;

/** A request of any path, of which only the path is checked. */
export function prepareRaw(method: Method, path: string, { query, body = '' }: RawParts): Prepared {
  if (!/^\/api\/v1\/[^?#\s]+$/.test(path))
    throw new NotSentError(`${JSON.stringify(path)} is not a path from /api/v1/ on; give the query apart`);
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

/** Address in lower case: the venue lists addresses in any case. */
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

type Terms = Pick<MoveTerms, 'token' | 'amount'>;

// Addresses go in lower case, whatever case the venue lists them in.
const tokenBody = ({ token, amount }: Terms) => ({
  tokenAddress: lower(token),
  tokenAmount: formatDecimal(amount),
});
const creditBody = ({ token, amount }: Terms) => ({
  tokenAddress: lower(token),
  creditAmount: formatDecimal(amount),
});
const repayBody = ({ token, amount }: Terms) => ({
  stockAddress: lower(token),
  quantity: formatDecimal(amount),
});

type TransferCalls = Readonly<{
  /** Sends through One Click. */
  send: (client: VenueClient, terms: Terms, gate: TransferGate) => Promise<{ txHash: string }>;
  /** Requests the calldata for the wallet of `userAddress` to sign. Changes nothing. */
  write: (client: VenueClient, terms: Terms, userAddress: Address) => Promise<Calldata>;
  /** Call that links a transaction to the key; null where the venue lists no such transfers. */
  record: ((client: VenueClient) => VenueClient['cashDepositRecordTx']) | null;
}>;

/** Endpoints of each kind of transfer. */
export const TRANSFER_CALLS: Readonly<Record<MoveTerms['kind'], TransferCalls>> = {
  cashDeposit: {
    send: (client, terms, gate) => client.cashDepositSend({ body: tokenBody(terms) }, gate),
    write: (client, terms, userAddress) =>
      client.cashDepositCalldata({ body: { userAddress, ...tokenBody(terms) } }),
    record: (client) => client.cashDepositRecordTx,
  },
  cashWithdrawal: {
    send: (client, terms, gate) => client.cashWithdrawalSend({ body: creditBody(terms) }, gate),
    write: (client, terms, userAddress) =>
      client.cashWithdrawalCalldata({ body: { userAddress, ...creditBody(terms) } }),
    record: (client) => client.cashWithdrawalRecordTx,
  },
  stockDeposit: {
    send: (client, terms, gate) => client.stockDepositSend({ body: tokenBody(terms) }, gate),
    write: (client, terms, userAddress) =>
      client.stockDepositCalldata({ body: { userAddress, ...tokenBody(terms) } }),
    record: (client) => client.stockDepositRecordTx,
  },
  stockWithdrawal: {
    send: (client, terms, gate) => client.stockWithdrawalSend({ body: tokenBody(terms) }, gate),
    write: (client, terms, userAddress) =>
      client.stockWithdrawalCalldata({ body: { userAddress, ...tokenBody(terms) } }),
    record: (client) => client.stockWithdrawalRecordTx,
  },
  repay: {
    send: (client, terms, gate) => client.repaySend({ body: repayBody(terms) }, gate),
    write: (client, terms, userAddress) =>
      client.repayCalldata({ body: { userAddress, ...repayBody(terms) } }),
    record: null,
  },
};
