import { machine } from '../../core/clock.ts';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import { DaemonClient } from '../../ops/client.ts';
import { accepts, socketOf } from '../../ops/control/socket.ts';
import { registeredDaemons, type RegisteredDaemon } from '../../ops/registry.ts';
import { LockHeldError } from '../../store/stateFolder.ts';
import { configOf, stateOverride } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { holderOf, lockFolders } from './locks.ts';
import { withState } from './journal.ts';

type DaemonFlags = Readonly<{ state?: string }>;

/** A state folder, and the client of its daemon; null if none is running. */
export type FoundDaemon = Readonly<{ stateDir: string; client: DaemonClient | null }>;

/**
 * Finds the daemon that a command addresses: by `--state`, by a config given explicitly, or as this user's only one; null if
 * there is none.
 * @throws {ConfigError} when there are several, listing them
 * @throws {SafetyError} when a process holds the state folder and its socket does not answer
 */
export async function findDaemon(flags: DaemonFlags, context: CommandContext): Promise<FoundDaemon | null> {
  const stateDir = stateDirIn(flags, context);
  if (stateDir !== null) return { stateDir, client: await daemonOn(stateDir, context) };
  const found = await onlyDaemon(context);
  return found && { stateDir: found.stateDir, client: clientOf(found.socket, context) };
}

/**
 * State folder flag for a command that reads: as given by it or by a config, otherwise the folder of this user's only daemon.
 * @throws {ConfigError} when there are several, listing them
 */
export async function stateFlagOf({ state }: DaemonFlags, context: CommandContext): Promise<DaemonFlags> {
  if (state !== undefined) return { state };
  const found = context.configFile === undefined ? await onlyDaemon(context) : null;
  return found ? { state: found.stateDir } : {};
}

/** The only daemon of this user; null if none runs. @throws {ConfigError} when there are several, listing them */
async function onlyDaemon(context: CommandContext): Promise<RegisteredDaemon | null> {
  const [found, ...others] = await daemonsOf(context);
  if (found && others.length > 0) throw several([found, ...others]);
  return found ?? null;
}

/** Daemons run by this user. */
export const daemonsOf = (context: CommandContext): Promise<readonly RegisteredDaemon[]> =>
  registeredDaemons(lockFolders(context), machine);

/** State folder named by flags or config; null if neither names one. */
function stateDirIn(flags: DaemonFlags, context: CommandContext): string | null {
  if (flags.state === undefined && context.configFile === undefined) return null;
  return configOf(context, stateOverride(flags)).config.state ?? null;
}

/**
 * Client of the daemon on a state folder; null if none runs.
 * @throws {SafetyError} when a process holds the folder and its socket does not answer
 */
export async function daemonOn(stateDir: string, context: CommandContext): Promise<DaemonClient | null> {
  const socket = socketOf(stateDir);
  if (socket !== null && (await accepts(socket, machine))) return clientOf(socket, context);
  await requireUnheld(stateDir, context);
  return null;
}

/** Client of the daemon that listens on a socket. */
export const clientOf = (socket: string, { commandName }: CommandContext): DaemonClient =>
  new DaemonClient({ socket, client: `drover ${commandName}` });

/** Refuses to continue while a process that cannot be reached holds the folder. */
async function requireUnheld(stateDir: string, context: CommandContext): Promise<void> {
  try {
    await withState({ stateDir, holder: holderOf(context) }, () => undefined);
  } catch (error) {
    if (!(error instanceof LockHeldError)) return;
    throw new SafetyError(
      `${error.message}. It holds ${stateDir}, but its control socket does not answer. Nothing was sent`,
      { stateDir },
      { cause: error },
    );
  }
}

/** Error of a command that does not say which of several daemons it means. `effect`: what happened as a result. */
export const several = (daemons: readonly RegisteredDaemon[], effect = ''): ConfigError =>
  new ConfigError(
    `several daemons of this user run: name one with --state DIR${effect}${daemons
      .map(({ stateDir, mode, account }) => `\n  ${stateDir}: mode ${mode}, ${account}`)
      .join('')}`,
  );
