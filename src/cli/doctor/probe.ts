import { dialectOf, type Dialect } from '../../api/assumptions/dialect.ts';
import { reasonOf } from '../../api/wire.ts';
import { oneLine } from '../../core/printable.ts';
import { readAll, type Read } from './answers.ts';
import { probeAssumptions, type AssumptionProbe } from './assumptions/probeAssumptions.ts';
import { missingFields, unknownFields, unknownWords } from './differences.ts';
import { ok, warn, type Finding } from './finding.ts';

/** Most differences that are told of one endpoint. */
const DIFFERENCES_MAX = 20;
/** Longest text of one: it names fields and words of the venue. */
const DIFFERENCE_TEXT_MAX = 600;

/**
 * Reads what there is to read: where answers differ from the shapes that this program expects, and what the venue does with
 * each name, word and form that its documentation leaves open.
 */
export async function probe(parts: AssumptionProbe): Promise<Finding[]> {
  const { client, venue } = parts;
  const reads = await readAll(client, venue.userAddress);
  const dialect = dialectOf(client.assumptions);
  const shapes = reads.map((read) => findingOf(`probe ${read.endpoint.path}`, compared(read, dialect)));
  return [...shapes, ...(await probeAssumptions(reads, parts))];
}

type Compared = Readonly<{ differences: readonly string[]; empty: boolean }>;

function compared({ endpoint, envelope, trouble }: Read, dialect: Dialect): Compared {
  if (trouble !== null || !envelope) return { differences: [trouble ?? ''], empty: false };
  const { path, response } = endpoint;
  const data = dialect.read(endpoint, envelope.data);
  const parsed = response.safeParse(data);
  if (!parsed.success) return { differences: [reasonOf(parsed.error)], empty: false };
  const found = [
    ...unknownFields(data, parsed.data),
    ...missingFields(path, parsed.data),
    ...unknownWords(path, data),
  ];
  return { differences: [...new Set(found)], empty: isEmpty(data) };
}

const isEmpty = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'rows' in data
    ? isEmpty(data.rows)
    : Array.isArray(data) && data.length === 0;

function findingOf(check: string, { differences, empty }: Compared): Finding {
  if (differences.length === 0)
    return ok(check, empty ? 'empty: there is nothing to compare' : 'as expected');
  return warn(check, {
    detail: differences
      .slice(0, DIFFERENCES_MAX)
      .map((difference) => oneLine(difference, DIFFERENCE_TEXT_MAX))
      .join('; '),
    remedy:
      'Unknown fields are ignored and unknown words change nothing; the lines of assumptions say what to edit',
  });
}
