import { ConfigError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { requireNoDebugger } from '../../process/debuggerPort.ts';
import type { Keyboard } from '../../process/terminal.ts';
import { openStoredKey } from '../keys/keyFolder.ts';
import { givenSecret, placeOfVariable } from '../keys/credentials.ts';
import { SECRET_VARIABLES, type Environment } from '../../process/environment.ts';
import { readPrivateFile } from '../../process/files.ts';
import type { VenueConfig } from './schema.ts';

/** Sources of each secret: environment, credential of systemd, file, key store, in this order. A config file itself contains none. */
const SOURCES = {
  apiKey: { what: 'API key', variable: SECRET_VARIABLES.apiKey, file: 'keyFile', stored: null },
  apiSecret: {
    what: 'API secret',
    variable: SECRET_VARIABLES.apiSecret,
    file: 'secretFile',
    stored: 'secretName',
    kind: 'secret',
  },
  walletKey: {
    what: 'wallet key',
    variable: SECRET_VARIABLES.walletKey,
    file: 'walletKeyFile',
    stored: 'walletKeyName',
    kind: 'wallet',
  },
} as const;

type SecretName = keyof typeof SOURCES;
export const SECRET_NAMES = Object.keys(SOURCES) as readonly SecretName[];

/** Where secrets are found, and the mask that knows them from then on. */
export type SecretsContext = Readonly<{ env: Environment; secrets: Secrets; keyboard?: Keyboard }>;

/** `env DROVER_API_KEY`, `credential DROVER_API_KEY`, `file PATH`, `key store NAME`, or null when the secret is set nowhere. Reads nothing. */
export function secretOrigin(name: SecretName, env: Environment, venue?: VenueConfig): string | null {
  const { variable, file, stored } = SOURCES[name];
  const given = placeOfVariable(variable, env);
  if (given !== null) return given;
  const path = venue?.[file];
  if (path !== undefined) return `file ${path}`;
  const key = stored === null ? undefined : venue?.[stored];
  return key === undefined ? null : `key store ${key}`;
}

/**
 * The secret, masked from now on wherever it could be printed.
 * @throws {ConfigError} when it is set nowhere, its file does not hold one line of text, or its key cannot be opened
 * @throws {SafetyError} when others can read or change its file, or read this process by its debugger
 */
export function readSecret(name: SecretName, venue: VenueConfig, context: SecretsContext): string {
  requireNoDebugger();
  const { env, secrets } = context;
  const source = SOURCES[name];
  const path = venue[source.file];
  const given = givenSecret(source.variable, env);
  if (given) return secrets.register(checked(given.text, given.where));
  if (path !== undefined) return secrets.register(checked(readPrivateFile(path), path));
  const key = source.stored === null ? undefined : venue[source.stored];
  if (source.stored !== null && key !== undefined) return openStoredKey(key, source.kind, context);
  const { what, variable, file, stored } = source;
  throw new ConfigError(
    `there is no ${what}. Set ${variable} in the environment, or name a file by venue.${file}` +
      (stored === null ? '' : ` or a key of \`drover keys\` by venue.${stored}`),
    { variable },
  );
}

function checked(text: string, where: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(text)) return text;
  throw new ConfigError(`${where} must be one line of text without spaces`, { where });
}
