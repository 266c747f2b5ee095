import { ConfigError } from '../../core/errors.ts';
import { loadStrategy, type LoadedStrategy } from '../loadStrategy.ts';
import type { LoadedConfig } from './load.ts';
import { validateParams } from './params.ts';
import { configError } from './problems.ts';

/**
 * Loads `strategies[index]` and checks its parameters.
 * @throws {ConfigError} with the place in the strategy, or in the config when it names none that can be found
 */
export async function strategyOf(
  loaded: LoadedConfig,
  index: number,
): Promise<LoadedStrategy & Readonly<{ params: unknown }>> {
  const { use = '', allow = [] } = loaded.config.strategies[index] ?? {};
  const code = await loadStrategy(use, loaded.folder, allow).catch((thrown: unknown) => {
    throw placedAtUse(thrown, loaded, index);
  });
  return { ...code, params: validateParams(loaded, index, code.definition.params) };
}

/** What has a place in the strategy's own source keeps it. */
export function placedAtUse(thrown: unknown, loaded: LoadedConfig, index: number): unknown {
  if (!(thrown instanceof ConfigError) || 'line' in thrown.details) return thrown;
  const problem = loaded.place({ path: ['strategies', index, 'use'], problem: thrown.message });
  return configError([problem], (text) => loaded.secrets.redact(text));
}
