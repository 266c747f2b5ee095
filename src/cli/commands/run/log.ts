import { openSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import { createLog, type Log } from '../../../core/log.ts';
import { atPath, type PathUse } from '../../files.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { CommandContext } from '../../context.ts';

/** Most characters that wait for the disk. */
const WAITING_MAX = 1_000_000;

/** `lines`: number of lines lost if the text is not written. */
type Chunk = Readonly<{ text: string; lines: number }>;

/**
 * A log file, written in order beside the work of the process: a slow disk delays nothing. A line is lost and counted when
 * too many wait, or the disk refuses it; the next line that is written reports how many.
 */
export class LineFile {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #length = 0;
  #isWriting = false;
  #lost = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'a', 0o600);
  }

  /** `line` ends with its newline. */
  add(line: string): void {
    if (this.#length + line.length > WAITING_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    if (!this.#isWriting) this.#writeOn();
  }

  /** Writes all waiting lines before it returns, for the end of the process. */
  flush(): void {
    const { text, lines } = this.#take();
    try {
      writeSync(this.#descriptor, text);
    } catch {
      this.#lost += lines;
    }
  }

  #take(): Chunk {
    const [waiting, lost] = [this.#waiting, this.#lost];
    [this.#waiting, this.#length] = [[], 0];
    if (waiting.length === 0) return { text: '', lines: 0 };
    this.#lost = 0;
    const gap = lost > 0 ? `{"level":40,"lost":${lost},"msg":"lines were lost"}\n` : '';
    return { text: gap + waiting.join(''), lines: waiting.length + lost };
  }

  #writeOn(): void {
    const { text, lines } = this.#take();
    this.#isWriting = lines > 0;
    if (!this.#isWriting) return;
    this.#put(Buffer.from(text), (isWritten) => {
      if (!isWritten) this.#lost += lines;
      this.#writeOn();
    });
  }

  /** Writes all parts of a text, because a disk may accept only some at a time. */
  #put(bytes: Buffer, done: (isWritten: boolean) => void): void {
    write(this.#descriptor, bytes, (error, count) => {
      if (error) done(false);
      else if (count < bytes.length) this.#put(bytes.subarray(count), done);
      else done(true);
    });
  }
}

type LogPlace = Readonly<{ loaded: LoadedConfig; stateDir: string; context: CommandContext; clock: Clock }>;

const USE: PathUse = {
  what: 'the log',
  remedy: 'Make its folder, let this user write there, or name another file by log.file',
};

/**
 * Opens the log. The run does not wait for it; lines still waiting are written at the end of the process. @throws
 * {ConfigError} when it cannot be written
 */
export function openLog({ loaded, stateDir, context, clock }: LogPlace): Log {
  const { level, file = join(stateDir, 'drover.log') } = loaded.config.log;
  const lines = atPath(file, USE, () => new LineFile(file));
  context.onExit(() => lines.flush());
  return createLog({ level, clock, secrets: context.secrets, write: (line) => lines.add(line) });
}
