import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import { givenSecret } from '../keys/credentials.ts';
import { SECRET_VARIABLE_NAMES, SECRET_VARIABLES } from '../../process/environment.ts';
import type { CommandContext } from '../../process/context.ts';
import { readPrivateFile } from '../../process/files.ts';

export type QueueFlags = Readonly<{
  /** Address without a password; true if the flag has no value. */
  queue?: string | true;
  queuePassword?: string;
}>;

/** URL of a queue including its password, and the form shown in messages. */
export type QueueAddress = Readonly<{ url: string; shown: string }>;

const VARIABLE = SECRET_VARIABLES.queue;
const EXAMPLE = 'postgres://user@host/database';

/**
 * Address of `--queue`, with the password of `DROVER_QUEUE` or of the file of `--queue-password`. `DROVER_QUEUE` may hold the whole
 * address instead.
 * @throws {ConfigError} for an invalid address, {SafetyError} for one with a password, which `ps` would show, or a file that others
 * can read
 */
export function queueAddress({ queue, queuePassword }: QueueFlags, context: CommandContext): QueueAddress {
  const { secrets, env, cwd } = context;
  const secret = givenSecret(VARIABLE, env)?.text ?? '';
  secrets.register(secret);
  const isAddress = /^postgres(ql)?:\/\//.test(secret);
  const named = typeof queue === 'string' ? queue : undefined;
  if (named === undefined && !isAddress)
    throw new ConfigError(
      `which queue? Name it with --queue ${EXAMPLE}, or put the address into ${VARIABLE}`,
    );
  const url = parsed(named ?? secret, named === undefined ? VARIABLE : '--queue');
  const inside = passwordIn(url);
  if (inside !== null) secrets.register(inside);
  if (named !== undefined && inside !== null)
    throw new SafetyError(
      `--queue has a password in it, which every user of this machine can read by ps. Leave it out, put it into ${VARIABLE} or a file of mode 600 named by --queue-password, and replace it`,
    );
  const fromFile = queuePassword === undefined ? null : readPrivateFile(resolve(cwd, queuePassword));
  const password = fromFile ?? (isAddress ? passwordIn(parsed(secret, VARIABLE)) : secret);
  if (password) {
    secrets.register(password);
    url.password = '';
    url.searchParams.set('password', password);
  }
  return { url: url.href, shown: `${url.host || 'local'}${url.pathname}` };
}

function parsed(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1) return url;
  throw new ConfigError(`${where} is not the address of a database. Write ${EXAMPLE}`);
}

function passwordIn({ password, searchParams }: URL): string | null {
  const found = decodeURIComponent(password) || searchParams.get('password');
  return found === '' ? null : found;
}

/** Variables of this process that hold secrets of the venue, the wallet or a daemon. */
const OTHERS = SECRET_VARIABLE_NAMES.filter((name) => name !== VARIABLE);

/** Refuses to start a worker with a key: anyone who can write to the queue can run code in it. @throws {SafetyError} */
export function requireNoKeys({ env }: CommandContext): void {
  const found = OTHERS.filter((name) => env[name]);
  if (found.length === 0) return;
  throw new SafetyError(
    `a worker runs the code of whoever can write to the queue, so it takes no key, and ${found.join(', ')} is set. Start it without: env ${found.map((name) => `-u ${name}`).join(' ')} drover worker …`,
  );
}

/** Number of threads from `--workers`. @throws {ConfigError} for zero */
export function workersOf(workers = availableParallelism()): number {
  if (workers >= 1) return workers;
  throw new ConfigError(`--workers ${workers}: write 1 or more`);
}
