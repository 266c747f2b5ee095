import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Readable } from 'node:stream';
import { PRINT_MAX, SIGNAL, sizeOf, type PrintedText } from '../realm/messages.ts';

/** Maximum number of lines and characters that a strategy may print per minute. */
const LINES_MAX = 600;
const CHARS_MAX = 64 * 1024;
const WINDOW_MS = 60_000;

/** Passes on a limited number of printed lines per minute, and reports how many were omitted. */
export class PrintLimit {
  readonly #print: (text: string) => void;
  readonly #now: () => number;
  #since = -Infinity;
  #lines = 0;
  #chars = 0;
  #leftOut = 0;

  /** `now`: real time in ms from a monotonic clock. */
  constructor(print: (text: string) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
  }

  /** Passes lines on; the last one may continue in the next text. Text beyond `PRINT_MAX` counts as one line. */
  take(text: string): void {
    this.#refresh();
    const lines = text.slice(0, PRINT_MAX).replace(/\n$/, '').split('\n');
    const cut = text.length > PRINT_MAX ? lines.length - 1 : -1;
    const kept = lines.filter((line, index) => index !== cut && this.#fits(line));
    if (kept.length > 0) this.#print(`${kept.join('\n')}\n`);
    const dropped = lines.length - kept.length;
    if (dropped > 0 && this.#leftOut === 0)
      this.#print(
        `(more than ${LINES_MAX} lines or ${CHARS_MAX / 1024} KiB in a minute: the rest is left out)\n`,
      );
    this.#leftOut += dropped;
  }

  /** Reports omitted lines after their minute has passed. */
  settle(): void {
    if (this.#leftOut > 0) this.#refresh();
  }

  /** Begins a new minute if the current one has passed, and reports the lines omitted in it. */
  #refresh(): void {
    const now = this.#now();
    if (now - this.#since < WINDOW_MS) return;
    this.flush();
    [this.#since, this.#lines, this.#chars] = [now, 0, 0];
  }

  /** Reports how many lines were omitted, if any were. */
  flush(): void {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    if (leftOut > 0) this.#print(`(${leftOut} ${leftOut === 1 ? 'line was' : 'lines were'} left out)\n`);
  }

  #fits(line: string): boolean {
    if (this.#lines >= LINES_MAX || this.#chars + line.length > CHARS_MAX) return false;
    this.#lines++;
    this.#chars += line.length;
    return true;
  }
}

type ThreadOutputOptions = Readonly<{
  port: MessagePort;
  signals: Int32Array;
  /** Real time in ms from a monotonic clock. */
  now: () => number;
  /** Called for a message that is not a strategy's text. */
  onForged: () => void;
}>;

/**
 * Receives the strategies' printed texts on a separate channel. Node's channel for a thread's output holds back all but the first text
 * until the main thread is idle, and loses the rest if the thread ends before that.
 */
export class ThreadOutput {
  readonly #options: ThreadOutputOptions;
  readonly #limits = new Map<string, PrintLimit>();

  constructor(options: ThreadOutputOptions) {
    this.#options = options;
    options.port.on('message', (printed: unknown) => void this.#show(printed));
    // A listener keeps the process alive; output must not.
    options.port.unref();
  }

  /** Registers the receiver of a strategy's printed text, each strategy with its own limit. */
  show(strategy: string, print: (text: string) => void): void {
    this.#limits.set(strategy, new PrintLimit(print, this.#options.now));
  }

  /** Shows a line about a strategy. */
  note(strategy: string, line: string): void {
    this.#limits.get(strategy)?.take(line);
  }

  /** Reads an output stream of the thread, used by Node itself and by code with the real `process`. `by`: who runs. */
  read(stream: Readable, by: () => string | null): void {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#limits.get(by() ?? '')?.take(text));
  }

  /** Passes on everything printed so far. */
  take(): void {
    // The thread may print as fast as its texts are shown: text that arrives meanwhile waits for the next call.
    for (let left = Atomics.load(this.#options.signals, SIGNAL.printed); left > 0;) {
      const size = this.#takeOne();
      if (size === 0) return;
      left -= size;
    }
  }

  /** Receives the next text, and returns its size; 0 if there is none. */
  #takeOne(): number {
    const received = receiveMessageOnPort(this.#options.port);
    return received ? this.#show(received.message) : 0;
  }

  /** Reports the lines omitted in the last minute, once it has passed. */
  settle(): void {
    for (const limit of this.#limits.values()) limit.settle();
  }

  /** Shows the remaining text after the thread has ended. */
  close(): void {
    while (this.#takeOne() > 0);
    for (const limit of this.#limits.values()) limit.flush();
    this.#options.port.close();
  }

  #show(printed: unknown): number {
    const { strategy, text } = (printed ?? {}) as Partial<PrintedText>;
    const limit = this.#limits.get(strategy ?? '');
    const size = sizeOf(typeof text === 'string' ? text : '');
    Atomics.sub(this.#options.signals, SIGNAL.printed, size);
    Atomics.notify(this.#options.signals, SIGNAL.printed);
    if (limit && typeof text === 'string') limit.take(text);
    else this.#options.onForged();
    return size;
  }
}
