import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { readPrivateFile } from '../../process/files.ts';
import type { Environment } from '../../process/environment.ts';

/** A secret as given, and where it came from, for errors. */
export type GivenSecret = Readonly<{ text: string; where: string }>;

/** True for one line of text without spaces, as every secret is. */
export const isSecretText = (text: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(text);

/** Path of the systemd credential with this name; null if the service has none. */
function credentialOf(variable: string, env: Environment): string | null {
  const folder = env['CREDENTIALS_DIRECTORY'];
  if (!folder || !isAbsolute(folder)) return null;
  const path = join(folder, variable);
  return existsSync(path) ? path : null;
}

/** `env NAME` or `credential NAME`; null if neither has the secret. Reads nothing. */
export function placeOfVariable(variable: string, env: Environment): string | null {
  if (env[variable]) return `env ${variable}`;
  return credentialOf(variable, env) === null ? null : `credential ${variable}`;
}

/**
 * Secret from the environment, otherwise from the credential of the same name; null if neither has it.
 * @throws {ConfigError} when the credential cannot be read
 * @throws {SafetyError} when others can read or change it
 */
export function givenSecret(variable: string, env: Environment): GivenSecret | null {
  const text = env[variable];
  if (text) return { text, where: `${variable} in the environment` };
  const path = credentialOf(variable, env);
  return path === null ? null : { text: readPrivateFile(path, { isCredential: true }), where: path };
}
