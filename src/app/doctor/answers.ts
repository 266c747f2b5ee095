import * as endpoints from '../../api/endpoints/index.ts';
import type { VenueClient } from '../../api/client.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { Envelope } from '../../api/envelope.ts';
import { wordsOf } from '../../api/failures.ts';
import { atVenueFault, messageOf } from '../../core/errors.ts';

const NEWEST = { page: 1, limit: 100 };

/** Raw response of an endpoint; `trouble` is the reason if there is none. */
export type EndpointReply = Readonly<{
  endpoint: Endpoint;
  envelope: Envelope | null;
  trouble: string | null;
}>;

/** Every read that needs no id. */
const QUESTIONS: readonly (readonly [Endpoint, Readonly<Record<string, string | number>>?])[] = [
  [endpoints.config],
  [endpoints.symbols],
  [endpoints.corporateActions],
  [endpoints.user],
  [endpoints.balance],
  [endpoints.positions],
  [endpoints.orders, NEWEST],
  [endpoints.cashDeposits, NEWEST],
  [endpoints.cashWithdrawals, NEWEST],
  [endpoints.stockDeposits, NEWEST],
  [endpoints.stockWithdrawals, NEWEST],
  [endpoints.debts],
  [endpoints.oneClickStatus],
];

/** Makes every read that needs no id. */
export async function readAll(client: VenueClient, userAddress: string): Promise<readonly EndpointReply[]> {
  const reads: EndpointReply[] = [];
  for (const [endpoint, query] of QUESTIONS) {
    const path = endpoint.path.replace('{userId}', userAddress);
    reads.push({ endpoint, ...(await answerTo(client, path, query)) });
  }
  return reads;
}

/** Envelope of one read, or the reason for its failure. */
export async function answerTo(
  client: VenueClient,
  path: string,
  query?: Readonly<Record<string, string | number>>,
): Promise<Omit<EndpointReply, 'endpoint'>> {
  const envelope = await client.call('GET', path, query && { query }).catch(atVenueFault(messageOf));
  if (typeof envelope === 'string') return { envelope: null, trouble: envelope };
  const { code, errMsg } = envelope;
  return { envelope, trouble: code === 200 ? null : `code ${code}: ${wordsOf(errMsg, client.redact)}` };
}

/** The `data` of a read that succeeded. */
export function dataOf(reads: readonly EndpointReply[], path: Endpoint['path']): unknown {
  const read = reads.find(({ endpoint }) => endpoint.path === path);
  return read?.trouble === null ? read.envelope?.data : undefined;
}
