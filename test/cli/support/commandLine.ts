import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/core/clock.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { type Keyboard, terminalOn } from '../../../src/cli/terminal.ts';
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

/** Daemons of tests are found by these tests alone, and not by the commands of the user who runs them. */
const REGISTRY = mkdtempSync(join(tmpdir(), 'drover-registry-'));

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
    machineFolders: { home: null, shared: REGISTRY },
    cwd,
    clock,
    secrets,
    pid: process.pid,
    stopSignal: (second = () => undefined) => {
      onSecond(second);
      return signal;
    },
    onCrash: () => () => undefined,
    onExit: (act) => atExit.push(act),
  });
  for (const act of atExit) act();
  return { code, out, err };
}
