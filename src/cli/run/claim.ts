import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
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
 * Keeps emulated, simulated and real orders apart: a state folder begins as that of one mode, and stays that. Marks a new one.
 * @throws {ConfigError} when the folder is of another mode
 */
export function claimState({ config: { mode } }: LoadedConfig, stateDir: string): void {
  const found = modeOf(stateDir);
  if (found !== null && found !== mode)
    throw new ConfigError(
      `${stateDir} holds ${ORDERS[found]}, and mode ${mode} has other ones. Name the config that they belong to (--config FILE), or another folder (--state DIR)`,
    );
  if (found !== null) return;
  if (mode === 'dry-run') closeSync(openSync(accountFile(stateDir), 'a', 0o600));
  if (mode === 'emulator') mkdirSync(emulatorFolder(stateDir), { recursive: true, mode: 0o700 });
}

/** Whose a state folder is; null while it is nobody's. */
function modeOf(stateDir: string): Mode | null {
  if (existsSync(accountFile(stateDir))) return 'dry-run';
  if (existsSync(emulatorFolder(stateDir))) return 'emulator';
  return existsSync(journalFile(stateDir)) ? 'live' : null;
}
