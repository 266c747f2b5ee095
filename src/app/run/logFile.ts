import type { RunMonitor } from './monitor.ts';
import type { CommandContext } from '../../process/context.ts';
import type { LoadedConfig } from '../config/load.ts';
import { atPath, type PathUse } from '../../process/files.ts';
import { createLog, type Log } from '../../core/log.ts';
import type { Clock } from '../../core/clock.ts';
import { join } from 'node:path';
import { close, constants, fstatSync, lstatSync, open, openSync } from 'node:fs';
import { access, rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { LineWriter } from '../../process/lineWriter.ts';

/** `maxBytes`: size at which a new file is started. `keep`: number of full files to keep, at least 1. */
export type Rotation = Readonly<{ maxBytes: number; keep: number }>;

/** Non-blocking for a pipe, which would delay the start until someone reads it. */
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;

/**
 * A log file. A full file becomes `FILE.1`, the previous one `FILE.2`, and a new one is started. A device, pipe or link is
 * never renamed.
 */
export class LogFile {
  readonly #file: string;
  readonly #rotation: Rotation;
  readonly #isPlain: boolean;
  readonly #writer: LineWriter;
  /** Size in bytes before the first write. */
  #sizeBefore: number;

  /** @throws {Error} of the file system, when the file cannot be opened for writing */
  constructor(file: string, rotation: Rotation) {
    this.#file = file;
    this.#rotation = rotation;
    const descriptor = openSync(file, APPEND, 0o600);
    this.#sizeBefore = fstatSync(descriptor).size;
    this.#isPlain = lstatSync(file).isFile();
    this.#writer = new LineWriter(descriptor, {
      gap: (lost) => warning('lines were lost', { lost }),
      beforeWrite: () => this.#rotateFull(),
    });
  }

  /** Appends `line`, which ends with a newline. */
  add(line: string): void {
    this.#writer.add(line);
  }

  /** Number of lines lost so far. */
  get dropped(): number {
    return this.#writer.dropped;
  }

  /** Writes all buffered lines before it returns; for process exit. */
  flush(): void {
    this.#writer.flush();
  }

  /** Starts a new file if this one is full. If that fails, it writes on; the next attempt is one file size later. */
  async #rotateFull(): Promise<void> {
    if (!this.#isPlain || this.#sizeBefore + this.#writer.written < this.#rotation.maxBytes) return;
    this.#sizeBefore = -this.#writer.written;
    try {
      await makeRoom(this.#file, this.#rotation.keep);
      const full = this.#writer.descriptor;
      this.#writer.follow(await promisify(open)(this.#file, APPEND, 0o600));
      this.#sizeBefore = 0;
      close(full, () => undefined);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#writer.addFirst(warning('the log continues in its full file', { problem }));
    }
  }
}

const warning = (msg: string, fields: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ level: 40, ...fields, msg })}\n`;

/**
 * Renames FILE to FILE.1, FILE.1 to FILE.2, and so on, up to the first free number, or over the oldest of `keep`. Starts with
 * the last: if interrupted, each file is intact and one number free. @throws {Error} of the file system
 */
async function makeRoom(file: string, keep: number): Promise<void> {
  const name = (number: number) => (number === 0 ? file : `${file}.${number}`);
  let free = 0;
  while (free < keep && (await isThere(name(free)))) free++;
  for (; free > 0; free--) await rename(name(free - 1), name(free));
}

const isThere = (name: string): Promise<boolean> =>
  access(name).then(
    () => true,
    () => false,
  );

type LogPlace = Readonly<{
  loaded: LoadedConfig;
  stateDir: string;
  context: CommandContext;
  clock: Clock;
  monitor: Pick<RunMonitor, 'countDropped'>;
}>;

const USE: PathUse = {
  what: 'the log',
  remedy: 'Make its folder, let this user write there, or name another file by log.file',
};

/**
 * Opens the log. The run does not wait for it; buffered lines are written when the process exits. @throws {ConfigError}
 * when it cannot be written
 */
export function openLog({ loaded, stateDir, context, clock, monitor }: LogPlace): Log {
  const { level, file = join(stateDir, 'drover.log'), maxMb, keep } = loaded.config.log;
  const lines = atPath(file, USE, () => new LogFile(file, { maxBytes: maxMb * 1_000_000, keep }));
  monitor.countDropped('log', () => lines.dropped);
  context.onExit(() => lines.flush());
  return createLog({ level, clock, secrets: context.secrets, write: (line) => lines.add(line) });
}
