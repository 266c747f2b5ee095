import { isPair, isSeq, visit, type Document, type Node } from 'yaml';
import { treeOf } from '../../../core/nesting.ts';
import type { Secrets } from '../../../core/secrets.ts';
import { suggest } from '../../../core/suggest.ts';
import type { Environment } from '../../../process/environment.ts';
import { isDangerousKey, likelySecretsIn } from '../likelySecrets.ts';
import type { JsonSchema, Path, PlacedProblem, Problem } from '../problems.ts';
import { expanded, isOverride, OVERRIDE_PREFIX } from './expansion.ts';

type FoundProblem = Problem & Readonly<{ offset: number }>;

/** Replaces the variables in the values of a document. An unquoted value is then parsed as YAML would parse it. */
export function expandVariables(document: Document.Parsed, env: Environment): FoundProblem[] {
  const found: FoundProblem[] = [];
  visit(document, {
    Scalar(key, node, ancestors) {
      const { value } = node;
      if (key === 'key' || typeof value !== 'string' || !value.includes('${')) return;
      const text = expanded(value, env, (problem) =>
        found.push({ ...problem, path: pathOf(ancestors, node), offset: node.range?.[0] ?? 0 }),
      );
      node.value = node.type === 'PLAIN' ? plainValue(text) : text;
      node.source = text;
    },
  });
  return found;
}

export const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
/** Maximum number of digits that a JavaScript number keeps exactly. */
const DIGITS_MAX = 15;

/** `0.5` as a number, `true` and `false` as booleans, everything else as text, including amounts with many digits. */
export function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return PLAIN_NUMBER.test(text) && text.replace(/\D/g, '').length <= DIGITS_MAX ? Number(text) : text;
}

const pathOf = (ancestors: readonly unknown[], node: Node): Path =>
  ancestors.flatMap((each, index): Path => {
    if (isPair(each)) return [String(each.key)];
    return isSeq(each) ? [each.items.indexOf(ancestors[index + 1] ?? node)] : [];
  });

/** Context for finding overrides: the schema and the values in the files. */
type Context = Readonly<{ schema: JsonSchema; written: unknown; secrets: Secrets }>;
type VariableOverride = Readonly<{ path: Path; name: string; text: string }>;
type OverrideSearch = Readonly<{
  overrides: readonly VariableOverride[];
  problems: readonly PlacedProblem[];
}>;

/** Config values set by environment variables, each with its path; a name that matches no value is a problem. */
export function overridesIn(env: Environment, known: Context): OverrideSearch {
  const overrides: VariableOverride[] = [];
  const problems: PlacedProblem[] = [];
  for (const [name, text = ''] of Object.entries(env)) {
    if (!isOverride(name)) continue;
    const path = name.startsWith(OVERRIDE_PREFIX)
      ? pathIn(name.slice(OVERRIDE_PREFIX.length).split('__'), known)
      : { problem: 'sets nothing', remedy: `Begin it with ${OVERRIDE_PREFIX}` };
    const twin = Array.isArray(path) && overrides.find((one) => one.path.join('.') === path.join('.'));
    const problem = twin ? { problem: `${twin.name} sets the same`, remedy: 'Unset one of them' } : path;
    if (Array.isArray(problem)) overrides.push({ path: problem, name, text });
    else {
      likelySecretsIn(text).forEach((secret) => known.secrets.register(secret));
      problems.push({ path: [], where: `env ${name}`, ...(problem as Omit<Problem, 'path'>) });
    }
  }
  return { overrides, problems };
}

const SECRET_REMEDY = 'Set DROVER_API_KEY and the like, or name files by venue.keyFile and venue.secretFile';

/** The path that the words of a variable name match, ignoring case; otherwise the reason why there is none. */
function pathIn(words: readonly string[], { schema, written }: Context): Path | Omit<Problem, 'path'> {
  const path: (string | number)[] = [];
  let at: JsonSchema | undefined = schema;
  let value = written;
  for (const word of words) {
    if (isDangerousKey(word.replaceAll('_', '')))
      return { problem: 'a secret must not be set by a variable of the config', remedy: SECRET_REMEDY };
    const names: readonly string[] = namesAt(at, value);
    const part = names.find((name) => name.toLowerCase() === word.toLowerCase());
    if (part === undefined) return unknownWord(word, path, names);
    const step: string | number = Array.isArray(value) ? Number(part) : part;
    path.push(step);
    at = stepInto(at, step);
    value = treeOf(value)[part];
  }
  return path;
}

/** Keys and indexes below a value: those of the schema, and for free keys and lists those in the files. */
const namesAt = (schema: JsonSchema | undefined, value: unknown): readonly string[] => [
  ...new Set([
    ...(schema ? [schema, ...(schema.anyOf ?? [])] : []).flatMap(({ properties }) =>
      Object.keys(properties ?? {}),
    ),
    ...Object.keys(treeOf(value)),
  ]),
];

const stepInto = (schema: JsonSchema | undefined, part: string | number): JsonSchema | undefined =>
  (schema ? [schema, ...(schema.anyOf ?? [])] : [])
    .map((each) => (typeof part === 'number' ? each.items : each.properties?.[part]))
    .find((found) => found !== undefined);

function unknownWord(word: string, path: Path, names: readonly string[]): Omit<Problem, 'path'> {
  const where = path.length === 0 ? 'the config' : path.join('.');
  const suggestion = /^\d/.test(word) ? undefined : suggest(word, names);
  const known = names.length === 0 ? 'There is no setting there' : `Known there: ${names.join(', ')}`;
  return {
    problem: `${where} has no ${word}`,
    remedy: suggestion === undefined ? known : `Did you mean ${suggestion.toUpperCase()}?`,
  };
}
