import { formatDecimal } from '../../core/amount.ts';
import { MASK } from '../../core/secrets.ts';
import type { LoadedConfig } from './load.ts';
import { pathText, type Path } from './problems.ts';
import { configSchema } from './schema.ts';
import { jsonSchemaOf, type JsonSchema } from './schemaProblems.ts';
import type { Environment } from './environment.ts';
import { SECRET_NAMES, secretOrigin } from './secrets.ts';

/** One value of the config. `value` is null where nothing is set; `origin` is `file:line`, a flag, `default`, `env …`. */
export type ExplainedValue = Readonly<{ path: string; value: unknown; origin: string }>;

/** Every value there is, in the order of the schema, and where it came from. Secrets are masked. */
export function explain(loaded: LoadedConfig, env: Environment): ExplainedValue[] {
  const values = leaves(
    { schema: jsonSchemaOf(configSchema), written: loaded.written, read: loaded.config },
    [],
  );
  return [
    ...values.map(({ path, value }) => ({
      path: pathText(path),
      value,
      origin: value === null ? 'not set' : loaded.originOf(path),
    })),
    ...SECRET_NAMES.map((name) => {
      const origin = secretOrigin(name, env, loaded.config.venue);
      return { path: name, value: origin === null ? null : MASK, origin: origin ?? 'not set' };
    }),
  ];
}

/** A part of the config: what may be there, what the file says, and what was made of it. */
type Part = Readonly<{ schema: JsonSchema; written: unknown; read: unknown }>;
type Leaf = Readonly<{ path: Path; value: unknown }>;

function leaves({ schema, written, read }: Part, path: Path): Leaf[] {
  const into = (key: string | number, inner: JsonSchema) =>
    leaves({ schema: inner, written: part(written, key), read: part(read, key) }, [...path, key]);
  if (schema.items && Array.isArray(read)) return read.flatMap((_, index) => into(index, schema.items ?? {}));
  const known = Object.entries(schema.properties ?? {});
  if (known.length > 0)
    return read === undefined ? [{ path, value: null }] : known.flatMap(([key, inner]) => into(key, inner));
  if (isMapping(read) && Object.keys(read).length > 0)
    return Object.keys(read).flatMap((key) => into(key, {}));
  return [{ path, value: written ?? schema.default ?? shown(read) ?? null }];
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const part = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

const shown = (value: unknown): unknown => (typeof value === 'bigint' ? formatDecimal(value) : value);
