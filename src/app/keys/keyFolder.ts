import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { checkKeyName, openKey, type KeyKind } from '../../wallet/keyStore.ts';
import { atPath, type PathUse, placeWhole, readPrivateFile, keyFolderOf } from '../../process/files.ts';
import { exposure, requireSafeWay, syncPath } from '../../store/trust.ts';
import { givenSecret } from './credentials.ts';
import { type Environment, SECRET_VARIABLES } from '../../process/environment.ts';
import type { Secrets } from '../../core/secrets.ts';
import { requireNoDebugger } from '../../process/debuggerPort.ts';
import type { Keyboard } from '../../process/terminal.ts';

const ENDING = '.key.json';

const STORE: PathUse = {
  what: 'the key store',
  remedy: 'Let this user read and write there, or name another folder with DROVER_KEYSTORE_DIR',
};

const fileOf = (folder: string, name: string): string => join(folder, `${checkKeyName(name)}${ENDING}`);

/** Names of the stored keys, sorted. @throws {SafetyError} when others can read the folder */
export function keyNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  requirePrivate(folder);
  return atPath(folder, STORE, () => readdirSync(folder))
    .filter((entry) => entry.endsWith(ENDING))
    .map((entry) => entry.slice(0, -ENDING.length))
    .sort();
}

export const hasKey = (folder: string, name: string): boolean => existsSync(fileOf(folder, name));

/**
 * The text of a key's file.
 * @throws {ConfigError} when there is no such key
 * @throws {SafetyError} when others can read or change the file or its folder
 */
export function readKeyFile(folder: string, name: string): string {
  const path = fileOf(folder, name);
  if (!existsSync(path)) throw noKey(folder, name);
  requirePrivate(folder);
  return readPrivateFile(path, { whole: true });
}

/** Writes a new key. @throws {ConfigError} when the name is already taken */
export function addKeyFile(folder: string, name: string, text: string): void {
  const path = fileOf(folder, name);
  written(folder, text, (fresh) => {
    try {
      linkSync(fresh, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
      throw new ConfigError(`there is a key ${name} already. Use another name, or remove it first`, {
        name,
      });
    } finally {
      rmSync(fresh, { force: true });
    }
  });
}

/** Replaces a stored key atomically: readers find either the old file or the new one. */
export function replaceKeyFile(folder: string, name: string, text: string): void {
  const path = fileOf(folder, name);
  if (!existsSync(path)) throw noKey(folder, name);
  written(folder, text, (fresh) => renameSync(fresh, path));
}

/** Deletes the file of a key. @throws {ConfigError} when there is no such key */
export function removeKeyFile(folder: string, name: string): void {
  const path = fileOf(folder, name);
  if (!existsSync(path)) throw noKey(folder, name);
  atPath(folder, STORE, () => {
    rmSync(path);
    syncPath(folder);
  });
}

function written(folder: string, text: string, place: (fresh: string) => void): void {
  makeFolder(folder, 'the key store (DROVER_KEYSTORE_DIR)');
  requirePrivate(folder);
  atPath(folder, STORE, () => {
    placeWhole(folder, text, { mode: 0o600, place });
    syncPath(folder);
  });
}

function requirePrivate(folder: string): void {
  const complaint = exposure(
    atPath(folder, STORE, () => statSync(folder)),
    folder,
  );
  if (complaint) throw new SafetyError(`${folder} holds keys and ${complaint}`, { folder });
  requireSafeWay(folder, 'the key store');
}

const noKey = (folder: string, name: string): ConfigError =>
  new ConfigError(`there is no key ${name} in ${folder}. \`drover keys list\` lists all keys`, {
    name,
  });

/** Sources of secrets, and the mask that registers them once read. */
export type SecretsContext = Readonly<{
  env: Environment;
  secrets: Secrets;
  keyboard?: Keyboard;
}>;

type PasswordRequest = Readonly<{
  /** Purpose of the password, for the prompt. */
  what: string;
  variable?: string;
  file?: string | undefined;
  /** Flag with which the command accepts `file`, if it does. */
  flag?: string;
  /** True to ask twice for a new password, because a typing error would be irreversible. */
  fresh?: boolean;
}>;

/**
 * The password: from the given file, the environment, or the person at the terminal. Masked from now on.
 * @throws {ConfigError} when none of them has it
 * @throws {SafetyError} while this process's debugger is open
 */
export function passwordFor(source: SecretsContext, wanted: PasswordRequest): string {
  requireNoDebugger();
  return source.secrets.register(readPassword(source, wanted));
}

function readPassword({ env, keyboard }: SecretsContext, wanted: PasswordRequest): string {
  const { what, variable = SECRET_VARIABLES.password, file, flag, fresh = false } = wanted;
  if (file !== undefined) return readPrivateFile(file);
  const given = givenSecret(variable, env);
  if (given) return given.text;
  if (!keyboard?.present)
    throw new ConfigError(
      `${what} needs a password. Set ${variable} in the environment, or ` +
        (flag === undefined ? 'start this at a terminal, which asks for it' : `name a file by ${flag}`),
    );
  const typed = keyboard.ask(`Password for ${what}: `, { hidden: true });
  if (fresh && keyboard.ask('The same again: ', { hidden: true }) !== typed)
    throw new ConfigError('the two passwords differ. Nothing was done');
  return typed;
}

/** Values of the keys that a command has opened, by its masking function: each password is requested only once. */
const opened = new WeakMap<object, Map<string, string>>();

/**
 * The value of a key in the key store, masked from now on. Prompts for its password if the environment has none.
 * @throws {ConfigError} when there is no such key of that kind, or it cannot be opened
 */
export function openStoredKey(name: string, kind: KeyKind, source: SecretsContext): string {
  const known = opened.get(source.secrets) ?? new Map<string, string>();
  const wanted = `${kind} ${name}`;
  const value = known.get(wanted) ?? readStoredKey(name, kind, source);
  opened.set(source.secrets, known.set(wanted, value));
  return value;
}

function readStoredKey(name: string, kind: KeyKind, source: SecretsContext): string {
  const text = readKeyFile(keyFolderOf(source.env), name);
  const key = openKey(text, { name, password: passwordFor(source, { what: `the key ${name}` }) });
  if (key.kind !== kind)
    throw new ConfigError(`the key ${name} is of the kind ${key.kind}, and a ${kind} is needed here`, {
      name,
    });
  return source.secrets.register(key.value);
}
