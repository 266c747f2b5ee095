import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { atPath } from '../atPath.ts';
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

const READING = {
  what: 'read',
  remedy: 'Let this user read and write in the state folder, or name another folder (--state DIR)',
};
const WRITING = {
  what: 'written',
  remedy: 'Make room on its disk, let this user write there, or name another folder (--state DIR)',
};

const REMEDY = 'Name the config that they belong to (--config FILE), or another folder (--state DIR)';

/**
 * Keeps emulated, simulated and real orders apart, and those of two accounts: a state folder begins as that of one mode, and
 * in mode live of one account, and stays that. Marks a new one.
 * @throws {ConfigError} when the folder is of another mode, or of another account
 */
export function claimState(loaded: LoadedConfig, stateDir: string): void {
  const { mode } = loaded.config;
  const found = modeOf(stateDir);
  if (found !== null && found !== mode)
    throw new ConfigError(`${stateDir} holds ${ORDERS[found]}, and mode ${mode} has other ones. ${REMEDY}`);
  if (mode === 'live') claimAccount(loaded, stateDir);
  if (found !== null) return;
  if (mode === 'dry-run') closeSync(openSync(accountFile(stateDir), 'a', 0o600));
  if (mode === 'emulator') mkdirSync(emulatorFolder(stateDir), { recursive: true, mode: 0o700 });
}

/** A folder that names no account yet is taken for that of the config's; so is one whose naming was cut short. */
function claimAccount(loaded: LoadedConfig, stateDir: string): void {
  const { userAddress, chainId, product } = venueOf(loaded);
  const account = `${userAddress.toLowerCase()} on chain ${chainId}, ${product}`;
  const file = join(stateDir, 'account');
  const known = existsSync(file) ? atPath(file, READING, () => readFileSync(file, 'utf8').trim()) : '';
  if (known === '') atPath(file, WRITING, () => putAccount(file, account));
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
