import {
  ACTION_TYPES,
  DELEGATION_WORDS,
  HISTORY_WORDS,
  LINKED_WORDS,
  OPEN_WORDS,
  OPERATION_TYPES,
  OPERATION_WORDS,
  REVERTED_WORD,
} from '../../api/assumptions/venueRules.ts';
import { openApi } from '../../api/openapi.ts';
import { reasonOf } from '../../api/wire.ts';
import { isUnreadable, isTree, type Tree } from '../../core/nesting.ts';
import { dialectOf, type Dialect } from '../../api/assumptions/dialect.ts';
import { oneLine } from '../../core/printable.ts';
import { readAll, type EndpointReply } from './answers.ts';
import { probeAssumptions, type AssumptionProbe } from './assumptions/probeAssumptions.ts';
import { ok, warn, type Finding } from './finding.ts';

/** Known fields of a link that no schema reads: they repeat the scope of the key. */
const NOT_NEEDED: ReadonlySet<string> = new Set(['chainId', 'productType']);

/** Fields that a row may lack, because the indexer has not filled them in yet or the row is of another kind. */
const MAY_BE_ABSENT: ReadonlySet<string> = new Set([
  'mapping',
  'mappingStatus',
  'orderStatus',
  'operationStatus',
  'openOrder',
  'historyOrder',
  'deferred',
  'depositOperation',
  'withdrawalOperation',
  'stockOperation',
]);

/** Fields that the schema dropped, and rows that it could not parse, by their paths without row numbers. */
function unknownFields(raw: unknown, read: unknown, path = ''): string[] {
  if (isUnreadable(read)) return [`${path}: ${read.unreadable}`];
  if (Array.isArray(raw) && Array.isArray(read))
    return raw.flatMap((row: unknown, index) => unknownFields(row, read[index], `${path}[]`));
  if (!isTree(raw) || !isTree(read)) return [];
  // A row that consists of only the link, or only the moved object, is read as if that stood in its own field.
  const parts = Object.entries(read).filter(([key, value]) => MAY_BE_ABSENT.has(key) && isTree(value));
  const known: Tree = Object.assign({}, ...parts.map(([, part]) => part), read) as Tree;
  return Object.entries(raw).flatMap(([key, value]) => {
    const inner = path ? `${path}.${key}` : key;
    if (NOT_NEEDED.has(key)) return [];
    return key in known ? unknownFields(value, known[key], inner) : [`unknown field ${inner}`];
  });
}

type Schema = Readonly<{
  $ref?: string;
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
}>;
type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, Schema>> }>;
}>;

let built: Document | undefined;

/** Missing fields of an endpoint's response, by their paths. */
function missingFields(endpoint: string, read: unknown): string[] {
  const document = (built ??= openApi() as unknown as Document);
  const operation = document.paths[endpoint]?.['get'] as {
    responses: { 200: { content: { 'application/json': { schema: Schema } } } };
  };
  const { allOf = [] } = operation.responses[200].content['application/json'].schema;
  const data = allOf[1]?.properties?.['data'] ?? {};
  return missingIn({ schema: data, schemas: document.components.schemas }, read, '');
}

type ExpectedSchema = Readonly<{ schema: Schema; schemas: Document['components']['schemas'] }>;

function missingIn({ schema: given, schemas }: ExpectedSchema, value: unknown, path: string): string[] {
  const { items, properties = {} } = resolved(given, schemas);
  if (isUnreadable(value)) return [];
  if (Array.isArray(value))
    return items ? value.flatMap((row) => missingIn({ schema: items, schemas }, row, `${path}[]`)) : [];
  if (!isTree(value)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = path ? `${path}.${name}` : name;
    if (name in value) return missingIn({ schema, schemas }, value[name], inner);
    return MAY_BE_ABSENT.has(name) ? [] : [`missing field ${inner}`];
  });
}

/** The schema behind a reference; if there are several forms, the one that is not null. */
function resolved(schema: Schema, schemas: ExpectedSchema['schemas']): Schema {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return resolved(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  return (
    anyOf?.map((each) => resolved(each, schemas)).find((each) => each.items ?? each.properties) ?? schema
  );
}

const ORDER_WORDS = new Set([
  ...LINKED_WORDS,
  ...Object.keys(OPEN_WORDS),
  ...Object.keys(HISTORY_WORDS),
  REVERTED_WORD,
]);
const MOVE_WORDS = new Set([...LINKED_WORDS, ...OPERATION_WORDS]);
const STATUS = ['status', 'mappingStatus', 'orderStatus', 'operationStatus'];

const wordsOf = (endpoint: string): ReadonlySet<string> | null => {
  if (endpoint.startsWith('/api/v1/orders')) return ORDER_WORDS;
  if (endpoint === '/api/v1/1ct/status') return DELEGATION_WORDS;
  return /^\/api\/v1\/(cash|stock)\//.test(endpoint) ? MOVE_WORDS : null;
};

/** Unknown words in the status and kind fields. */
function unknownWords(endpoint: string, raw: unknown): string[] {
  if (Array.isArray(raw)) return raw.flatMap((row) => unknownWords(endpoint, row));
  if (!isTree(raw)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    if (typeof value !== 'string') return unknownWords(endpoint, value);
    const words = vocabularyOf(endpoint, key);
    return !words || words.has(value) ? [] : [`unknown word ${JSON.stringify(value)} in ${key}`];
  });
}

function vocabularyOf(endpoint: string, key: string): ReadonlySet<string> | null {
  if (key === 'operationType') return OPERATION_TYPES;
  if (key === 'type' && endpoint === '/api/v1/corporate-action') return ACTION_TYPES;
  return STATUS.includes(key) ? wordsOf(endpoint) : null;
}

/** Largest number of differences shown for one endpoint. */
const DIFFERENCES_MAX = 20;
/** Maximum length of one difference: it names fields and words of the venue. */
const DIFFERENCE_TEXT_MAX = 600;

/**
 * Compares all parsable responses with the shapes that this program expects, and checks every name, word and form that the
 * documentation leaves open.
 */
export async function probe(parts: AssumptionProbe): Promise<Finding[]> {
  const { client, venue } = parts;
  const reads = await readAll(client, venue.userAddress);
  const dialect = dialectOf(client.assumptions);
  const shapes = reads.map((read) => findingOf(`probe ${read.endpoint.path}`, compared(read, dialect)));
  return [...shapes, ...(await probeAssumptions(reads, parts))];
}

type Comparison = Readonly<{ differences: readonly string[]; empty: boolean }>;

function compared({ endpoint, envelope, trouble }: EndpointReply, dialect: Dialect): Comparison {
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

function findingOf(check: string, { differences, empty }: Comparison): Finding {
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
