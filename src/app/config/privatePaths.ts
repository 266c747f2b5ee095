import { orElse } from '../../core/errors.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CommandContext, NamedConfig } from '../../process/context.ts';
import type { Environment } from '../../process/environment.ts';
import { expanded, OVERRIDE_PREFIX } from './text/expansion.ts';
import { keyFolderOf } from '../../process/files.ts';
import type { RunConfig } from './schema.ts';

/** Names of values, in a config or a list of daemons, that hold paths of secrets or of a run's state. */
const PRIVATE_NAME = 'state|tokens|\\w+File';
const PRIVATE_KEY = new RegExp(`^(?:${PRIVATE_NAME})$`);
const PRIVATE_LINE = new RegExp(
  `\\b(?:${PRIVATE_NAME})["']?\\s*:\\s*(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s,}#"'][^,}#\\n]*))`,
  'g',
);
const PRIVATE_VARIABLE = new RegExp(`^${OVERRIDE_PREFIX}.*?(?:state|tokens|file)$`, 'i');

const CONFIG = /\.ya?ml$/;

type Sources = Readonly<{
  /** The config of the command, if it has been read. */
  config?: RunConfig;
  /** Folder that the code is loaded from, and its name there: a path or a package. */
  folder: string;
  use: string;
  /** File of `--queue-password`. */
  queuePassword?: string | undefined;
}>;

/**
 * Private files and folders that no code bundle may contain, whichever command loads it: secrets and state named in its config or in
 * any other config beside the command or the code; the key store, the service's credentials, and the password of a queue. Absolute
 * paths; some may not exist.
 */
export function privatePaths(
  { cwd, env, configFile, configLayers = [] }: Pick<CommandContext, 'cwd' | 'env' | keyof NamedConfig>,
  { config, folder, use, queuePassword }: Sources,
): readonly string[] {
  const near = new Set([cwd, folder, dirname(resolve(folder, use))]);
  const configs = [...near].flatMap((place) => [...configsIn(place), ...configsIn(join(place, 'config'))]);
  if (configFile !== undefined)
    configs.push(...[configFile, ...configLayers].map((file) => resolve(cwd, file)));
  const overrides = Object.entries(env).flatMap(([name, path]) =>
    PRIVATE_VARIABLE.test(name) ? [path] : [],
  );
  const others = [keyFolderOf(env), env['CREDENTIALS_DIRECTORY'], queuePassword];
  return [
    ...pathsIn(config),
    ...configs.flatMap((file) => namedIn(file, env)),
    ...[...others, ...overrides].filter((path) => path).map((path = '') => resolve(cwd, path)),
  ];
}

/** Private paths in a parsed config, all absolute. */
const pathsIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
        typeof inner === 'string' ? (PRIVATE_KEY.test(key) ? [inner] : []) : pathsIn(inner),
      );

const configsIn = (folder: string): string[] =>
  orElse(() => readdirSync(folder), [])
    .filter((name) => CONFIG.test(name))
    .map((name) => join(folder, name));

/** Private paths named in the text of a config, read line by line, so that even a config with a mistake protects them. */
const namedIn = (file: string, env: Environment): string[] =>
  orElse(() => {
    const named = expanded(readFileSync(file, 'utf8'), env).matchAll(PRIVATE_LINE);
    return [...named].map(([, double, single, plain = '']) =>
      resolve(dirname(file), double ?? single ?? plain.trim()),
    );
  }, []);
