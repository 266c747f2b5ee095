import type { JsonSchema } from '../../src/app/config/problems.ts';

type Bounded = JsonSchema &
  Readonly<{
    minimum?: number;
    maximum?: number;
    exclusiveMinimum?: number;
    required?: readonly string[];
    additionalProperties?: unknown;
    pattern?: string;
  }>;

type Key = Readonly<{ path: string; schema: Bounded; isRequired: boolean }>;

const ADDRESS = '^0x[0-9a-fA-F]{40}$';

/** The keys of a config as Markdown: one list item per key, with type, default and meaning, one heading per section. */
export function configKeys(root: JsonSchema): string {
  const sections = keysOf(root, '');
  const single = sections.filter(({ schema }) => inner(schema).length === 0);
  const grouped = sections.filter(({ schema }) => inner(schema).length > 0);
  return [single.map(item).join('\n'), ...grouped.map(section)].join('\n\n');
}

function section({ path, schema }: Key): string {
  const all = formsOf({ path, schema, isRequired: false });
  const about = schema.description === undefined ? '' : `${schema.description}\n\n`;
  return `### ${path}\n\n${about}${all.map(item).join('\n')}`;
}

/** The keys below a key, at any depth. A key of several forms is listed once, and is required if each form requires it. */
function formsOf({ path, schema }: Key): Key[] {
  const forms = inner(schema).map((form) => keysOf(form, `${path}${schema.items ? '[]' : ''}.`));
  const byPath = new Map<string, Key>();
  for (const key of forms.flat()) {
    const isRequired = forms.every((form) =>
      form.some((other) => other.path === key.path && other.isRequired),
    );
    if (!byPath.has(key.path)) byPath.set(key.path, { ...key, isRequired });
  }
  return [...byPath.values()].flatMap((key) => [key, ...formsOf(key)]);
}

function keysOf({ properties = {}, ...rest }: Bounded, prefix: string): Key[] {
  return Object.entries(properties).map(([name, schema]) => ({
    path: `${prefix}${name}`,
    schema,
    isRequired: rest.required?.includes(name) ?? false,
  }));
}

/** The mappings within a key: its own, those of its items, and those of each form it may have. */
function inner(schema: JsonSchema): JsonSchema[] {
  const { properties, items, anyOf } = schema;
  if (properties) return [schema];
  const forms = items ? (items.anyOf ?? [items]) : (anyOf ?? []);
  return forms.filter((form) => form.properties !== undefined);
}

function item({ path, schema, isRequired }: Key): string {
  const preset = schema.default !== undefined && inner(schema).length === 0;
  const facts = [
    typeOf(schema),
    ...(isRequired && !preset ? ['_required_'] : []),
    ...(preset ? [`default \`${JSON.stringify(schema.default).replaceAll('"', '')}\``] : []),
  ];
  return `- \`${path}\` (${facts.join('; ')}): ${schema.description ?? ''}`;
}

function typeOf(schema: Bounded): string {
  const { type, enum: words, const: word, items, anyOf, pattern, additionalProperties } = schema;
  if (words) return words.map((each) => `\`${String(each)}\``).join(', ');
  if (word !== undefined) return `\`${typeof word === 'string' ? word : JSON.stringify(word)}\``;
  if (pattern === ADDRESS) return 'address';
  if (anyOf) return anyOf.map(typeOf).join(', or ');
  if (Array.isArray(type)) return type.includes('number') ? 'amount' : type.join(' or ');
  if (items) return items.properties || items.anyOf ? 'list of mappings' : `list of ${typeOf(items)}`;
  if (type === 'integer' || type === 'number') return numberType(schema);
  if (type === 'object') return additionalProperties ? 'mapping by name' : 'mapping';
  return type === 'boolean' ? 'true or false' : 'text';
}

function numberType({ type, minimum, maximum, exclusiveMinimum }: Bounded): string {
  const kind = type === 'integer' ? 'whole number' : 'number';
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && isBounded) return `${kind} from ${minimum} to ${maximum}`;
  const above = exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`;
  return `${kind}${above}${isBounded ? `, at most ${maximum}` : ''}`;
}
