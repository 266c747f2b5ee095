import * as endpoints from '../../api/endpoints/index.ts';
import { HISTORY_WORDS, LINKED_WORDS, OPEN_WORDS, REVERTED_WORD } from '../../api/adopted.ts';
import type { VenueClient } from '../../api/client.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import { isUnreadable, reasonOf } from '../../api/wire.ts';
import type { VenueConfig } from '../config/schema.ts';
import { ok, warn, type Finding } from './finding.ts';

/** Most differences that are told of one endpoint. */
const DIFFERENCES_MAX = 20;

type Read = Readonly<{
  path: string;
  endpoint: Pick<Endpoint, 'response'>;
  query?: Record<string, string | number>;
}>;

/** Reads what there is to read, and tells where answers differ from the shapes that this program expects. */
export async function probe(client: VenueClient, { userAddress }: VenueConfig): Promise<Finding[]> {
  const reads: Read[] = [
    { path: '/api/v1/config', endpoint: endpoints.config },
    { path: '/api/v1/symbols', endpoint: endpoints.symbols },
    { path: `/api/v1/users/${userAddress}`, endpoint: endpoints.user },
    { path: `/api/v1/users/${userAddress}/balance`, endpoint: endpoints.balance },
    { path: `/api/v1/users/${userAddress}/positions`, endpoint: endpoints.positions },
    { path: '/api/v1/orders', endpoint: endpoints.orders, query: { page: 1, limit: 100 } },
    { path: '/api/v1/1ct/status', endpoint: endpoints.oneClickStatus },
  ];
  const findings: Finding[] = [];
  for (const read of reads) {
    const check = `probe ${read.path.replace(userAddress, '{userId}')}`;
    findings.push(findingOf(check, await differencesIn(client, read)));
  }
  return findings;
}

async function differencesIn(client: VenueClient, { path, endpoint, query }: Read): Promise<string[]> {
  const { code, errMsg, data } = await client.call('GET', path, query && { query });
  if (code !== 200) return [`code ${code}: ${errMsg ?? ''}`];
  const parsed = endpoint.response.safeParse(data);
  if (!parsed.success) return [reasonOf(parsed.error)];
  return [...new Set([...differences(data, parsed.data), ...unknownWords(data)])];
}

function findingOf(check: string, found: readonly string[]): Finding {
  if (found.length === 0) return ok(check, 'as expected');
  return warn(check, {
    detail: found.slice(0, DIFFERENCES_MAX).join('; '),
    remedy: 'Unknown fields are ignored and unknown words change nothing; please report them',
  });
}

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Known fields of a link that no schema reads: they repeat the scope of the key. */
const NOT_NEEDED: ReadonlySet<string> = new Set(['chainId', 'productType']);

/** Fields that the schema dropped, and rows that it could not read, by their paths without row numbers. */
function differences(raw: unknown, read: unknown, path = ''): string[] {
  if (isUnreadable(read)) return [`${path}: ${read.unreadable}`];
  if (Array.isArray(raw) && Array.isArray(read))
    return raw.flatMap((row: unknown, index) => differences(row, read[index], `${path}[]`));
  if (!isTree(raw) || !isTree(read)) return [];
  // A row of orders that is the link alone is read as if the link stood in a field of its own.
  const known: Tree = { ...(isTree(read['mapping']) ? read['mapping'] : {}), ...read };
  return Object.entries(raw).flatMap(([key, value]) => {
    const inner = path ? `${path}.${key}` : key;
    if (NOT_NEEDED.has(key)) return [];
    return key in known ? differences(value, known[key], inner) : [`unknown field ${inner}`];
  });
}

const WORDS: ReadonlySet<string> = new Set([
  ...LINKED_WORDS,
  ...Object.keys(OPEN_WORDS),
  ...Object.keys(HISTORY_WORDS),
  REVERTED_WORD,
]);

/** Words in the fields that tell how far an order is. */
function unknownWords(raw: unknown): string[] {
  if (Array.isArray(raw)) return raw.flatMap(unknownWords);
  if (!isTree(raw)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const isWord =
      ['mappingStatus', 'orderStatus'].includes(key) ||
      (key === 'status' && ('side' in raw || 'txHash' in raw));
    if (isWord && typeof value === 'string')
      return WORDS.has(value) ? [] : [`unknown word ${JSON.stringify(value)} in ${key}`];
    return unknownWords(value);
  });
}
