import type { z } from 'zod';
import { ConfigError } from '../../core/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import { likelySecretsIn } from '../config/likelySecrets.ts';
import {
  configError,
  problemsOf,
  type Problem,
  type SchemaCheck,
  type JsonSchema,
} from '../config/problems.ts';
import { loadStrategy, type LoadedStrategy, type LoadOptions } from './loadStrategy.ts';

/**
 * Validates the parameters of `strategies[index]` with the strategy's own schema.
 * @throws {ConfigError} with all problems, each at its line
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

/** The parameters of `strategies[index]` as written in the config. */
export const paramsOf = ({ config }: LoadedConfig, index: number): Readonly<Record<string, unknown>> =>
  config.strategies[index]?.params ?? {};

type Misfit = Readonly<{ issues: readonly z.core.$ZodIssue[] } & Pick<SchemaCheck, 'schema'>>;

/** The error for parameters of `strategies[index]` with these issues, each at its line. */
function paramsError(loaded: LoadedConfig, index: number, { issues, schema }: Misfit): ConfigError {
  const value = paramsOf(loaded, index);
  const under = ['strategies', index, 'params'];
  const { place, secrets } = loaded;
  likelySecretsIn(value).forEach((text) => secrets.register(text));
  const problems = readProblems(issues, { schema, value, under, secrets });
  return configError(problems.map(place), (text) => secrets.redact(text));
}

/** Problems from a strategy's own issues, which may have any form. */
function readProblems(issues: readonly z.core.$ZodIssue[], checked: SchemaCheck): Problem[] {
  try {
    return problemsOf(issues, checked);
  } catch {
    const problem = "do not fit the schema of the strategy, and it does not say why in zod's format";
    return [{ path: checked.under ?? [], problem }];
  }
}

/** The error for parameters of a strategy in a thread, which sends its issues and schema. */
export const misfitError = (
  loaded: LoadedConfig,
  index: number,
  { issues, schema }: Readonly<{ issues: readonly unknown[]; schema: unknown }>,
): ConfigError =>
  paramsError(loaded, index, {
    issues: issues as z.core.$ZodIssue[],
    schema: { json: schema as JsonSchema },
  });

/** The error for invalid parameters on the command line, one line each. */
export const paramsMisfit = (issues: readonly z.core.$ZodIssue[], checked: SchemaCheck): ConfigError =>
  configError(
    readProblems(issues, checked).map((problem) => ({ ...problem, where: '--params' })),
    (text) => checked.secrets.redact(text),
  );

/**
 * Loads `strategies[index]` and checks its parameters.
 * @throws {ConfigError} with the place in the strategy, or in the config when the strategy is not found
 */
export async function strategyOf(
  loaded: LoadedConfig,
  index: number,
  options: LoadOptions,
): Promise<LoadedStrategy & Readonly<{ params: unknown }>> {
  const { use = '' } = loaded.config.strategies[index] ?? {};
  const code = await loadStrategy(use, loaded.folder, options).catch((thrown: unknown) => {
    throw placedAtUse(thrown, loaded, index);
  });
  return { ...code, params: validateParams(loaded, index, code.definition.params) };
}

/** Adds the place in the config, unless the error has a place in the strategy's source. */
export function placedAtUse(thrown: unknown, loaded: LoadedConfig, index: number): unknown {
  if (!(thrown instanceof ConfigError) || 'line' in thrown.details) return thrown;
  const problem = loaded.place({ path: ['strategies', index, 'use'], problem: thrown.message });
  return configError([problem], (text) => loaded.secrets.redact(text));
}
