import { execFile } from 'node:child_process';
import { machine, type Cancel } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { oneLine } from '../../../core/printable.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import type { Phase } from '../../../engine/runtime/runOptions.ts';
import type { Daemon } from '../../../ops/daemon.ts';
import { hasStarted } from '../../../ops/health.ts';
import { ServiceManager, type ServiceState } from '../../../ops/serviceManager.ts';
import type { Environment } from '../../../process/environment.ts';
import type { CommandContext } from '../../../process/context.ts';

/** Program that passes messages to systemd: Node.js does not support Unix datagram sockets. */
const PROGRAM = 'systemd-notify';
/** The only folders where it is searched. */
const PATH = '/usr/bin:/bin:/run/current-system/sw/bin';
/** Maximum time in ms that it may take. */
const LIMIT_MS = 5_000;
/** Maximum length of a status, in characters. */
const STATUS_MAX = 200;

type ServiceParts = Readonly<{
  daemon: Pick<Daemon, 'status' | 'health' | 'standstill'>;
  phase: () => Phase;
  context: Pick<CommandContext, 'env' | 'pid' | 'secrets'>;
  log: Pick<Log, 'warn'>;
}>;

/** Reports a run to systemd if it started the process and expects reports (`Type=notify`). Returns a function that stops this. */
export function reportToSystemd({ daemon, phase, context, log }: ServiceParts): Cancel {
  const { env, pid, secrets } = context;
  const socket = env['NOTIFY_SOCKET'];
  if (!socket) return () => undefined;
  const manager = new ServiceManager({
    look: () => serviceState(daemon, phase()),
    send: (fields) =>
      notify({ socket, pid, fields: fields.map((field) => oneLine(secrets.redact(field), STATUS_MAX)) }),
    host: machine,
    watchdogMs: watchdogOf(env, pid),
    onProblem: (text) => log.warn(`systemd: ${text}`),
  });
  manager.start();
  return () => manager.stop();
}

/** Time in ms after which systemd ends this process if it does not report; null without a watchdog. */
export function watchdogOf(
  { WATCHDOG_USEC: limit, WATCHDOG_PID: watched }: Environment,
  pid: number,
): number | null {
  if (limit === undefined || !/^[1-9]\d{0,15}$/.test(limit)) return null;
  return watched === undefined || watched === String(pid) ? Number(limit) / 1_000 : null;
}

function serviceState(daemon: ServiceParts['daemon'], phase: Phase): ServiceState {
  return {
    isReady: hasStarted(daemon.health()),
    isEnding: phase === 'stopping' || phase === 'draining' || phase === 'stopped',
    standstill: daemon.standstill(),
    status: statusLine(daemon),
  };
}

/** State, session and equity: `active, regular session, equity 100000.25 mUSD`. A failing status ends no run. */
export function statusLine(daemon: Pick<Daemon, 'status' | 'health'>): string {
  try {
    const { state, session, equity } = daemon.status();
    const why = daemon.health().checks.find(({ ok }) => !ok)?.why ?? null;
    const text = `${state.trading}, session ${session.phase}, equity ${equity} mUSD`;
    return shortAmounts(why === null ? text : `not ready (${why}), ${text}`);
  } catch (error) {
    return `no status: ${messageOf(error)}`;
  }
}

type Message = Readonly<{
  socket: string;
  pid: number;
  fields: readonly string[];
  /** Default: systemd's own. */
  program?: string;
}>;

/**
 * Sends fields for this process through a child that gets no environment except the socket. Resolves to the problem, or null.
 */
export function notify({ socket, pid, fields, program = PROGRAM }: Message): Promise<string | null> {
  const options = {
    env: { PATH, NOTIFY_SOCKET: socket },
    cwd: '/',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  } as const;
  return new Promise((resolve) => {
    execFile(program, [`--pid=${pid}`, ...fields], options, (error, _out, err) => {
      resolve(error === null ? null : `${program} failed: ${err.trim() || messageOf(error)}`);
    });
  });
}
