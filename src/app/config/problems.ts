import { z } from 'zod';
import type { Redact } from '../../api/failures.ts';
import { ConfigError } from '../../core/errors.ts';
import { valueAt } from '../../core/nesting.ts';
import type { Secrets } from '../../core/secrets.ts';
import { suggest } from '../../core/suggest.ts';
import { isDangerousKey } from './likelySecrets.ts';

/** Path from the root to a value: keys of mappings, and indexes of lists. */
export type Path = readonly (string | number)[];

/** Line, counted from 1. */
type Position = Readonly<{ line: number; column: number }>;

/** One problem and its remedy. */
export type Problem = Readonly<{ path: Path; problem: string; remedy?: string; at?: 'key' | 'value' }>;

/** A problem at its place. `where` is `file:line:column`, or the flag with the value. */
export type PlacedProblem = Problem & Readonly<{ where: string; position?: Position }>;

/** `strategies[0].params.fast` */
export const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

function lineOf({ where, path, problem, remedy }: PlacedProblem): string {
  const subject = path.length > 0 ? `${pathText(path)}: ` : '';
  return `${where}: ${subject}${problem}${remedy ? `. ${remedy}` : ''}`;
}

/** One error for all problems, in the order of the file, one line each. A secret in a path is masked. */
export function configError(problems: readonly PlacedProblem[], redact: Redact): ConfigError {
  const ordered = [...problems].sort(
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
      (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );
  return new ConfigError(redact(ordered.map(lineOf).join('\n')), {
    problems: ordered.map(({ path, where, position, problem, remedy }) => ({
      where: redact(where),
      ...position,
      path: redact(pathText(path)),
      problem: redact(problem),
      ...(remedy === undefined ? {} : { remedy }),
    })),
  });
}

/** Part of a JSON Schema needed to explain a problem. */
export type JsonSchema = Readonly<{
  type?: string | readonly string[];
  description?: string;
  default?: unknown;
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
  /** Schema of the values of a mapping with free keys. */
  additionalProperties?: JsonSchema | false;
  anyOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
}>;

/** The schema of a file's values, before they are parsed, as JSON Schema. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** The part of `schema` at `path`; undefined if there is none. */
function schemaAt(schema: JsonSchema, path: Path): JsonSchema | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return schema;
  const free = schema.additionalProperties === false ? undefined : schema.additionalProperties;
  const own = typeof part === 'number' ? schema.items : (schema.properties?.[part] ?? free);
  if (own) return schemaAt(own, rest);
  return schema.anyOf?.map((branch) => schemaAt(branch, path)).find((found) => found !== undefined);
}

/** A value to check, and its schema. `under` is prepended to each path. */
export type SchemaCheck = Readonly<{
  /** The schema, or for a strategy in a thread, whose own schema stays there, its JSON Schema. */
  schema: z.ZodType | Readonly<{ json: JsonSchema }>;
  value: unknown;
  under?: Path;
  secrets: Secrets;
}>;

/**
 * All problems of `value` under `schema`, in words for people; empty when it fits. A key unlike any of the schema may be a
 * secret pasted in the wrong place: it is registered, so that no message repeats it.
 */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  { schema, value, under = [], secrets }: SchemaCheck,
): Problem[] {
  // Building the JSON Schema takes a tenth of a second, and most values have no problem.
  if (issues.length === 0) return [];
  const known = 'json' in schema ? schema.json : jsonSchemaOf(schema);
  const everyName = namesIn(known);
  const redact: Redact = (text) => secrets.redact(text);
  return withoutSizes(issues.map(nearestBranch)).flatMap((issue) => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    const at = (problem: Omit<Problem, 'path'>, more: Path = []) => ({
      ...problem,
      path: [...under, ...path, ...more],
    });
    if (issue.code === 'unrecognized_keys') {
      const names = Object.keys(schemaAt(known, path)?.properties ?? {});
      const odd = issue.keys.filter((key) => !isDangerousKey(key) && !isLike(key, everyName));
      odd.forEach((key) => secrets.register(key));
      return issue.keys.map((key) =>
        at(misplacedKey(key, { path, under, known }) ?? unknownKey(key, names), [key]),
      );
    }
    return [at(describe(issue, { value: valueAt(value, path), schema: schemaAt(known, path), redact }))];
  });
}

/** Drops size issues of values with a wrong type: a text has a length where a list should be. */
function withoutSizes(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const wrong = new Set(issues.flatMap(({ code, path }) => (code === 'invalid_type' ? path.join('.') : [])));
  return issues.filter(({ code, path }) => !code.startsWith('too_') || !wrong.has(path.join('.')));
}

/**
 * First issue of a value that fits none of several forms, taken from the closest one: the form with the fewest issues,
 * all inside the value.
 */
function nearestBranch(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const [nearest] = issue.errors
    .filter(
      (found) =>
        found.length > 0 && found.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
    )
    .sort((a, b) => a.length - b.length);
  const [first] = nearest ?? [];
  return first ? { ...first, path: [...issue.path, ...first.path] } : issue;
}

/** The keys that `schema` knows, at any depth. */
function namesIn({
  properties = {},
  items,
  additionalProperties: free,
  anyOf: branches = [],
}: JsonSchema): string[] {
  const inner = [
    ...Object.values(properties),
    ...branches,
    ...(items ? [items] : []),
    ...(free ? [free] : []),
  ];
  return [...Object.keys(properties), ...inner.flatMap(namesIn)];
}

/** True for a key that resembles one of the names or combines their words, such as `dayNotional`: it is not a secret. */
function isLike(key: string, names: readonly string[]): boolean {
  const words = new Set(names.flatMap(wordsOf));
  return suggest(key, names) !== undefined || wordsOf(key).every((word) => words.has(word));
}

/** `orderNotional`: order, notional. */
const wordsOf = (name: string): string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

/** Problem of a key that belongs to an enclosing section; null if none has it. */
function misplacedKey(
  key: string,
  { path, under, known }: Readonly<{ path: Path; under: Path; known: JsonSchema }>,
): Omit<Problem, 'path'> | null {
  const knows = (above: Path) => Object.hasOwn(schemaAt(known, above)?.properties ?? {}, key);
  const above = path.map((_, length) => path.slice(0, length)).findLast(knows);
  if (above === undefined) return null;
  const section = pathText([...under, ...above]);
  const where = section === '' ? 'at the top level' : `in ${section}`;
  return { problem: 'unknown key', remedy: `It belongs ${where}, not here`, at: 'key' };
}

function unknownKey(key: string, known: readonly string[]): Omit<Problem, 'path'> {
  const suggestion = suggest(key, known);
  const names = known.length > 0 ? `Known here: ${known.join(', ')}` : 'There is no setting here';
  const remedy = suggestion ? `Did you mean ${JSON.stringify(suggestion)}?` : names;
  return { problem: 'unknown key', remedy, at: 'key' };
}

/** Prefixes of zod's own messages; any other was written for the schema, and is more precise. */
const GENERIC = /^(Invalid|Too |Unrecognized)/;

type InvalidValue = Readonly<{ value: unknown; schema: JsonSchema | undefined; redact: Redact }>;

function describe(
  issue: z.core.$ZodIssue,
  { value, schema = {}, redact }: InvalidValue,
): Omit<Problem, 'path'> {
  const remedy =
    schema.description === undefined
      ? {}
      : { remedy: `About this setting: ${schema.description.replace(/\.$/, '')}` };
  const isOfRule = issue.code === 'custom' && !GENERIC.test(issue.message);
  if (value === undefined) return { problem: isOfRule ? redact(issue.message) : 'is missing', ...remedy };
  // A text in place of a mapping or list may be anything, even a secret.
  const shown = typeof value === 'string' && hasParts(schema) ? 'text' : cut(redact(show(value)));
  if (issue.code === 'invalid_value')
    return { problem: `must be ${anyOf(issue.values)}, not ${shown}`, ...meantWord(value, issue.values) };
  const rule = redact(GENERIC.test(issue.message) ? `must be ${expected(issue, schema)}` : issue.message);
  const isSaid = rule.includes(shown) || (shown === MAPPING && !GENERIC.test(issue.message));
  return { problem: isSaid ? rule : `${rule}, not ${shown}`, ...remedy };
}

function expected(issue: z.core.$ZodIssue, schema: JsonSchema): string {
  if (issue.code === 'too_small')
    return `${issue.inclusive === false ? 'more than' : 'at least'} ${sizeOf(issue)}`;
  if (issue.code === 'too_big')
    return `${issue.inclusive === false ? 'less than' : 'at most'} ${sizeOf(issue)}`;
  if (issue.code === 'not_multiple_of') return `a multiple of ${issue.divisor}`;
  if (issue.code === 'invalid_format')
    return `text of the form ${issue.format === 'regex' ? issue.pattern : issue.format}`;
  return kindOf(schema);
}

function meantWord(value: unknown, words: readonly unknown[]): { remedy?: string } {
  const suggestion = typeof value === 'string' ? suggest(value, words.map(String)) : undefined;
  return suggestion === undefined ? {} : { remedy: `Did you mean ${suggestion}?` };
}

/** `10`, `2 characters long`, `3 entries` */
function sizeOf(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const size = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const units: Readonly<Record<string, string>> = { string: ' characters long', array: ' entries' };
  return `${size}${units[issue.origin] ?? ''}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping (key: value)',
  null: 'empty',
};

const anyOf = (values: readonly unknown[]): string =>
  values
    .map(String)
    .reduce((text, word, index) => text + (index === values.length - 1 ? ' or ' : ', ') + word);

function kindOf({ type, anyOf: branches, enum: words, const: word }: JsonSchema): string {
  if (branches) return branches.map(kindOf).join(' or ');
  if (words) return anyOf(words);
  if (word !== undefined) return show(word);
  const kinds = [type ?? []].flat().map((name) => KINDS[name] ?? name);
  return kinds.length > 0 ? anyOf(kinds) : 'of another type';
}

const hasParts = ({ properties, items }: JsonSchema): boolean =>
  properties !== undefined || items !== undefined;

const SHOWN_MAX = 60;
const MAPPING = 'a mapping';

/** Cuts only masked text, so that no part of a secret remains at the cut. */
const cut = (text: string): string => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 3)}…` : text);

/** A value for an error message: only its kind if it has parts. */
function show(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return MAPPING;
  return JSON.stringify(value);
}
