import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { atPath, type PathUse, placeWhole, syncFolder } from '../files.ts';
import { type LoadedConfig, venueOf } from '../config/load.ts';

/** Use of a file in the state folder, and the remedy when it cannot be used. */
export const PLACE: PathUse = {
  what: 'read or written',
  remedy:
    'Make room on its disk, let this user read and write there, or name another state folder (--state DIR)',
};

/** Remedy when a state folder holds the orders of another account. */
export const OTHER_FOLDER =
  'Name the config that they belong to (--config FILE), or another folder (--state DIR)';

/** Names the account whose orders the folder holds. It is there from the first commit of the journal on, never before. */
export const ownerFile = (stateDir: string): string => join(stateDir, 'account');

/**
 * Refuses a folder that names another account than the config's. One that names none yet is taken for the config's; so is one
 * whose naming was cut short.
 * @throws {ConfigError} when it names another, or cannot be read
 */
export function requireAccount(loaded: LoadedConfig, stateDir: string): void {
  const file = ownerFile(stateDir);
  const known = existsSync(file) ? atPath(file, PLACE, () => readFileSync(file, 'utf8').trim()) : '';
  const account = accountOf(loaded);
  if (known !== '' && known !== account)
    throw new ConfigError(
      `${stateDir} holds the orders of ${known}, and the config is for ${account}. ${OTHER_FOLDER}`,
    );
}

/** The account that a run of this config trades, as the state folder names it. */
function accountOf(loaded: LoadedConfig): string {
  const { mode } = loaded.config;
  if (mode !== 'live') return ACCOUNTS[mode];
  const { userAddress, chainId, product } = venueOf(loaded);
  return `${userAddress.toLowerCase()} on chain ${chainId}, ${product}`;
}

const ACCOUNTS = { emulator: 'an emulated account', 'dry-run': 'a simulated account' } as const;

/**
 * Names the account in a folder whose journal has begun, durably: from here on a journal that is missing was lost.
 * @throws {ConfigError} when it cannot be written
 */
export function nameAccount(loaded: LoadedConfig, stateDir: string): void {
  const file = ownerFile(stateDir);
  if (existsSync(file) && readFileSync(file, 'utf8').trim() !== '') return;
  const place = (fresh: string) => {
    renameSync(fresh, file);
    syncFolder(stateDir);
  };
  atPath(file, PLACE, () => placeWhole(stateDir, `${accountOf(loaded)}\n`, { mode: 0o600, place }));
}
