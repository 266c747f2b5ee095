import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Readable } from 'node:stream';
import { SIGNAL } from './messages.ts';
import { PrintLimit } from './printLimit.ts';

export type ThreadOutputOptions = Readonly<{
  port: MessagePort;
  signals: Int32Array;
  /** Takes what the strategy prints, within the limit. */
  print: (text: string) => void;
  /** Real milliseconds on a scale that never jumps. */
  now: () => number;
  /** Called for a message that is no text. */
  onForged: () => void;
}>;

/** Most texts that are taken at once: the thread may print faster than they are shown. */
const TAKEN_MAX = 10_000;

/**
 * Texts that a strategy prints, on a channel of their own. Node's channel for the output of a thread holds back all but the
 * first text until the main thread is idle, and loses them when the thread ends before that.
 */
export class ThreadOutput {
  readonly #options: ThreadOutputOptions;
  readonly #limit: PrintLimit;

  constructor(options: ThreadOutputOptions) {
    this.#options = options;
    this.#limit = new PrintLimit(options.print, options.now);
    options.port.on('message', (text: unknown) => this.#show(text));
    // A listener keeps the process alive; output must not.
    options.port.unref();
  }

  /** Takes what an output stream of the thread gives: that of Node itself, and of code that has the real `process`. */
  read(stream: Readable): void {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#limit.take(text));
  }

  /** Shows what has been printed by now. */
  take(): void {
    const { port, signals } = this.#options;
    if (Atomics.exchange(signals, SIGNAL.printed, 0) === 0) return;
    for (let taken = 0; taken < TAKEN_MAX; taken++) {
      const received = receiveMessageOnPort(port) as { message: unknown } | undefined;
      if (!received) return;
      this.#show(received.message);
    }
    Atomics.store(signals, SIGNAL.printed, 1);
  }

  /** Says what the last minute has left out, when it is over. */
  settle(): void {
    this.#limit.settle();
  }

  /** Shows the rest, when the thread has ended. */
  close(): void {
    while (Atomics.load(this.#options.signals, SIGNAL.printed) === 1) this.take();
    this.#limit.flush();
    this.#options.port.close();
  }

  #show(text: unknown): void {
    if (typeof text === 'string') this.#limit.take(text);
    else this.#options.onForged();
  }
}
