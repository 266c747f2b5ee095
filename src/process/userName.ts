import { orElse } from '../core/errors.ts';
import { userInfo } from 'node:os';
import { ownUser } from '../store/trust.ts';

/**
 * Name of the user of this process, for the journal; the user's number if the machine's user list does not contain it, as
 * in a container that runs under a bare number.
 */
export const userName = (): string =>
  orElse(() => userInfo().username, null) ?? String(ownUser() ?? 'unknown');
