import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/core/clock.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { type Keyboard, terminalOn } from '../../../src/process/terminal.ts';
import { runCli } from '../../../src/cli/program.ts';

export type Ran = Readonly<{ code: number; out: string; err: string }>;

type Surroundings = Readonly<{
  env?: Record<string, string>;
  cwd?: string;
  clock?: Clock;
  signal?: AbortSignal;
  /** Given what a second signal would do, each time that it changes. */
  onSecond?: (second: () => void) => void;
  keyboard?: Keyboard;
  /** Sees each result as it is printed. */
  onOut?: (text: string) => void;
  /** Sees each message on stderr as it is told. */
  onErr?: (text: string) => void;
}>;

/**
 * Folder of the locks, the logs of nonces and the registered daemons of one test file: what the user who runs the tests has there,
 * and what an earlier run of them left, are not theirs.
 */
export const LOCKS = mkdtempSync(join(tmpdir(), 'drover-locks-'));

/** No terminal, and nothing piped in. */
const nobody: Keyboard = { present: false, ask: () => '', piped: () => '' };

/** A person who types these answers, one a question. */
export function typing(...answers: string[]): Keyboard & { readonly asked: string[] } {
  const asked: string[] = [];
  const ask = (question: string) => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  return { present: true, ask, asked, piped: () => '' };
}

export const piping = (text: string): Keyboard => ({ ...nobody, piped: () => text });

/** Runs a command line in this process, with what it prints caught as a terminal would show it. */
export async function drover(argv: readonly string[], surroundings: Surroundings = {}): Promise<Ran> {
  const {
    env = {},
    cwd = process.cwd(),
    clock = systemClock,
    signal = new AbortController().signal,
    onOut = () => undefined,
    onErr = () => undefined,
    onSecond = () => undefined,
    keyboard = nobody,
  } = surroundings;
  const secrets = new Secrets();
  let [out, err] = ['', ''];
  const taking = (take: (text: string) => void) => ({ write: (text: string) => take(text) });
  const terminal = terminalOn(
    {
      stdout: taking((text) => {
        out += text;
        onOut(text.slice(0, -1));
      }),
      stderr: taking((text) => {
        err += text;
        onErr(text.slice(0, -1));
      }),
      colour: false,
    },
    secrets,
  );
  const atExit: (() => void)[] = [];
  const code = await runCli(argv, {
    terminal,
    keyboard,
    env,
    machineFolders: { home: null, shared: LOCKS },
    cwd,
    clock,
    secrets,
    pid: process.pid,
    stopSignal: (second = () => undefined) => {
      onSecond(second);
      return signal;
    },
    onCrash: () => () => undefined,
    // The tests share this process.
    lockRealm: () => undefined,
    onExit: (act) => atExit.push(act),
    detachOutput: () => () => 0,
  });
  for (const act of atExit) act();
  return { code, out, err };
}
