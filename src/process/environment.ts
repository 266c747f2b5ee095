import { onDescriptor } from '../store/trust.ts';
import { openSync, readFileSync, readSync, writeSync } from 'node:fs';
import type { Secrets } from '../core/secrets.ts';
import { orElse } from '../core/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variables of the secrets, by secret. */
export const SECRET_VARIABLES = {
  apiKey: 'DROVER_API_KEY',
  apiSecret: 'DROVER_API_SECRET',
  walletKey: 'DROVER_WALLET_KEY',
  /** Opens the key store. */
  password: 'DROVER_KEYSTORE_PASSWORD',
  newPassword: 'DROVER_KEYSTORE_NEW_PASSWORD',
  controlRead: 'DROVER_CONTROL_READ_TOKEN',
  controlOperate: 'DROVER_CONTROL_OPERATE_TOKEN',
  /** Password of a study's queue, or its address including the password. */
  queue: 'DROVER_QUEUE',
} as const;

/** Their names. */
export const SECRET_VARIABLE_NAMES: readonly string[] = Object.values(SECRET_VARIABLES);

/** Prefix of the variables with notification addresses, each followed by the id of its channel. */
export const NOTIFY_PREFIX = 'DROVER_NOTIFY_';

/** Names of the environment variables with secrets. */
export const secretNamesIn = (env: Environment): readonly string[] => [
  ...SECRET_VARIABLE_NAMES,
  ...Object.keys(env).filter((name) => name.startsWith(NOTIFY_PREFIX)),
];

/** Variables through which systemd reaches a service: with them, any code in this process could act for it. */
const SERVICE_VARIABLES = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID', 'CREDENTIALS_DIRECTORY'];

/** Masks the secrets of the environment, before anything can print them. */
export function registerEnvironment({
  env,
  secrets,
}: Readonly<{ env: Environment; secrets: Secrets }>): void {
  for (const name of secretNamesIn(env)) secrets.register(env[name] ?? '');
}

/**
 * Copies the environment of the process, and deletes secrets and access to the service manager from it: neither strategies nor
 * child processes see them. `eraseEnvironment` erases them from what the system shows of the process.
 */
export function takeEnvironment(env: Record<string, string | undefined>): Environment {
  const own = { ...env };
  for (const name of [...secretNamesIn(own), ...SERVICE_VARIABLES]) Reflect.deleteProperty(env, name);
  return own;
}

/**
 * Overwrites the variables `names` in the environment that this process was started with, which the system keeps showing to every
 * program of the same user (`/proc/PID/environ`, `ps e`) even after they were deleted from `process.env`: their bytes stay where
 * the kernel put them. Delete them from `process.env` first. Works on Linux, where a process may write to its own memory through a
 * file; no restart is needed, and the process keeps its id.
 * @returns the names that are still shown; all of them without `/proc`
 */
export function eraseEnvironment(names: readonly string[]): readonly string[] {
  return orElse(() => {
    onDescriptor(openSync('/proc/self/mem', 'r+'), (file) => erase(file, names));
    const shown = readFileSync('/proc/self/environ');
    return names.filter((name) => variableIn(shown, name) !== null);
  }, names);
}

function erase(memory: number, names: readonly string[]): void {
  const { start, end } = environmentBounds(readFileSync('/proc/self/stat', 'latin1'));
  const bytes = Buffer.alloc(end - start);
  readSync(memory, bytes, 0, bytes.length, start);
  for (const name of names)
    for (let found = variableIn(bytes, name); found; found = variableIn(bytes, name)) {
      bytes.fill(0, found.from, found.to);
      writeSync(memory, bytes, found.from, found.to - found.from, start + found.from);
    }
  bytes.fill(0);
}

/** Fields 50 and 51 of `proc_pid_stat(5)`: the addresses where the environment begins and ends. */
function environmentBounds(stat: string): Readonly<{ start: number; end: number }> {
  // Field 2, the program name, may contain spaces and parentheses; field 3 comes after its last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start, end] = [Number(fields[47]), Number(fields[48])];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || end <= start)
    throw new RangeError('the system does not state the addresses of the environment');
  return { start, end };
}

/** Finds `NAME=value` in a block of null-terminated texts. */
function variableIn(block: Buffer, name: string): Readonly<{ from: number; to: number }> | null {
  const text = Buffer.from(`${name}=`);
  for (let from = block.indexOf(text); from >= 0; from = block.indexOf(text, from + 1)) {
    if (from > 0 && block[from - 1] !== 0) continue;
    const zero = block.indexOf(0, from);
    return { from, to: zero < 0 ? block.length : zero };
  }
  return null;
}
