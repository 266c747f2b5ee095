import { orElse } from '../core/errors.ts';
import { userInfo } from 'node:os';
import { ownUser } from '../store/trust.ts';

/**
 * Name of the user of this process, for the journal; its number where the machine's list of users does not have it, as in a
 * container that runs as a bare number.
 */
export const userName = (): string =>
  orElse(() => userInfo().username, null) ?? String(ownUser() ?? 'unknown');
