import type { z } from 'zod';
import type { LoadedConfig } from './load.ts';
import { likelySecretsIn } from './likelySecrets.ts';
import { configError } from './problems.ts';
import { problemsOf } from './schemaProblems.ts';

/**
 * Checks the parameters of `strategies[index]` against the strategy's own schema.
 * @throws {ConfigError} for all that is wrong at once, each at its line
 */
export function validateParams<Params extends z.ZodType>(
  loaded: LoadedConfig,
  index: number,
  schema: Params,
): z.output<Params> {
  const value = loaded.config.strategies[index]?.params ?? {};
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const under = ['strategies', index, 'params'];
  const { place, secrets } = loaded;
  likelySecretsIn(value).forEach((text) => secrets.register(text));
  const problems = problemsOf(parsed.error.issues, { schema, value, under, secrets });
  throw configError(problems.map(place), (text) => secrets.redact(text));
}
