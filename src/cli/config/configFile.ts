import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { CommandContext } from '../context.ts';
import { PACKAGE_FOLDER } from '../packageFolder.ts';
import { loadConfig, type LoadedConfig, type Override } from './load.ts';
import { registerEnvironment } from './environment.ts';

const DEFAULT_FILE = 'config/emulator.yaml';
const BUNDLED_FILE = resolve(PACKAGE_FOLDER, DEFAULT_FILE);

/** The config that the command line names, or config/emulator.yaml: the user's own, else the one that comes along. */
export function configFileOf({ configFile, cwd }: CommandContext): string {
  if (configFile !== undefined) return configFile;
  return existsSync(resolve(cwd, DEFAULT_FILE)) ? DEFAULT_FILE : relative(cwd, BUNDLED_FILE);
}

/** What `--state DIR` says, where it is given. */
export const stateOverride = ({ state }: Readonly<{ state?: string }>): Override[] =>
  state === undefined ? [] : [{ path: ['state'], value: state, flag: '--state' }];

/** Reads the config of a command; the secrets of the environment are masked from here on. @throws {ConfigError} */
export function configOf(context: CommandContext, overrides: readonly Override[] = []): LoadedConfig {
  const { cwd, secrets } = context;
  registerEnvironment(context);
  return loadConfig({ file: configFileOf(context), cwd, secrets, overrides });
}
