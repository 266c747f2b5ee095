import { syncPath } from '../../store/trust.ts';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { type LoadedConfig, venueOf } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { atPath, type PathUse, placeWhole } from '../../process/files.ts';

export const journalFile = (stateDir: string): string => join(stateDir, 'journal.sqlite');

/** Purpose of a file in the state folder, and the remedy when it cannot be used. */
const PLACE: PathUse = {
  what: 'read or written',
  remedy:
    'Make room on its disk, let this user read and write there, or name another state folder (--state DIR)',
};

/** Remedy when a state folder holds the orders of another account. */
const OTHER_FOLDER = 'Name the config that they belong to (--config FILE), or another folder (--state DIR)';

/** File that names the account whose orders the folder holds. It exists from the journal's first commit on. */
export const ownerFile = (stateDir: string): string => join(stateDir, 'account');

/**
 * The account that a state folder names; null before the first commit of its journal.
 * @throws {ConfigError} when it cannot be read
 */
export function accountIn(stateDir: string): string | null {
  const file = ownerFile(stateDir);
  if (!existsSync(file)) return null;
  return atPath(file, PLACE, () => readFileSync(file, 'utf8').trim()) || null;
}

/**
 * Refuses a folder that names an account other than the config's. One that names none yet, or only part, is accepted.
 * @throws {ConfigError} when it names another, or cannot be read
 */
function requireAccount(loaded: LoadedConfig, stateDir: string): void {
  const known = accountIn(stateDir);
  const account = accountOf(loaded);
  if (known !== null && known !== account)
    throw new ConfigError(
      `${stateDir} holds the orders of ${known}, but the config is for ${account}. ${OTHER_FOLDER}`,
    );
}

/** The account that a run of this config trades, as named in the state folder. */
export function accountOf(loaded: LoadedConfig): string {
  const { mode } = loaded.config;
  if (mode !== 'live') return ACCOUNTS[mode];
  const { userAddress, chainId, product } = venueOf(loaded);
  return `${userAddress.toLowerCase()} on chain ${chainId}, ${product}`;
}

const ACCOUNTS = { emulator: 'an emulated account', 'dry-run': 'a simulated account' } as const;

/**
 * Writes the account's name durably into a folder whose journal has begun: a journal missing after that was lost.
 * @throws {ConfigError} when it cannot be written
 */
export function nameAccount(loaded: LoadedConfig, stateDir: string): void {
  const file = ownerFile(stateDir);
  if (accountIn(stateDir) !== null) return;
  const place = (fresh: string) => {
    renameSync(fresh, file);
    syncPath(stateDir);
  };
  atPath(file, PLACE, () => placeWhole(stateDir, `${accountOf(loaded)}\n`, { mode: 0o600, place }));
}

type Mode = RunConfig['mode'];

/** File of the simulated account of a dry run. */
export const accountFile = (stateDir: string): string => join(stateDir, 'simulated.sqlite');

/** Folder of the emulated venue of mode `emulator`. */
export const emulatorFolder = (stateDir: string): string => join(stateDir, 'emulator');

const ORDERS: Readonly<Record<Mode, string>> = {
  emulator: 'the orders of an emulated venue',
  'dry-run': 'the simulated orders of a dry run',
  live: 'the orders of a live run',
};

/**
 * Keeps emulated, simulated and real orders apart, and those of different accounts: from its first run on a state folder
 * belongs to one mode, in mode live also to one account. Marks a new folder with its mode.
 * @throws {ConfigError} when the folder is of another mode or another account, or cannot be read or written
 */
export function claimState(loaded: LoadedConfig, stateDir: string): void {
  const { mode } = loaded.config;
  const found = modeOf(stateDir);
  // The folder names this account, but its mode file is gone.
  if (found !== null && found !== mode && accountIn(stateDir) === accountOf(loaded))
    throw new ConfigError(
      `${stateDir} is of mode ${mode}, but its venue is gone: ${venueIn(stateDir, mode)} is missing. Put back the latest backup of ` +
        'the whole folder, or name another folder (--state DIR) for a run that starts from nothing',
    );
  if (found !== null && found !== mode)
    throw new ConfigError(
      `${stateDir} holds ${ORDERS[found]}, which do not belong to mode ${mode}. ${OTHER_FOLDER}`,
    );
  requireAccount(loaded, stateDir);
  if (found !== null) return;
  if (mode === 'emulator') makeFolder(emulatorFolder(stateDir), 'the state folder of the emulator');
  if (mode !== 'dry-run') return;
  const file = accountFile(stateDir);
  atPath(file, PLACE, () => closeSync(openSync(file, 'a', 0o600)));
}

const venueIn = (stateDir: string, mode: Mode): string =>
  mode === 'emulator' ? emulatorFolder(stateDir) : accountFile(stateDir);

/** Mode of the runs of a state folder; null before its first run. */
export function modeOf(stateDir: string): Mode | null {
  if (existsSync(accountFile(stateDir))) return 'dry-run';
  if (existsSync(emulatorFolder(stateDir))) return 'emulator';
  return existsSync(journalFile(stateDir)) ? 'live' : null;
}
