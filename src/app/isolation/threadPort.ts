import { receiveMessageOnPort } from 'node:worker_threads';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  PRINT_MAX,
  SIGNAL,
  sizeOf,
  UNREAD_MAX,
  type Answer,
  type Assignment,
  type PrintedText,
  type ThreadData,
  type ThreadMessage,
} from '../realm/messages.ts';
import { everyMs } from '../../core/clock.ts';

/** Saved before any strategy is loaded, because a strategy may replace the globals. */
const { add, load, notify, store, wait } = Atomics;

/** The thread's end of the channel to the main thread, which waits for every message. */
export class ThreadPort {
  readonly #port: ThreadData['port'];
  readonly #signals: Int32Array;
  readonly #post: (envelope: Readonly<{ number: number; message: ThreadMessage }>) => void;
  readonly #postOutput: (printed: PrintedText) => void;

  constructor({ port, output, signals }: Pick<ThreadData, 'port' | 'output' | 'signals'>) {
    this.#port = port;
    this.#signals = new Int32Array(signals);
    this.#post = port.postMessage.bind(port);
    this.#postOutput = output.postMessage.bind(output);
  }

  /** Sends printed text, shortened just enough for the reader to notice; waits while too much of it is unread. */
  print({ strategy, text }: PrintedText): void {
    const sent = text.slice(0, PRINT_MAX + 1);
    this.#postOutput({ strategy, text: sent });
    let unread = add(this.#signals, SIGNAL.printed, sizeOf(sent)) + sizeOf(sent);
    for (; unread > UNREAD_MAX; unread = load(this.#signals, SIGNAL.printed))
      wait(this.#signals, SIGNAL.printed, unread);
  }

  /** Sends a message. @throws for a value that cannot be sent, such as a function */
  send(message: ThreadMessage): void {
    this.#post({ number: load(this.#signals, SIGNAL.begun), message });
    store(this.#signals, SIGNAL.message, 1);
    notify(this.#signals, SIGNAL.message);
  }

  /** Sends an order call or a line of the log, and waits for the response. */
  ask(message: Extract<ThreadMessage, { kind: 'order' | 'log' }>): Answer {
    store(this.#signals, SIGNAL.answered, 0);
    this.send(message);
    for (;;) {
      while (load(this.#signals, SIGNAL.answered) === 0) wait(this.#signals, SIGNAL.answered, 0);
      const received = receiveMessageOnPort(this.#port);
      if (received) return received.message as Answer;
    }
  }

  listen(work: (assigned: Assignment) => void): void {
    this.#port.on('message', (assigned: Assignment) => {
      store(this.#signals, SIGNAL.begun, assigned.number);
      work(assigned);
    });
  }
}

const heap = getHeapStatistics;
const collectGarbage = collector();

/** Milliseconds between two memory reports of a thread. */
const REPORT_MS = 100;

/**
 * Memory of this thread in bytes, on its heap and outside. A value above `most` is returned only after a garbage
 * collection, because garbage that V8 has not collected yet does not count.
 */
export function heldBytes(most: number): number {
  const allocated = allocatedBytes();
  if (allocated <= most) return allocated;
  collectGarbage();
  return allocatedBytes();
}

function allocatedBytes(): number {
  const { used_heap_size: used, external_memory: external } = heap();
  return used + external;
}

/**
 * V8's collection of the whole heap. Only contexts created after this flag was set have it, and the strategy's was created
 * before.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => collect();
}

/** Reports this thread's memory whenever it is idle. */
export function reportMemory({ signals, maxBytes }: Pick<ThreadData, 'signals' | 'maxBytes'>): void {
  const words = new Int32Array(signals);
  everyMs(REPORT_MS, () => {
    store(words, SIGNAL.heldKb, Math.ceil(heldBytes(maxBytes) / 1024));
    add(words, SIGNAL.reports, 1);
  });
}
