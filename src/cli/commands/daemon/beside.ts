import { ConfigError, SafetyError } from '../../../core/errors.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import { LockHeldError } from '../../../store/stateFolder.ts';
import { configOf } from '../../config/load.ts';
import type { CommandContext } from '../../context.ts';
import { findDaemon, type FoundDaemon } from '../../environment/daemons.ts';

type StateFlag = Readonly<{ state?: string }>;

/** Both ways of a command: beside a daemon, and without one. */
type Ways = Readonly<{
  beside: (client: DaemonClient, stateDir: string) => Promise<number>;
  without: () => Promise<number> | number;
}>;

/**
 * Runs a command that steers, beside the daemon on its state or without one.
 * @throws {SafetyError} when a process holds the state and does not answer
 * @throws {ConfigError} when several daemons run, or the only one trades real money and is not named
 */
export async function steering(
  flags: StateFlag,
  context: CommandContext,
  { beside, without }: Ways,
): Promise<number> {
  const found = await findDaemon(flags, context);
  if (!found?.client) return without();
  try {
    if (!isNamed(flags, context)) await requireNoMoney(found, found.client);
    return await beside(found.client, found.stateDir);
  } finally {
    await found.client.close();
  }
}

const isNamed = ({ state }: StateFlag, context: CommandContext): boolean =>
  state !== undefined || (context.configFile !== undefined && configOf(context).config.state !== undefined);

/**
 * Refuses to steer real money that nobody has named: the only daemon may be another one than the person means.
 * @throws {ConfigError}
 */
async function requireNoMoney({ stateDir }: FoundDaemon, client: DaemonClient): Promise<void> {
  const { mode } = await client.status();
  if (mode !== 'live') return;
  throw new ConfigError(
    `the only daemon trades real money: name it by --state ${stateDir}, or by a config with that state. Nothing was sent`,
    { stateDir },
  );
}

/** The lock that kept a command out, where a process holds the state and does not answer; null for another error. */
export const heldBySilent = (error: unknown): LockHeldError | null =>
  error instanceof SafetyError && error.cause instanceof LockHeldError ? error.cause : null;

/** True when no process holds the state folder any more. */
export async function hasEnded(state: string, context: CommandContext): Promise<boolean> {
  try {
    const found = await findDaemon({ state }, context);
    await found?.client?.close();
    return !found?.client;
  } catch (error) {
    if (heldBySilent(error)) return false;
    throw error;
  }
}
