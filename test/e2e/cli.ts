import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program as shipped. */
export const MAIN = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url));

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const freshDir = (): string => mkdtempSync(join(tmpdir(), 'drover-e2e-'));

/** Folder of the locks of API keys. */
const home = freshDir();

export type Done = Readonly<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>;
export type Running = Readonly<{
  child: ChildProcess;
  done: Promise<Done>;
  line(pattern: RegExp): Promise<string>;
}>;

type Env = Readonly<Record<string, string>>;

/** Environment of a program under test: its own, and a home of the tests. */
export const daemonEnv = (env: Env): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], HOME: home, ...env });

/** Starts the built command line like a user, in the project's folder and without a terminal. */
export function start(args: readonly string[], env: Env = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: root,
    env: daemonEnv(env),
  });
  let [out, err] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    for (const look of waiting) look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    for (const look of waiting) look();
  });
  const done = new Promise<Done>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = `${out}\n${err}`.split('\n').find((text) => pattern.test(text));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void done.then(({ err: said }) => reject(new Error(`ended without ${String(pattern)}: ${said}`)));
      look();
    });
  return { child, done, line };
}

export const drover = (args: readonly string[], env?: Env): Promise<Done> => start(args, env).done;
