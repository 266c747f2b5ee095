import { receiveMessageOnPort } from 'node:worker_threads';
import { type Answer, type ThreadMessage, SIGNAL, type Task, type ThreadData } from './messages.ts';

/** Kept from before the strategy is loaded: it may replace the globals. */
const { add, load, notify, store, wait } = Atomics;

/** The thread's end of the channel to the main thread, which waits for every message. */
export class ThreadPort {
  readonly #port: ThreadData['port'];
  readonly #signals: Int32Array;
  readonly #post: (message: ThreadMessage) => void;
  readonly #postOutput: (text: string) => void;

  constructor({ port, output, signals }: Pick<ThreadData, 'port' | 'output' | 'signals'>) {
    this.#port = port;
    this.#signals = new Int32Array(signals);
    this.#post = port.postMessage.bind(port);
    this.#postOutput = output.postMessage.bind(output);
  }

  /** Sends what the strategy prints, for which nobody waits. */
  print(text: string): void {
    this.#postOutput(text);
    store(this.#signals, SIGNAL.printed, 1);
  }

  /** @throws for what cannot be sent, such as a function */
  send(message: ThreadMessage): void {
    this.#post(message);
    store(this.#signals, SIGNAL.message, 1);
    notify(this.#signals, SIGNAL.message);
  }

  /** Sends an order call and waits for the answer. */
  ask(message: Extract<ThreadMessage, { kind: 'order' }>): Answer {
    store(this.#signals, SIGNAL.answered, 0);
    this.send(message);
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
