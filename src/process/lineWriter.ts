import { write, writeSync } from 'node:fs';
import { everyMs } from '../core/clock.ts';

/** Maximum number of characters queued for the reader. */
const WAITING_MAX = 1_000_000;
/** Delay in ms before retrying a reader that does not accept data. */
const RETRY_MS = 50;

const NEWLINE = 0x0a;

/** `lost`: number of earlier lines that this text reports as lost. */
type Chunk = Readonly<{ text: string; lines: number; lost: number }>;

type LineWriterOptions = Readonly<{
  /** Line, with its newline, that reports how many lines were lost before it. */
  gap: (lost: number) => string;
  /** Work before each write, such as switching to a new file. Never rejects. */
  beforeWrite?: () => Promise<void>;
  /** True for a descriptor that blocks the writer until someone reads. Default false. */
  canHold?: boolean;
}>;

/**
 * Writes lines in order without blocking the process: a slow disk, or a reader that stopped, delays nothing. A line is lost
 * and counted when too many are queued, or the other side refuses it; the next line written reports how many.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  #descriptor: number;
  #waiting: string[] = [];
  #length = 0;
  #work: Promise<void> | null = null;
  /** Bytes that the reader has not accepted yet, while nothing is being written; null otherwise. */
  #blocked: Buffer | null = null;
  #isTorn = false;
  #lost = 0;
  #dropped = 0;
  #written = 0;

  constructor(descriptor: number, options: LineWriterOptions) {
    this.#options = options;
    this.#descriptor = descriptor;
  }

  get descriptor(): number {
    return this.#descriptor;
  }

  /** Bytes written to the current file. */
  get written(): number {
    return this.#written;
  }

  /** Number of lines lost so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Continues in another file. */
  follow(descriptor: number): void {
    this.#descriptor = descriptor;
    this.#written = 0;
  }

  /** `text`: one or more lines, with their newlines. */
  add(text: string): void {
    if (this.#waiting.length > 0 && this.#length + text.length > WAITING_MAX) {
      this.#lose(Math.max(linesIn(text), 1));
      return;
    }
    this.#waiting.push(text);
    this.#length += text.length;
    this.#work ??= this.#writeOn();
  }

  /** Adds a text before all queued ones. */
  addFirst(text: string): void {
    this.#waiting.unshift(text);
    this.#length += text.length;
  }

  /** Resolves once the queue is empty. */
  async drained(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** True while a write is in progress that may delay process exit: only the reader can end it. */
  get isHeld(): boolean {
    return this.#options.canHold === true && this.#work !== null && this.#blocked === null;
  }

  /** Writes all queued lines before it returns, as far as they are accepted immediately; for process exit. */
  flush(): void {
    if (this.isHeld) return;
    const bytes = Buffer.concat([this.#blocked ?? Buffer.alloc(0), Buffer.from(this.#take().text)]);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done);
    } catch {
      // They are refused, and no later line can report it.
    }
  }

  #lose(lines: number): void {
    this.#lost += lines;
    this.#dropped += lines;
  }

  #take(): Chunk {
    const [waiting, lost] = [this.#waiting, this.#lost];
    [this.#waiting, this.#length, this.#lost] = [[], 0, 0];
    const text = waiting.join('');
    const gap = lost > 0 ? this.#options.gap(lost) : '';
    return { text: `${this.#isTorn ? '\n' : ''}${gap}${text}`, lines: linesIn(text), lost };
  }

  /** Writes until the queue is empty. Never rejects. */
  async #writeOn(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.beforeWrite?.();
      await this.#put(this.#take());
    }
    this.#work = null;
  }

  /** Writes all parts of a text, because only some may be accepted at a time, and counts the refused lines. */
  async #put({ text, lines, lost }: Chunk): Promise<void> {
    const bytes = Buffer.from(text);
    let done = 0;
    while (done < bytes.length) {
      const count = await writePart(this.#descriptor, bytes.subarray(done));
      if (count === 'refused') break;
      if (count === 'full') await this.#pause(bytes.subarray(done));
      else done += count;
    }
    this.#written += done;
    const rest = bytes.subarray(done);
    if (done > 0) this.#isTorn = rest.length > 0 && bytes[done - 1] !== NEWLINE;
    const refused = rest.filter((byte) => byte === NEWLINE).length;
    if (refused > lines) {
      this.#lose(lines);
      this.#lost += lost;
    } else this.#lose(refused);
  }

  async #pause(rest: Buffer): Promise<void> {
    this.#blocked = rest;
    await new Promise<void>((resolve) => {
      const cancel = everyMs(RETRY_MS, () => {
        cancel();
        resolve();
      });
    });
    this.#blocked = null;
  }
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Number of bytes accepted. A full pipe or a stopped terminal accepts more later; anything else refuses them. */
const writePart = (descriptor: number, bytes: Buffer): Promise<number | 'full' | 'refused'> =>
  new Promise((done) => {
    write(descriptor, bytes, (error, count) => {
      if (error) done(error.code === 'EAGAIN' ? 'full' : 'refused');
      else done(count > 0 ? count : 'refused');
    });
  });
