import { existsSync } from 'node:fs';
import { venueOf } from '../config/load.ts';
import type { CommandContext } from '../context.ts';
import type { LoadedConfig } from '../config/load.ts';
import { readSecret } from '../config/secrets.ts';
import { withState } from './journal.ts';
import { holdKey } from './keyLock.ts';
import { holderOf } from './namedLock.ts';

/**
 * Holds what a command that sends by hand needs for itself for as long as `work` takes: the state folder of the config, where
 * it has been made, and the API key. A run on either would not know what was sent beside it.
 * @throws {LockHeldError} when a run or another command holds one of them, naming it; nothing was sent
 */
export function asSoleSender<T>(
  loaded: LoadedConfig,
  context: CommandContext,
  work: () => Promise<T>,
): Promise<T> {
  const { state } = loaded.config;
  const holder = holderOf(context, state);
  const withKey = async () => {
    const { baseUrl } = venueOf(loaded);
    const apiKey = readSecret('apiKey', venueOf(loaded), context);
    const release = holdKey({ apiKey, baseUrl, holder }, context.env);
    try {
      return await work();
    } finally {
      release();
    }
  };
  return state !== undefined && existsSync(state)
    ? withState({ stateDir: state, holder }, withKey)
    : withKey();
}
