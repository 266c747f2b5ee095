import * as endpoints from '../../api/endpoints/index.ts';
import type { VenueClient } from '../../api/client.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import { wordsOf, type Redact } from '../../api/failures.ts';
import { reasonOf } from '../../api/wire.ts';
import { isVenueFault, messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/printable.ts';
import type { VenueConfig } from '../config/schema.ts';
import { missingFields, unknownFields, unknownWords } from './differences.ts';
import { ok, warn, type Finding } from './finding.ts';

/** Most differences that are told of one endpoint. */
const DIFFERENCES_MAX = 20;
/** Longest text of one: it names fields and words of the venue. */
const DIFFERENCE_TEXT_MAX = 600;
const NEWEST = { page: 1, limit: 100 };

type Read = readonly [endpoint: Endpoint, query?: Readonly<Record<string, string | number>>];

/** Everything that can be read without knowing an id. */
const READS: readonly Read[] = [
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

type Probed = Readonly<{ differences: readonly string[]; empty: boolean }>;

/** Reads what there is to read, and tells where answers differ from the shapes that this program expects. */
export async function probe(
  client: VenueClient,
  { userAddress }: Pick<VenueConfig, 'userAddress'>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [endpoint, query] of READS) {
    const path = endpoint.path.replace('{userId}', userAddress);
    const asked = client.call('GET', path, query && { query });
    findings.push(
      findingOf(`probe ${endpoint.path}`, await probed({ endpoint, redact: client.redact }, asked)),
    );
  }
  return findings;
}

type Probe = Readonly<{ endpoint: Endpoint; redact: Redact }>;

async function probed({ endpoint, redact }: Probe, asked: ReturnType<VenueClient['call']>): Promise<Probed> {
  try {
    const { code, errMsg, data } = await asked;
    if (code !== 200) return { differences: [`code ${code}: ${wordsOf(errMsg, redact)}`], empty: false };
    return { differences: differencesIn(endpoint, data), empty: isEmpty(data) };
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return { differences: [messageOf(error)], empty: false };
  }
}

function differencesIn({ path, response }: Endpoint, data: unknown): string[] {
  const parsed = response.safeParse(data);
  if (!parsed.success) return [reasonOf(parsed.error)];
  const found = [
    ...unknownFields(data, parsed.data),
    ...missingFields(path, parsed.data),
    ...unknownWords(path, data),
  ];
  return [...new Set(found)];
}

const isEmpty = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'rows' in data
    ? isEmpty(data.rows)
    : Array.isArray(data) && data.length === 0;

function findingOf(check: string, { differences, empty }: Probed): Finding {
  if (differences.length === 0)
    return ok(check, empty ? 'empty: there is nothing to compare' : 'as expected');
  return warn(check, {
    detail: differences
      .slice(0, DIFFERENCES_MAX)
      .map((difference) => oneLine(difference, DIFFERENCE_TEXT_MAX))
      .join('; '),
    remedy: 'Unknown fields are ignored and unknown words change nothing; please report them',
  });
}
