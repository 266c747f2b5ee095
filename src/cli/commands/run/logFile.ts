import { close, fstatSync, lstatSync, open, openSync, write, writeSync } from 'node:fs';
import { access, rename } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Most characters that wait for the disk. */
const WAITING_MAX = 1_000_000;

const NEWLINE = 0x0a;

/** `lines`: number of lines of its own; `lost`: number of earlier ones that its first line reports as lost. */
type Chunk = Readonly<{ text: string; lines: number; lost: number }>;

/** `maxBytes`: size from which on a new file is begun. `keep`: full files that stay beside it, at least 1. */
export type Rotation = Readonly<{ maxBytes: number; keep: number }>;

/**
 * A log file, written in order beside the work of the process: a slow disk delays nothing. A line is lost and counted when
 * too many wait, or the disk refuses it; the next line that is written reports how many. A full file becomes `FILE.1`, that
 * one `FILE.2`, and a new one is begun. A device, a pipe or a link is never renamed.
 */
export class LogFile {
  readonly #file: string;
  readonly #rotation: Rotation;
  readonly #isPlain: boolean;
  #descriptor: number;
  #size: number;
  #waiting: string[] = [];
  #length = 0;
  #isWriting = false;
  #isTorn = false;
  #lost = 0;

  /** @throws {Error} of the file system, when the file cannot be opened for writing */
  constructor(file: string, rotation: Rotation) {
    this.#file = file;
    this.#rotation = rotation;
    this.#descriptor = openSync(file, 'a', 0o600);
    this.#size = fstatSync(this.#descriptor).size;
    this.#isPlain = lstatSync(file).isFile();
  }

  /** `line` ends with its newline. */
  add(line: string): void {
    if (this.#length + line.length > WAITING_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    if (!this.#isWriting) void this.#writeOn();
  }

  /** Writes all waiting lines before it returns, for the end of the process. */
  flush(): void {
    const bytes = Buffer.from(this.#take().text);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done);
    } catch {
      // The disk refuses them, and no line is left that could say so.
    }
  }

  #take(): Chunk {
    const [waiting, lost] = [this.#waiting, this.#lost];
    [this.#waiting, this.#length, this.#lost] = [[], 0, 0];
    const gap = lost > 0 ? warning('lines were lost', { lost }) : '';
    return { text: `${this.#isTorn ? '\n' : ''}${gap}${waiting.join('')}`, lines: waiting.length, lost };
  }

  /** Writes until nothing waits. Never rejects. */
  async #writeOn(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      if (this.#isPlain && this.#size >= this.#rotation.maxBytes) await this.#rotate();
      await this.#put(this.#take());
    }
    this.#isWriting = false;
  }

  /** Writes all parts of a text, because a disk may accept only some at a time, and counts the lines that it refuses. */
  async #put({ text, lines, lost }: Chunk): Promise<void> {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      const count = await writePart(this.#descriptor, rest);
      if (count === 0) break;
      this.#size += count;
      this.#isTorn = rest[count - 1] !== NEWLINE;
      rest = rest.subarray(count);
    }
    const refused = rest.filter((byte) => byte === NEWLINE).length;
    this.#lost += refused > lines ? lines + lost : refused;
  }

  /** Begins a new file. Where that fails, the full one is written on, and the next try is a file's size later. */
  async #rotate(): Promise<void> {
    this.#size = 0;
    try {
      await makeRoom(this.#file, this.#rotation.keep);
      const full = this.#descriptor;
      this.#descriptor = await promisify(open)(this.#file, 'a', 0o600);
      close(full, () => undefined);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#waiting.unshift(warning('the log goes on in its full file', { problem }));
    }
  }
}

/** Number of bytes that the disk took; 0 when it refused. */
const writePart = (descriptor: number, bytes: Buffer): Promise<number> =>
  new Promise((done) => {
    write(descriptor, bytes, (error, count) => done(error ? 0 : count));
  });

const warning = (msg: string, fields: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ level: 40, ...fields, msg })}\n`;

/**
 * Renames FILE to FILE.1, FILE.1 to FILE.2, and so on, up to the first number that is free, or over the oldest of `keep`. From
 * the last to the first: an end in between leaves each file whole, and one number free. @throws {Error} of the file system
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
