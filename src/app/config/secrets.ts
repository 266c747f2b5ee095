import { ConfigError } from '../../core/errors.ts';
import { requireNoDebugger } from '../../process/debuggerPort.ts';
import type { KeyKind } from '../../wallet/keyStore.ts';
import { openStoredKey, type SecretsContext } from '../keys/keyFolder.ts';
import { givenSecret, isSecretText, placeOfVariable, type GivenSecret } from '../keys/credentials.ts';
import { SECRET_VARIABLES, type Environment } from '../../process/environment.ts';
import { readPrivateFile } from '../../process/files.ts';
import type { VenueConfig } from './schema.ts';

/** Places of each secret of the venue. A config file itself contains none. */
const SOURCES = {
  apiKey: { what: 'API key', variable: SECRET_VARIABLES.apiKey, file: 'keyFile', stored: null },
  apiSecret: {
    what: 'API secret',
    variable: SECRET_VARIABLES.apiSecret,
    file: 'secretFile',
    stored: 'secretName',
  },
  walletKey: {
    what: 'wallet key',
    variable: SECRET_VARIABLES.walletKey,
    file: 'walletKeyFile',
    stored: 'walletKeyName',
  },
} as const;

type SecretName = keyof typeof SOURCES;
export const SECRET_NAMES = Object.keys(SOURCES) as readonly SecretName[];

/** Sources of one secret, in order of precedence: environment or systemd credential, file, key store. */
export type SecretPlaces = Readonly<{
  variable: string;
  file: string | undefined;
  stored: string | undefined;
  kind: KeyKind;
}>;

/** `env NAME`, `credential NAME`, `file PATH` or `key store NAME`, or null if the secret is in none of its sources. Reads nothing. */
export function placeOf({ variable, file, stored }: SecretPlaces, env: Environment): string | null {
  const given = placeOfVariable(variable, env);
  if (given !== null) return given;
  if (file !== undefined) return `file ${file}`;
  return stored === undefined ? null : `key store ${stored}`;
}

/**
 * The secret from the first of its sources that has it, masked from now on wherever it could be printed; null if none.
 * @throws {ConfigError} when it is not one line of text, or its key cannot be opened
 * @throws {SafetyError} when others can read or change its file, or read this process with a debugger
 */
export function findSecret(
  { variable, file, stored, kind }: SecretPlaces,
  context: SecretsContext,
): GivenSecret | null {
  requireNoDebugger();
  const found =
    givenSecret(variable, context.env) ??
    (file === undefined ? null : { text: readPrivateFile(file), where: file }) ??
    (stored === undefined
      ? null
      : { text: openStoredKey(stored, kind, context), where: `the key ${stored}` });
  if (!found || isSecretText(context.secrets.register(found.text))) return found;
  throw new ConfigError(`${found.where} must be one line of text without spaces`, { where: found.where });
}

function placesOf(name: SecretName, venue?: VenueConfig): SecretPlaces {
  const { variable, file, stored } = SOURCES[name];
  return {
    variable,
    file: venue?.[file],
    stored: stored === null ? undefined : venue?.[stored],
    kind: name === 'walletKey' ? 'wallet' : 'secret',
  };
}

/** Source of a secret of the venue, worded as by `placeOf`. */
export const secretOrigin = (name: SecretName, env: Environment, venue?: VenueConfig): string | null =>
  placeOf(placesOf(name, venue), env);

/** A secret of the venue. @throws as `findSecret`, and {ConfigError} when it is set nowhere */
export function readSecret(name: SecretName, venue: VenueConfig, context: SecretsContext): string {
  const found = findSecret(placesOf(name, venue), context);
  if (found) return found.text;
  const { what, variable, file, stored } = SOURCES[name];
  throw new ConfigError(
    `there is no ${what}. Set ${variable} in the environment, or name a file by venue.${file}` +
      (stored === null ? '' : ` or a key of \`drover keys\` by venue.${stored}`),
    { variable },
  );
}
