import { basename } from 'node:path';
import { Console } from 'node:console';
import './isolation/debuggerPort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import {
  type Environment,
  SECRET_VARIABLE_NAMES,
  takeEnvironment,
  eraseEnvironment,
} from './config/environment.ts';
import { printable, printableInColour } from '../core/printable.ts';
import { Secrets } from '../core/secrets.ts';
import type { Terminal, Process } from './context.ts';
import { EXIT, tellFailure } from './exitCodes.ts';
import { keyboardOf } from './keyboard.ts';
import { runCli } from './program.ts';

/** The same signal again so soon is the same wish: `timeout` and npm pass on what the whole group was sent. */
const ECHO_MS = 500;

/**
 * Whether a process was begun by `nohup`. Node takes back what was ignored when it began, and keeps no word of it; the
 * shell has noted the name in `_`.
 */
export const isUnderNohup = (env: Environment): boolean => basename(env['_'] ?? '') === 'nohup';

/** Tells of each signal as it comes whether it only repeats the one before. */
export function echoes(clock: Pick<Clock, 'monotonic'>): (name: string) => boolean {
  let last = { name: '', at: -Infinity };
  return (name) => {
    const at = clock.monotonic();
    if (name === last.name && at - last.at < ECHO_MS) return true;
    last = { name, at };
    return false;
  };
}

/** Takes text as it is. */
type Stream = Readonly<{ isTTY?: boolean; write(text: string): unknown }>;
type Streams = Readonly<{ stdout: Stream; stderr: Stream; colour: boolean }>;

const CLEAR_LINE = '\r\u001B[K';

/**
 * The one way to stdout and stderr. Secrets are masked, and what the venue or a file has in its texts to steer a terminal is
 * spelled out; only colours of ours pass, where there are any.
 */
export function terminalOn({ stdout, stderr, colour }: Streams, secrets: Secrets): Terminal {
  const shownAs = colour ? printableInColour : printable;
  const safe = (text: string): string => shownAs(secrets.redact(text));
  let status = '';
  const showStatus = (text: string): void => {
    if (text !== status) stderr.write(`${CLEAR_LINE}${safe(text).replaceAll('\n', ' ')}`);
    status = text;
  };
  const put = (stream: Stream, text: string): void => {
    if (status) showStatus('');
    stream.write(`${safe(text)}\n`);
  };
  return {
    out: (text) => put(stdout, text),
    err: (text) => put(stderr, text),
    ...(stderr.isTTY ? { status: showStatus } : {}),
    colour,
  };
}

const secrets = new Secrets();

const terminal = terminalOn(
  {
    stdout: process.stdout,
    stderr: process.stderr,
    colour: process.stdout.isTTY && !process.env['NO_COLOR'],
  },
  secrets,
);

// What a strategy prints is for people: stdout is for results.
globalThis.console = new Console(process.stderr);

const STOP_SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
if (isUnderNohup(process.env)) process.on('SIGHUP', () => undefined);
else STOP_SIGNALS.push('SIGHUP');

const isEcho = echoes(systemClock);
let stopping: AbortController | undefined;
let atSecond: () => void = () => undefined;
let lastWords: ((error: unknown) => unknown) | undefined;

/** The first signal asks the command to stop; the second ends the process, whatever the command is at. */
function stopSignal(second: () => void = () => undefined): AbortSignal {
  atSecond = second;
  if (stopping) return stopping.signal;
  const controller = new AbortController();
  stopping = controller;
  for (const name of STOP_SIGNALS) process.on(name, () => onSignal(controller, name));
  return controller.signal;
}

function onSignal(controller: AbortController, name: string): void {
  if (isEcho(name)) return;
  if (!controller.signal.aborted) return controller.abort(name);
  try {
    atSecond();
  } finally {
    process.exit(EXIT.interrupted);
  }
}

function onCrash(speak: (error: unknown) => unknown): () => void {
  lastWords = speak;
  return () => {
    lastWords = undefined;
  };
}

const env = takeEnvironment(process.env);
const secretNames = SECRET_VARIABLE_NAMES.filter((name) => env[name] !== undefined);
const shownSecrets = secretNames.length === 0 ? [] : eraseEnvironment(secretNames);

const given: Process = {
  terminal,
  keyboard: keyboardOf(process),
  env,
  shownSecrets,
  cwd: process.cwd(),
  clock: systemClock,
  secrets,
  pid: process.pid,
  stopSignal,
  onCrash,
  onExit: (act) => void process.once('exit', act),
};

/** Rejections that nobody handles come here too. Nothing is trusted after it: a supervisor starts the program anew. */
process.on('uncaughtException', (error) => {
  let told: unknown = error;
  try {
    if (lastWords) told = lastWords(error);
  } finally {
    tellFailure(told, terminal, {
      json: process.argv.includes('--json'),
      verbose: process.argv.includes('--verbose'),
      secrets,
    });
    process.exit(EXIT.failed);
  }
});
/** Whoever read the output has gone, as in `drover orders | head`. What trades goes on without them: it has a log. */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => {
    if (!stopping) process.exit(EXIT.done);
  });

process.exitCode = await runCli(process.argv.slice(2), given);
