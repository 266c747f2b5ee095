import { receiveMessageOnPort } from 'node:worker_threads';
import { type Answer, type Said, SIGNAL, type Task, type ThreadData } from './messages.ts';

/** Taken before the strategy is loaded, which may replace them. */
const { load, notify, store, wait } = Atomics;

/** The thread's end of the line to the main thread, which waits for every word. */
export class ThreadPort {
  readonly #port: ThreadData['port'];
  readonly #signals: Int32Array;
  readonly #post: (message: Said) => void;

  constructor({ port, signals }: Pick<ThreadData, 'port' | 'signals'>) {
    this.#port = port;
    this.#signals = new Int32Array(signals);
    this.#post = port.postMessage.bind(port);
  }

  /** @throws for what cannot be sent, such as a function */
  say(message: Said): void {
    this.#post(message);
    store(this.#signals, SIGNAL.said, 1);
    notify(this.#signals, SIGNAL.said);
  }

  /** Says it and waits for the answer. */
  ask(message: Extract<Said, { kind: 'order' }>): Answer {
    store(this.#signals, SIGNAL.answered, 0);
    this.say(message);
    for (;;) {
      while (load(this.#signals, SIGNAL.answered) === 0) wait(this.#signals, SIGNAL.answered, 0);
      const received = receiveMessageOnPort(this.#port) as { message: Answer } | undefined;
      if (received) return received.message;
    }
  }

  listen(work: (task: Task) => void): void {
    this.#port.on('message', work);
  }
}
