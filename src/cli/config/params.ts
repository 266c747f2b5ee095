import type { z } from 'zod';
import type { ConfigError } from '../../core/errors.ts';
import type { LoadedConfig } from './load.ts';
import { likelySecretsIn } from './likelySecrets.ts';
import { configError } from './problems.ts';
import { problemsOf, type Checked, type JsonSchema } from './schemaProblems.ts';

/**
 * Checks the parameters of `strategies[index]` against the strategy's own schema.
 * @throws {ConfigError} for all that is wrong at once, each at its line
 */
export function validateParams<Params extends z.ZodType>(
  loaded: LoadedConfig,
  index: number,
  schema: Params,
): z.output<Params> {
  const parsed = schema.safeParse(paramsOf(loaded, index));
  if (parsed.success) return parsed.data;
  throw paramsError(loaded, index, { issues: parsed.error.issues, schema });
}

/** The parameters of `strategies[index]` as the config has them. */
export const paramsOf = ({ config }: LoadedConfig, index: number): Readonly<Record<string, unknown>> =>
  config.strategies[index]?.params ?? {};

type Misfit = Readonly<{ issues: readonly z.core.$ZodIssue[] } & Pick<Checked, 'schema'>>;

/** The error for parameters of `strategies[index]` with these issues, each at its line. */
export function paramsError(loaded: LoadedConfig, index: number, { issues, schema }: Misfit): ConfigError {
  const value = paramsOf(loaded, index);
  const under = ['strategies', index, 'params'];
  const { place, secrets } = loaded;
  likelySecretsIn(value).forEach((text) => secrets.register(text));
  const problems = problemsOf(issues, { schema, value, under, secrets });
  return configError(problems.map(place), (text) => secrets.redact(text));
}

/** The same for a strategy in a thread, which tells of its issues and its schema. */
export const misfitError = (
  loaded: LoadedConfig,
  index: number,
  { issues, schema }: Readonly<{ issues: readonly unknown[]; schema: unknown }>,
): ConfigError =>
  paramsError(loaded, index, {
    issues: issues as z.core.$ZodIssue[],
    schema: { json: schema as JsonSchema },
  });
