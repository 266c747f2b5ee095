import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Readable } from 'node:stream';
import { SIGNAL, type PrintedText } from '../realm/messages.ts';

/** Most lines, and most characters, that a strategy may print in a minute. */
const LINES_MAX = 600;
const CHARS_MAX = 64 * 1024;
const WINDOW_MS = 60_000;

/** Passes a limited number of printed lines a minute, and reports how many were omitted. */
export class PrintLimit {
  readonly #print: (text: string) => void;
  readonly #now: () => number;
  #since = -Infinity;
  #lines = 0;
  #chars = 0;
  #leftOut = 0;

  /** `now`: real milliseconds on a scale that never jumps. */
  constructor(print: (text: string) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
  }

  /** Passes lines on; the last one may continue in the next text. */
  take(text: string): void {
    this.#refresh();
    const lines = text.replace(/\n$/, '').split('\n');
    const kept = lines.filter((line) => this.#fits(line));
    if (kept.length > 0) this.#print(`${kept.join('\n')}\n`);
    const dropped = lines.length - kept.length;
    if (dropped > 0 && this.#leftOut === 0)
      this.#print(
        `(more than ${LINES_MAX} lines or ${CHARS_MAX / 1024} KiB in a minute: the rest is left out)\n`,
      );
    this.#leftOut += dropped;
  }

  /** Reports omitted lines when their minute is over. */
  settle(): void {
    if (this.#leftOut > 0) this.#refresh();
  }

  /** Begins a new minute when one is over, and reports the lines that the last one omitted. */
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
  /** Real milliseconds on a scale that never jumps. */
  now: () => number;
  /** Called for a message that is no text of a strategy. */
  onForged: () => void;
}>;

/** Most texts processed at once: the thread may print faster than they are shown. */
const TAKEN_MAX = 10_000;

/**
 * Texts that the strategies of a thread print, on a channel of their own. Node's channel for the output of a thread holds back all but the
 * first text until the main thread is idle, and loses them when the thread ends before that.
 */
export class ThreadOutput {
  readonly #options: ThreadOutputOptions;
  readonly #limits = new Map<string, PrintLimit>();

  constructor(options: ThreadOutputOptions) {
    this.#options = options;
    options.port.on('message', (printed: unknown) => this.#show(printed));
    // A listener keeps the process alive; output must not.
    options.port.unref();
  }

  /** Receives what a strategy prints, each within a limit of its own. */
  show(strategy: string, print: (text: string) => void): void {
    this.#limits.set(strategy, new PrintLimit(print, this.#options.now));
  }

  /** Receives an output stream of the thread: that of Node itself, and of code with the real `process`. `by`: who runs. */
  read(stream: Readable, by: () => string | null): void {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#limits.get(by() ?? '')?.take(text));
  }

  /** Passes on everything printed so far. */
  take(): void {
    const { port, signals } = this.#options;
    if (Atomics.exchange(signals, SIGNAL.printed, 0) === 0) return;
    for (let taken = 0; taken < TAKEN_MAX; taken++) {
      const received = receiveMessageOnPort(port);
      if (!received) return;
      this.#show(received.message);
    }
    Atomics.store(signals, SIGNAL.printed, 1);
  }

  /** Reports the lines omitted in the last minute, when it is over. */
  settle(): void {
    for (const limit of this.#limits.values()) limit.settle();
  }

  /** Shows the rest, when the thread has ended. */
  close(): void {
    while (Atomics.load(this.#options.signals, SIGNAL.printed) === 1) this.take();
    for (const limit of this.#limits.values()) limit.flush();
    this.#options.port.close();
  }

  #show(printed: unknown): void {
    const { strategy, text } = (printed ?? {}) as Partial<PrintedText>;
    const limit = this.#limits.get(strategy ?? '');
    if (limit && typeof text === 'string') limit.take(text);
    else this.#options.onForged();
  }
}
