import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { atPath } from '../files.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { OTHER_FOLDER, PLACE, requireAccount } from './accountName.ts';
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

/**
 * Keeps emulated, simulated and real orders apart, and those of two accounts: a state folder begins as that of one mode, and
 * in mode live of one account, and stays that. Marks the mode of a new one.
 * @throws {ConfigError} when the folder is of another mode or another account, or cannot be read or written
 */
export function claimState(loaded: LoadedConfig, stateDir: string): void {
  const { mode } = loaded.config;
  const found = modeOf(stateDir);
  if (found !== null && found !== mode)
    throw new ConfigError(
      `${stateDir} holds ${ORDERS[found]}, and mode ${mode} has other ones. ${OTHER_FOLDER}`,
    );
  requireAccount(loaded, stateDir);
  if (found !== null) return;
  if (mode === 'emulator') makeFolder(emulatorFolder(stateDir), 'the state folder of the emulator');
  if (mode !== 'dry-run') return;
  const file = accountFile(stateDir);
  atPath(file, PLACE, () => closeSync(openSync(file, 'a', 0o600)));
}

/** Whose a state folder is; null while it is nobody's. */
function modeOf(stateDir: string): Mode | null {
  if (existsSync(accountFile(stateDir))) return 'dry-run';
  if (existsSync(emulatorFolder(stateDir))) return 'emulator';
  return existsSync(journalFile(stateDir)) ? 'live' : null;
}
