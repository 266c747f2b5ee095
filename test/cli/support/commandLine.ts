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
  /** Receives the handler of a second signal each time it changes. */
  onSecond?: (second: () => void) => void;
  keyboard?: Keyboard;
  /** Receives each result as it is printed. */
  onOut?: (text: string) => void;
  /** Receives each message on stderr as it is printed. */
  onErr?: (text: string) => void;
}>;

/**
 * Folder of the locks, nonce logs and registered daemons of one test file, apart from those of the user who runs the
 * tests and from those of earlier runs.
 */
export const LOCKS = mkdtempSync(join(tmpdir(), 'drover-locks-'));

/** No terminal, and no piped input. */
const nobody: Keyboard = { present: false, ask: () => '', piped: () => '' };

/** A user who types these answers, one per question. */
export function typing(...answers: string[]): Keyboard & { readonly asked: string[] } {
  const asked: string[] = [];
  const ask = (question: string) => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  return { present: true, ask, asked, piped: () => '' };
}

export const piping = (text: string): Keyboard => ({ ...nobody, piped: () => text });

/** Runs a command line in this process, and captures its output as a terminal would show it. */
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
