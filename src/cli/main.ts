#!/usr/bin/env node
import { systemClock } from '../core/clock.ts';
import { Secrets } from '../core/secrets.ts';
import type { Process, Terminal } from './context.ts';
import { EXIT } from './exitCodes.ts';
import { tellFailure } from './failure.ts';
import { keyboardOf } from './keyboard.ts';
import { runCli } from './program.ts';

const secrets = new Secrets();

const terminal: Terminal = {
  out: (text) => process.stdout.write(`${secrets.redact(text)}\n`),
  err: (text) => process.stderr.write(`${secrets.redact(text)}\n`),
  colour: process.stdout.isTTY && !process.env['NO_COLOR'],
};

let stopping: AbortController | undefined;

/** The first signal asks the command to stop; the second ends the process. */
function stopSignal(): AbortSignal {
  if (stopping) return stopping.signal;
  const controller = new AbortController();
  stopping = controller;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort(name);
    });
  return controller.signal;
}

const given: Process = {
  terminal,
  keyboard: keyboardOf(process),
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  secrets,
  stopSignal,
};

process.on('uncaughtException', (error) => {
  tellFailure(error, terminal, {
    json: process.argv.includes('--json'),
    verbose: process.argv.includes('--verbose'),
  });
  process.exit(EXIT.failed);
});
/** Whoever read the output has gone, as in `drover orders | head`. */
process.stdout.on('error', () => process.exit(EXIT.done));

process.exitCode = await runCli(process.argv.slice(2), given);
