import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AllowedGroup } from '../../api/allowList.ts';
import { DELEGATION_ENABLED } from '../../api/adopted.ts';
import { epochSeconds, toSeconds } from '../../core/brand.ts';
import { NotSentError, SafetyError } from '../../core/errors.ts';
import { configOf } from '../config/configFile.ts';
import type { LoadedConfig } from '../config/load.ts';
import { withVenue, type Connection } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { GROUPS, type Move, type Submit } from './move.ts';
import { oneClick } from './oneClick.ts';

/** The account of the config, as a command works on it. */
export type Account = Connection & Readonly<{ context: CommandContext; loaded: LoadedConfig }>;

/** Connects to the venue of the config, with what its `signing` section allows. */
export function withAccount<T>(context: CommandContext, work: (account: Account) => Promise<T>): Promise<T> {
  const loaded = configOf(context);
  return withVenue(
    context,
    (connection) => work({ ...connection, context, loaded }),
    loaded.config.signing.allow,
  );
}

/**
 * As `withAccount`, for what moves money: the config must have switched it on.
 * @throws {SafetyError} with the line to add, or while the kill file is there
 */
export function withMovingAccount<T>(
  kind: Move['kind'],
  context: CommandContext,
  work: (account: Account) => Promise<T>,
): Promise<T> {
  const loaded = configOf(context);
  requireGroup(GROUPS[kind], loaded);
  if (kind !== 'cancel') requireNoKillFile(loaded);
  return withAccount(context, work);
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

function requireNoKillFile({ config }: LoadedConfig): void {
  const file =
    config.limits.killFile ?? (config.state === undefined ? undefined : join(config.state, 'KILL'));
  if (file !== undefined && existsSync(file))
    throw new SafetyError(`${file} is there, and nothing is sent while it is. Remove it first`, { file });
}

/** How this account sends. */
export function submitOf({ client, clock, loaded }: Account): Submit {
  const { deadlineSeconds } = loaded.config.orders;
  return oneClick(client, () => epochSeconds(toSeconds(clock.now()) + deadlineSeconds));
}

/** What must be so for the account to send at all. @throws {NotSentError} */
export async function requireSender({ client }: Account): Promise<void> {
  const { status } = await client.oneClickStatus();
  if (status !== DELEGATION_ENABLED)
    throw new NotSentError(
      `One Click is off (${status}): \`drover oneclick enable\` turns it on. Nothing was sent`,
    );
}
