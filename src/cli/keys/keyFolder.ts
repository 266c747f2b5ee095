import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { checkKeyName } from '../../wallet/keyStore.ts';
import { atPath, type PathUse, placeWhole, syncFolder } from '../files.ts';
import { exposure, requireSafeWay } from '../../store/trust.ts';
import { readPrivateFile } from '../config/privateFile.ts';
import type { Environment } from '../config/environment.ts';
import { dataHomeOf } from '../folders.ts';

const ENDING = '.key.json';

const STORE: PathUse = {
  what: 'the key store',
  remedy: 'Let this user read and write there, or name another folder by DROVER_KEYSTORE_DIR',
};

/** Where the sealed keys of this user lie: DROVER_KEYSTORE_DIR, or drover/keys where programs keep their data. */
export function keyFolderOf(env: Environment): string {
  if (env['DROVER_KEYSTORE_DIR']) return env['DROVER_KEYSTORE_DIR'];
  return join(dataHomeOf(env), 'drover', 'keys');
}

const fileOf = (folder: string, name: string): string => join(folder, `${checkKeyName(name)}${ENDING}`);

/** Names of the keys that are there, in order. @throws {SafetyError} when others can look into the folder */
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

/** Writes a key that is new. @throws {ConfigError} when there is one of that name */
export function addKeyFile(folder: string, name: string, text: string): void {
  const path = fileOf(folder, name);
  written(folder, text, (fresh) => {
    try {
      linkSync(fresh, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
      throw new ConfigError(`there is a key ${name} already. Take another name, or remove it first`, {
        name,
      });
    } finally {
      rmSync(fresh, { force: true });
    }
  });
}

/** Takes the place of a key that is there: the old file or the new one is found, never a part. */
export function replaceKeyFile(folder: string, name: string, text: string): void {
  const path = fileOf(folder, name);
  if (!existsSync(path)) throw noKey(folder, name);
  written(folder, text, (fresh) => renameSync(fresh, path));
}

/** @throws {ConfigError} when there is no such key */
export function removeKeyFile(folder: string, name: string): void {
  const path = fileOf(folder, name);
  if (!existsSync(path)) throw noKey(folder, name);
  atPath(folder, STORE, () => {
    rmSync(path);
    syncFolder(folder);
  });
}

function written(folder: string, text: string, place: (fresh: string) => void): void {
  makeFolder(folder, 'the key store (DROVER_KEYSTORE_DIR)');
  requirePrivate(folder);
  atPath(folder, STORE, () => {
    placeWhole(folder, text, { mode: 0o600, place });
    syncFolder(folder);
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
  new ConfigError(`there is no key ${name} in ${folder}. \`drover keys list\` names those there are`, {
    name,
  });
