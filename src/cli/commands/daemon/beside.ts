import { ConfigError, SafetyError, closingAfter } from '../../../core/errors.ts';
import type { Status } from '../../../ops/model/status.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import { LockHeldError } from '../../../store/stateFolder.ts';
import { configOf } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { findDaemon, type FoundDaemon } from '../../../app/environment/daemons.ts';
import { journalOf } from '../../../app/environment/journal.ts';
import type { ManualRun, ManualUse } from '../../../app/environment/manualRun.ts';
import { journalStatus } from './journalStatus.ts';

type StateFlag = Readonly<{ state?: string }>;

/** The run that a command controls: a daemon, or one created for this command. `manual`: null for a daemon. */
export type Session = Readonly<{
  client: DaemonClient;
  stateDir: string;
  status: () => Promise<Status> | Status;
  manual: ManualRun | null;
}>;

/** Needs of the command's own run if there is no daemon, or the error that only a daemon can do it. */
type Without = Pick<ManualUse, 'needs' | 'keeps'> | (() => Promise<number> | number);

/**
 * Runs a command that controls a run, through the daemon on its state folder or in a run of its own.
 * @throws {SafetyError} when a process holds the state folder and does not respond
 * @throws {ConfigError} when several daemons run, or the only one trades real money and is not named
 */
export async function steering(
  { flags, without }: Readonly<{ flags: StateFlag; without: Without }>,
  context: CommandContext,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  const found = await findDaemon(flags, context);
  if (found?.client) return besideDaemon(flags, { ...found, client: found.client }, { context, work });
  if (typeof without === 'function') return without();
  const { loaded, stateDir } = journalOf(flags, context);
  const { withManualRun } = await import('../../../app/environment/manualRun.ts');
  const status = () => journalStatus(flags, context);
  return withManualRun({ loaded, stateDir, context, ...without }, (manual) =>
    work({ client: manual.client, stateDir, status, manual }),
  );
}

async function besideDaemon(
  flags: StateFlag,
  { stateDir, client }: FoundDaemon & Readonly<{ client: DaemonClient }>,
  { context, work }: Readonly<{ context: CommandContext; work: (session: Session) => Promise<number> }>,
): Promise<number> {
  return closingAfter(client, async () => {
    if (!isNamed(flags, context)) await requireNoMoney(stateDir, client);
    return work({ client, stateDir, status: () => client.status(), manual: null });
  });
}

const isNamed = ({ state }: StateFlag, context: CommandContext): boolean =>
  state !== undefined || (context.configFile !== undefined && configOf(context).config.state !== undefined);

/**
 * Refuses to control real money that was not named: the only daemon may not be the one that the person means.
 * @throws {ConfigError}
 */
async function requireNoMoney(stateDir: string, client: DaemonClient): Promise<void> {
  const { mode } = await client.status();
  if (mode !== 'live') return;
  throw new ConfigError(
    `the only daemon trades real money: name it with --state ${stateDir}, or by a config with that state. Nothing was sent`,
    { stateDir },
  );
}

/** The lock that stopped a command, if a process holds the state folder without responding; null for another error. */
export const heldBySilent = (error: unknown): LockHeldError | null =>
  error instanceof SafetyError && error.cause instanceof LockHeldError ? error.cause : null;

/** True when no process holds the state folder any longer. */
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
