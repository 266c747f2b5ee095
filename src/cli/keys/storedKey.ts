import { ConfigError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { SECRET_VARIABLES, type Environment } from '../config/environment.ts';
import { readPrivateFile } from '../config/privateFile.ts';
import { requireNoDebugger } from '../isolation/debuggerPort.ts';
import type { Keyboard } from '../keyboard.ts';
import { openKey, type KeyKind } from '../../wallet/keyStore.ts';
import { keyFolderOf, readKeyFile } from './keyFolder.ts';

type PasswordSource = Readonly<{
  env: Environment;
  secrets: Secrets;
  keyboard?: Keyboard;
}>;

type Wanted = Readonly<{
  /** What the password is for, in the question. */
  what: string;
  variable?: string;
  file?: string | undefined;
  /** By which the command takes `file`, where it does. */
  flag?: string;
  /** Asked for twice: a slip could not be undone. */
  fresh?: boolean;
}>;

/**
 * The password: from the file that was named, the environment, or the person at the terminal. Masked from now on.
 * @throws {ConfigError} when there is none of them
 * @throws {SafetyError} while the debugger of this process is open
 */
export function passwordFor(source: PasswordSource, wanted: Wanted): string {
  requireNoDebugger();
  return source.secrets.register(readPassword(source, wanted));
}

function readPassword({ env, keyboard }: PasswordSource, wanted: Wanted): string {
  const { what, variable = SECRET_VARIABLES.password, file, flag, fresh = false } = wanted;
  if (file !== undefined) return readPrivateFile(file);
  const given = env[variable];
  if (given !== undefined && given !== '') return given;
  if (!keyboard?.present)
    throw new ConfigError(
      `${what} needs a password. Set ${variable} in the environment, or ` +
        (flag === undefined ? 'start this at a terminal, where it is asked for' : `name a file by ${flag}`),
    );
  const typed = keyboard.ask(`Password for ${what}: `, { hidden: true });
  if (fresh && keyboard.ask('The same again: ', { hidden: true }) !== typed)
    throw new ConfigError('the two are not the same. Nothing was done');
  return typed;
}

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
