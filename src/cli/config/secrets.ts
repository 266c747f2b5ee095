import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { ConfigError, messageOf, SafetyError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { VenueConfig } from './schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where each secret may come from. The environment goes before the file; a config file itself holds none. */
const SOURCES = {
  apiKey: { what: 'API key', variable: 'DROVER_API_KEY', file: 'keyFile' },
  apiSecret: { what: 'API secret', variable: 'DROVER_API_SECRET', file: 'secretFile' },
  walletKey: { what: 'wallet key', variable: 'DROVER_WALLET_KEY', file: 'walletKeyFile' },
} as const;

export type SecretName = keyof typeof SOURCES;
export const SECRET_NAMES = Object.keys(SOURCES) as readonly SecretName[];

export type SecretsContext = Readonly<{ env: Environment; secrets: Secrets }>;

/** Masks what the environment holds, before anything can print it. */
export function registerEnvironment({ env, secrets }: SecretsContext): void {
  for (const { variable } of Object.values(SOURCES)) secrets.register(env[variable] ?? '');
}

/** `env DROVER_API_KEY`, `file PATH`, or null when the secret is set nowhere. Reads nothing. */
export function secretOrigin(name: SecretName, env: Environment, venue?: VenueConfig): string | null {
  const { variable, file } = SOURCES[name];
  if (env[variable]) return `env ${variable}`;
  const path = venue?.[file];
  return path === undefined ? null : `file ${path}`;
}

/**
 * The secret, masked from now on wherever it could be printed.
 * @throws {ConfigError} when it is set nowhere, or its file does not hold one line of text
 * @throws {SafetyError} when others can read or change its file
 */
export function readSecret(name: SecretName, venue: VenueConfig, { env, secrets }: SecretsContext): string {
  const { what, variable, file } = SOURCES[name];
  const path = venue[file];
  const given = env[variable];
  if (given) return secrets.register(checked(given, `${variable} in the environment`));
  if (path !== undefined) return secrets.register(checked(readPrivateFile(path), path));
  throw new ConfigError(
    `there is no ${what}. Set ${variable} in the environment, or name a file by venue.${file}`,
    { variable },
  );
}

function checked(text: string, where: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(text)) return text;
  throw new ConfigError(`${where} must be one line of text without spaces`, { where });
}

/** The text of a file that only its owner, the user of this process, can read. A newline at its end is dropped. */
function readPrivateFile(path: string): string {
  const descriptor = openPrivate(path);
  try {
    const complaint = exposure(fstatSync(descriptor));
    if (complaint) throw new SafetyError(`${path} holds a secret and ${complaint}`, { path });
    return readFileSync(descriptor, 'utf8').replace(/\r?\n$/, '');
  } finally {
    closeSync(descriptor);
  }
}

function openPrivate(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new ConfigError(`${path}, named in the config, cannot be read: ${messageOf(error)}`, { path });
  }
}

/** What is wrong with who may touch the file. Systems without owners and modes are trusted. */
function exposure(stats: Stats): string | null {
  const { mode, uid } = stats;
  const me = userInfo().uid;
  if (me === -1) return null;
  if (uid !== me && uid !== 0) return 'belongs to another user. Make a copy that belongs to you';
  if ((mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8);
    return `can be read by others (mode ${octal}). Run: chmod 600, and replace the secret if others use this machine`;
  }
  return stats.isFile() ? null : 'is not a file';
}
