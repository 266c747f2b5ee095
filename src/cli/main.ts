import { Console } from 'node:console';
import '../process/debuggerPort.ts';
import { systemClock } from '../core/clock.ts';
import { StorageError } from '../core/errors.ts';
import { Secrets } from '../core/secrets.ts';
import { eraseEnvironment, secretNamesIn, takeEnvironment } from '../process/environment.ts';
import type { Process } from '../process/context.ts';
import { EXIT, reportFailure } from '../process/exitCodes.ts';
import { PACKAGE_FOLDER } from '../process/files.ts';
import { ProcessOutput, writableOf } from '../process/processOutput.ts';
import { programName } from '../process/programName.ts';
import { keyboardOf, terminalOn, echoes, isUnderNohup } from '../process/terminal.ts';
import { runCli } from './program.ts';

const secrets = new Secrets();
const output = new ProcessOutput(process);

const terminal = terminalOn(
  {
    stdout: output.stdout,
    stderr: output.stderr,
    colour: process.stdout.isTTY && !process.env['NO_COLOR'],
    ...(process.argv.includes('--json')
      ? {}
      : { program: programName({ cwd: process.cwd(), packageFolder: PACKAGE_FOLDER }) }),
  },
  secrets,
);

// Text printed by a strategy is for people: stdout is for results.
globalThis.console = new Console(writableOf(output.stderr));

const STOP_SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
if (isUnderNohup(process.env)) process.on('SIGHUP', () => undefined);
else STOP_SIGNALS.push('SIGHUP');

const isEcho = echoes(systemClock);
let stopping: AbortController | undefined;
let atSecond: () => void = () => undefined;
let lastWords: ((error: unknown) => unknown) | undefined;

/** The first signal asks the command to stop; the second ends the process, whatever the command is doing. */
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
const secretNames = secretNamesIn(env).filter((name) => env[name] !== undefined);
const shownSecrets = secretNames.length === 0 ? [] : eraseEnvironment(secretNames);

const keyboard = keyboardOf(process);
const streams = { input: process.stdin, output: process.stderr };

const given: Process = {
  terminal,
  keyboard: keyboard.present ? { ...keyboard, streams } : keyboard,
  env,
  shownSecrets,
  cwd: process.cwd(),
  clock: systemClock,
  secrets,
  pid: process.pid,
  stopSignal,
  onCrash,
  lockRealm: async () => (await import('../app/realm/realm.ts')).lockRealm(),
  onExit: (act) => void process.prependOnceListener('exit', act),
  detachOutput: () => {
    // Node's own handler would wait for the reader.
    process
      .removeAllListeners('warning')
      .on('warning', ({ name, message }) => terminal.err(`${name}: ${message}`));
    return output.detach();
  },
};

const report = (error: unknown): void =>
  reportFailure(error, terminal, {
    json: process.argv.includes('--json'),
    verbose: process.argv.includes('--verbose'),
    secrets,
  });

process.on('exit', () => {
  // A thread that still waits for a reader can only be ended together with the process.
  if (!output.flush()) process.kill(process.pid, 'SIGKILL');
});

/** Handles uncaught errors and unhandled rejections. The state is unreliable afterwards: a supervisor restarts the program. */
process.on('uncaughtException', (error) => {
  let reported: unknown = error;
  try {
    if (lastWords) reported = lastWords(error);
  } finally {
    report(reported);
    process.exit(EXIT.failed);
  }
});
/**
 * Handles a closed output, as in `drover orders | head`, and one that cannot be written, as on a full disk: its content is incomplete.
 * A command that can be stopped continues without it: a trading run has a log, and an order must not be sent again.
 */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (cause: NodeJS.ErrnoException) => {
    const isClosed = cause.code === 'EPIPE';
    if (!isClosed && stream === process.stdout)
      report(
        new StorageError(
          `the output is incomplete, because it could not be written: ${cause.message}. Make room, or write it elsewhere`,
          {},
          { cause },
        ),
      );
    if (!stopping) process.exit(isClosed ? EXIT.done : EXIT.failed);
  });

process.exitCode = await runCli(process.argv.slice(2), given);
if (!(await output.drained())) process.exit();
