import { ConfigError } from '../../core/errors.ts';
import { openKey, type KeyKind } from '../../wallet/keyStore.ts';
import { keyFolderOf, readKeyFile } from './keyFolder.ts';
import { passwordFor, type PasswordSource } from './password.ts';

/** Values of the keys that a command has opened, by what masks them: it asks for a password once. */
const opened = new WeakMap<object, Map<string, string>>();

/**
 * The value of a key in the key store, masked from now on. Asks for its password where the environment has none.
 * @throws {ConfigError} when there is no such key of that kind, or it cannot be opened
 */
export function openStoredKey(name: string, kind: KeyKind, source: PasswordSource): string {
  const known = opened.get(source.secrets) ?? new Map<string, string>();
  const wanted = `${kind} ${name}`;
  const value = known.get(wanted) ?? readStoredKey(name, kind, source);
  opened.set(source.secrets, known.set(wanted, value));
  return value;
}

function readStoredKey(name: string, kind: KeyKind, source: PasswordSource): string {
  const text = readKeyFile(keyFolderOf(source.env), name);
  const key = openKey(text, { name, password: passwordFor(source, { what: `the key ${name}` }) });
  if (key.kind !== kind)
    throw new ConfigError(`the key ${name} is of the kind ${key.kind}, and a ${kind} is needed here`, {
      name,
    });
  return source.secrets.register(key.value);
}
