import { basename, extname } from 'node:path';
import { toIso } from '../../core/brand.ts';
import { machine, systemClock, type Cancel } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { secureBytes } from '../../core/random.ts';
import type { Log } from '../../core/log.ts';
import type { Notify } from '../../engine/state/notice.ts';
import type { Control, ControlOptions } from '../../ops/control/control.ts';
import type { Daemon, DaemonIdentity } from '../../ops/daemon.ts';
import { controlTokens } from '../config/controlTokens.ts';
import { exceptionsOf, isLoopback } from '../config/fields.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { wordsFor } from '../environment/invitation.ts';
import { lockFolders } from '../environment/locks.ts';
import { PACKAGE_FOLDER, PAGE_FOLDER } from '../../process/files.ts';
import { journalFile } from '../environment/ownership.ts';
import { programName } from '../../process/programName.ts';
import { userName } from '../../process/userName.ts';

type Tcp = NonNullable<ControlOptions['tcp']>;
/** Address and tokens of the TCP listener; undefined without one. */
export type TcpOptions = Omit<Tcp, 'allowsMoney'> | undefined;

type ControlParts = Readonly<{
  loaded: LoadedConfig;
  daemon: Daemon;
  /** True while the page may send orders and transfers. */
  allowsMoney: () => boolean;
  tcp: Tcp | undefined;
  context: CommandContext;
  log: Log;
  notify: Notify;
}>;

/**
 * Address and tokens of the control API over TCP; undefined if not requested. Call it before anything starts.
 * @throws {ConfigError} when there is no token, and other machines can connect
 */
export function tcpOf({ config: { control } }: LoadedConfig, context: CommandContext): TcpOptions {
  const { listen, publicUrl } = control;
  if (listen === undefined) return undefined;
  const tokens = controlTokens(control, context);
  if (!isLoopback(`http://${listen.host}`))
    context.terminal.err(
      `control: ${listen.host} can be reached from other machines, and nothing there is encrypted. Put a proxy with TLS before it`,
    );
  return { listen, tokens, publicUrl };
}

/**
 * Opens the control API while `work` runs, and registers the daemon for this user's commands. `work` calls `begun` once the
 * run has read its journal: until then every request is refused.
 */
export async function withControl<T>(
  { loaded, daemon, tcp, allowsMoney, context, log, notify }: ControlParts,
  work: (begun: () => void) => Promise<T>,
): Promise<T> {
  const { openControl } = await import('../../ops/control/control.ts');
  let hasBegun = false;
  const control = await openControl({
    daemon,
    past: pastOf(daemon.identity, loaded),
    hasBegun: () => hasBegun,
    clock: systemClock,
    host: machine,
    secrets: context.secrets,
    log,
    user: userName(),
    runtime: context.env['XDG_RUNTIME_DIR'],
    tcp,
    page: {
      name: nameOf(loaded),
      folder: PAGE_FOLDER,
      program: programName({ cwd: context.cwd, packageFolder: PACKAGE_FOLDER }),
      bytes: secureBytes,
      allowsMoney,
    },
  });
  const unregister = await register(control, { daemon, context, log, notify });
  try {
    return await work(() => {
      hasBegun = true;
    });
  } finally {
    unregister();
    await control.close();
  }
}

/** Name of a run on the page: its config's file name without extension. */
const nameOf = ({ file }: LoadedConfig): string => basename(file, extname(file));

/** The run as recorded in its journal, with the parameters of its start. */
const pastOf = (
  { stateDir, mode, account }: DaemonIdentity,
  { config }: LoadedConfig,
): ControlOptions['past'] => ({
  journal: journalFile(stateDir),
  kind: mode,
  account,
  params: config.strategies.map(({ id, params }) => [id, params]),
  exceptions: exceptionsOf(config),
  runs: config.control.runs,
});

/** Registers the daemon for commands to find, and reports its address. */
async function register(
  { socket, problem, url, invite }: Control,
  { daemon, context, log, notify }: Omit<ControlParts, 'tcp' | 'allowsMoney' | 'loaded'>,
): Promise<Cancel> {
  if (url !== null) context.terminal.err(`control: ${url}`);
  const page = daemon.identity.mode === 'emulator' ? invite() : null;
  if (page !== null) {
    // Only a terminal forgets the code: a log retains it, and others may read the log.
    const isTerminal = context.terminal.status !== undefined;
    const words = isTerminal ? page : wordsFor(page, daemon.identity.stateDir);
    context.terminal.err(`dashboard: ${words} (for two minutes; then: \`drover dashboard\`)`);
  }
  if (problem !== null)
    notify(
      'alarm',
      `no command reaches this run: its control socket could not be made: ${problem}. It trades on; the kill file stops it`,
      { code: 'CONTROL_UNREACHABLE' },
    );
  if (socket === null) return () => undefined;
  const { registerDaemon } = await import('../../ops/registry.ts');
  try {
    const entry = { socket, startedAt: toIso(systemClock.now()) };
    return registerDaemon(daemon.identity, entry, lockFolders(context));
  } catch (error) {
    log.warn({ err: error }, `commands find this run with --state alone: ${messageOf(error)}`);
    return () => undefined;
  }
}
