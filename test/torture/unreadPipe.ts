import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonEnv, freshDir, MAIN, root, type Done, type Running } from '../e2e/cli.ts';

const LOOK_MS = 20;
const CHUNK = 65_536;

/** Opens a pipe of its own, whose reader never waits. */
function openPipe() {
  const file = join(freshDir(), 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return { file, reader, writer: openSync(file, constants.O_WRONLY) };
}

/** Unread bytes of a pipe; empty where there are none. */
function readPipe(reader: number): string {
  const buffer = Buffer.alloc(CHUNK);
  try {
    return buffer.toString('utf8', 0, readSync(reader, buffer));
  } catch {
    return '';
  }
}

/** Fills a pipe, so that the next write to it waits for a reader. True where it took anything at all. */
function fillPipe(file: string): boolean {
  const filler = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  let written = 0;
  for (const size of [4_096, 1])
    try {
      for (;;) written += writeSync(filler, Buffer.alloc(size, '-'));
    } catch {
      // It is full.
    }
  closeSync(filler);
  return written > 0;
}

/** A program whose whole output goes into one pipe. `leaveUnread`: stops reading and fills the pipe; true if it had room. */
export function startOnPipe(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Running & Readonly<{ leaveUnread: () => boolean }> {
  const { file, reader, writer } = openPipe();
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: root,
    env: daemonEnv(env),
    stdio: ['ignore', writer, writer],
  });
  closeSync(writer);
  let [err, isRead, hasEnded] = ['', true, false];
  const done = new Promise<Done>((resolve) => {
    child.on('exit', (code, signal) => {
      hasEnded = true;
      closeSync(reader);
      resolve({ code, signal, out: '', err });
    });
  });
  const line = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      if (isRead && !hasEnded) err += readPipe(reader);
      const found = err.split('\n').find((text) => pattern.test(text));
      if (found !== undefined) return found;
      if (hasEnded) throw new Error(`ended without ${String(pattern)}: ${err}`);
      await sleep(LOOK_MS);
    }
  };
  const leaveUnread = (): boolean => {
    isRead = false;
    return fillPipe(file);
  };
  return { child, done, line, leaveUnread };
}
