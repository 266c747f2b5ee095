import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { makeFolder } from '../../store/lock.ts';
import { atPath, type PathUse } from '../atPath.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { venueOf } from '../connect.ts';
import { placeWhole } from '../wholeFile.ts';
import { journalFile } from './journal.ts';

type Mode = RunConfig['mode'];

/** The account of a dry run. */
export const accountFile = (stateDir: string): string => join(stateDir, 'simulated.sqlite');

/** The venue of mode `emulator`. */
export const emulatorFolder = (stateDir: string): string => join(stateDir, 'emulator');

const ORDERS: Readonly<Record<Mode, string>> = {
  emulator: 'the orders of an emulated venue',
  'dry-run': 'the simulated orders of a dry run',
  live: 'the orders of a live run',
};

const OWN: PathUse = {
  what: 'read or written',
  remedy:
    'Make room on its disk, let this user read and write there, or name another state folder (--state DIR)',
};

const REMEDY = 'Name the config that they belong to (--config FILE), or another folder (--state DIR)';

/**
 * Keeps emulated, simulated and real orders apart, and those of two accounts: a state folder begins as that of one mode, and
 * in mode live of one account, and stays that. Marks a new one.
 * @throws {ConfigError} when the folder is of another mode or another account, or cannot be read or written
 */
export function claimState(loaded: LoadedConfig, stateDir: string): void {
  const { mode } = loaded.config;
  const found = modeOf(stateDir);
  if (found !== null && found !== mode)
    throw new ConfigError(`${stateDir} holds ${ORDERS[found]}, and mode ${mode} has other ones. ${REMEDY}`);
  if (mode === 'live') claimAccount(loaded, stateDir);
  if (found !== null) return;
  if (mode === 'emulator') makeFolder(emulatorFolder(stateDir), 'the state folder of the emulator');
  if (mode !== 'dry-run') return;
  const file = accountFile(stateDir);
  atPath(file, OWN, () => closeSync(openSync(file, 'a', 0o600)));
}

/** A folder that names no account yet is taken for that of the config's; so is one whose naming was cut short. */
function claimAccount(loaded: LoadedConfig, stateDir: string): void {
  const { userAddress, chainId, product } = venueOf(loaded);
  const account = `${userAddress.toLowerCase()} on chain ${chainId}, ${product}`;
  const file = join(stateDir, 'account');
  const known = existsSync(file) ? atPath(file, OWN, () => readFileSync(file, 'utf8').trim()) : '';
  if (known === '') atPath(file, OWN, () => putAccount(file, account));
  else if (known !== account)
    throw new ConfigError(
      `${stateDir} holds the orders of ${known}, and the config is for ${account}. ${REMEDY}`,
    );
}

const putAccount = (file: string, account: string): void =>
  placeWhole(dirname(file), `${account}\n`, { mode: 0o600, place: (fresh) => renameSync(fresh, file) });

/** Whose a state folder is; null while it is nobody's. */
function modeOf(stateDir: string): Mode | null {
  if (existsSync(accountFile(stateDir))) return 'dry-run';
  if (existsSync(emulatorFolder(stateDir))) return 'emulator';
  return existsSync(journalFile(stateDir)) ? 'live' : null;
}
