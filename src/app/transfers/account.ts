import type { AllowedGroup } from '../../api/allowList.ts';
import { SafetyError, closingAfter } from '../../core/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import {
  clientFor,
  withSendingVenue,
  type Connection,
  type SendingConnection,
} from '../environment/connect.ts';
import type { CommandContext } from '../../process/context.ts';
import { checkBinding } from '../doctor/online.ts';
import { killFilesOf, killFileThere } from '../environment/killSwitch.ts';
import { groupsFor } from '../environment/submission.ts';

/**
 * Connects to the venue of the config as the only sender, with the permissions of its `signing` section.
 * @throws {LockHeldError} when a run or another command holds the state folder or the API key
 */
export const withSendingAccount = <T>(
  loaded: LoadedConfig,
  context: CommandContext,
  work: (account: SendingConnection) => Promise<T>,
): Promise<T> => withSendingVenue({ loaded, context, allow: groupsFor(loaded.config) }, work);

/** Effect of a send on the account's risk. A kill file stops those that add to it. */
export type Risk = 'adds' | 'reduces';

/**
 * Requires that the API key is bound to the wallet in the config: the key acts for its own wallet.
 * @throws {SafetyError} when the two differ
 */
export async function requireOwnKey({
  venue,
  clock,
  context,
}: Pick<Connection, 'venue' | 'clock' | 'context'>): Promise<void> {
  // /1ct/prepare names the owner of the key, and nothing else here may use it.
  const { verdict, detail, remedy } = await closingAfter(
    clientFor(venue, context, { clock, allow: ['delegation'] }),
    (client) => checkBinding(client, venue, { mode: 'live', now: clock.now() }),
  );
  if (verdict === 'fail') throw new SafetyError(`${detail}. Nothing was sent. ${remedy ?? ''}`);
}

/** @throws {SafetyError} with the line to add to the config */
export function requireGroup(group: AllowedGroup | null, { config, file }: LoadedConfig): void {
  const { allow } = config.signing;
  if (group === null || allow.includes(group)) return;
  throw new SafetyError(
    `'${group}' is switched off in ${file}, and this command needs it. Nothing was sent. To switch it on, ` +
      `the config must say:\n  signing: { allow: [${[...allow, group].join(', ')}] }`,
    { group },
  );
}

/**
 * Refuses a command that sends with a dry-run config; with a kill file too, unless it reduces risk, as a cancel does.
 * @throws {SafetyError}
 */
export function requireSending(loaded: LoadedConfig, risk: Risk): void {
  const { config, file } = loaded;
  if (config.mode === 'dry-run')
    throw new SafetyError(
      `${file} says mode: dry-run, and a dry run sends nothing. To send, use a config with mode: live`,
      { file },
    );
  const kill = killFileThere(killFilesOf(loaded, config.state));
  if (risk === 'adds' && kill !== undefined)
    throw new SafetyError(`${kill} is there, and nothing is sent until it is removed`, {
      file: kill,
    });
}
