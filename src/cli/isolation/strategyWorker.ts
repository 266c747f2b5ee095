import type * as Esbuild from 'esbuild';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker, MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import {
  SIGNAL,
  type Answer,
  type ThreadMessage,
  type Task,
  type ThreadData,
  errorFrom,
} from './messages.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { messageOf, StrategyError } from '../../core/errors.ts';
import { messageSchema } from './messageSchema.ts';
import { ThreadOutput } from './threadOutput.ts';

type MemoryWatchOptions = Readonly<{
  signals: Int32Array;
  /** Most memory that the strategy may need, in bytes. */
  maxBytes: number;
  /** Memory of this process that is in use, in bytes. */
  residentBytes: () => number;
}>;

/** Milliseconds between two checks of a thread between its hooks. */
const WATCH_MS = 250;

/**
 * Watches the memory of a strategy's thread between its hooks. An idle thread reports its memory; for a busy one, in a
 * timer or after an `await`, the growth of the whole process counts, from the first check at which it is silent.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  #reports = -1;
  #residentWhenSilent: number | null = null;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
  }

  /** True when the thread holds more than it may. */
  isTooMuch(): boolean {
    const { signals, maxBytes, residentBytes } = this.#options;
    const reports = Atomics.load(signals, SIGNAL.reports);
    const held = Atomics.load(signals, SIGNAL.heldKb) * 1024;
    if (reports !== this.#reports) {
      [this.#reports, this.#residentWhenSilent] = [reports, null];
      return held > maxBytes;
    }
    const resident = residentBytes();
    this.#residentWhenSilent ??= resident;
    return resident - this.#residentWhenSilent > maxBytes;
  }
}

const require = createRequire(import.meta.url);

/** Beside this file where the program is built. */
const BUILT = new URL('strategyThread.js', import.meta.url);
const SOURCE = new URL('strategyThread.ts', import.meta.url);

let made: URL | undefined;

/** Entry file of a strategy's thread: part of the built program, or bundled on the spot when it runs from sources. */
function threadEntry(): URL {
  made ??= existsSync(BUILT) ? BUILT : fromSource();
  return made;
}

function fromSource(): URL {
  const { buildSync } = require('esbuild') as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(SOURCE)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return new URL(`data:text/javascript;base64,${code}`);
}

/** Limits on the thread of one strategy. Times are real ones, whatever the pace of the run's clock. */
export type IsolationLimits = Readonly<{
  /** Longest time that a hook may take, in ms. */
  hookMs: number;
  /** Longest time that loading the file, `data` and `create` may each take, in ms. */
  startMs: number;
  /** Most memory that a strategy may need, in MB. */
  memoryMb: number;
}>;

type WorkerOptions = Readonly<{
  thread: Omit<ThreadData, 'port' | 'life' | 'output' | 'signals' | 'maxBytes'>;
  limits: IsolationLimits;
  clock: Pick<Clock, 'monotonic'>;
  /** Runs repeatedly, at an interval of real milliseconds, without keeping the process alive. */
  every: (ms: number, run: () => void) => Cancel;
  /** Memory of this process that is in use, in bytes. */
  residentBytes: () => number;
  /** Receives printed text. */
  print: (text: string) => void;
}>;

/** Time limit of a task: its name in errors, the longest wait in ms, and the setting that changes it. */
export type Patience = Readonly<{ what: string; ms: number; setting: string }>;

/** Interval in ms at which an awaited thread is checked. */
const LOOK_MS = 20;
/** A wait that exceeds its time by this much was a pause of the whole process. */
const PAUSE_MS = 1_000;
const MB = 1024 * 1024;
/** V8's own heap limit, far above ours: V8 ends the whole process, not the thread, where a single large object exceeds it. */
const HEAP_FACTOR = 8;
const STACK_MB = 4;

const { notify, store, wait } = Atomics;

/** A thread that shares nothing with this process: no environment, no arguments, and its own output. */
const workerOptions = (
  workerData: ThreadData,
  { memoryMb }: IsolationLimits,
): ConstructorParameters<typeof Worker>[1] => ({
  workerData,
  transferList: [workerData.port, workerData.life, workerData.output],
  env: {},
  argv: [],
  execArgv: [],
  stdin: false,
  stdout: true,
  stderr: true,
  resourceLimits: { maxOldGenerationSizeMb: memoryMb * HEAP_FACTOR, stackSizeMb: STACK_MB },
});

/** The thread of one strategy, seen from the main thread: gives it tasks and waits for it, within its limits. */
export class StrategyWorker {
  readonly #options: WorkerOptions;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #life: MessagePort;
  readonly #signals: Int32Array;
  readonly #output: ThreadOutput;
  readonly #memory: MemoryWatch;
  readonly #unwatch: Cancel;
  #end: Error | null = null;
  /** The task under way: its deadline on the clock's monotonic time, and the process's memory in bytes at the first check. */
  #task: { patience: Patience; until: number; resident: number | null } | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const [line, life, output] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
    const signals = new SharedArrayBuffer(Object.keys(SIGNAL).length * Int32Array.BYTES_PER_ELEMENT);
    [this.#port, this.#life, this.#signals] = [line.port1, life.port1, new Int32Array(signals)];
    const maxBytes = options.limits.memoryMb * MB;
    const own = { port: line.port2, life: life.port2, output: output.port2, signals, maxBytes };
    const workerData: ThreadData = { ...options.thread, ...own };
    this.#worker = new Worker(threadEntry(), workerOptions(workerData, options.limits));
    this.#worker.unref();
    this.#worker.on('error', (error) => this.#noteEnd(`its thread failed: ${messageOf(error)}`));
    this.#worker.on('exit', () => {
      this.#noteExit();
    });
    this.#output = new ThreadOutput({
      port: output.port1,
      signals: this.#signals,
      print: options.print,
      now: () => options.clock.monotonic(),
      onForged: () => void this.fail('it printed something that is not text'),
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) this.#output.read(stream);
    this.#memory = new MemoryWatch({
      signals: this.#signals,
      maxBytes,
      residentBytes: options.residentBytes,
    });
    this.#unwatch = options.every(WATCH_MS, () => this.#watch());
  }

  /** Checks the thread between two hooks. */
  #watch(): void {
    this.#output.settle();
    if (!this.#end && this.#memory.isTooMuch()) void this.fail(this.#tooMuch());
  }

  /** @throws {StrategyError} when the thread has ended */
  start(task: Task, patience: Patience): void {
    this.check();
    this.#task = { patience, until: this.#options.clock.monotonic() + patience.ms, resident: null };
    this.#port.postMessage(task);
  }

  answer(answer: Answer): void {
    this.#port.postMessage(answer);
    store(this.#signals, SIGNAL.answered, 1);
    notify(this.#signals, SIGNAL.answered);
  }

  /**
   * Waits for the next message of the thread.
   * @throws {StrategyError} when its task takes too long or needs too much memory; the thread is ended then
   */
  nextMessage(): ThreadMessage {
    for (;;) {
      this.#checkTime();
      const from = this.#options.clock.monotonic();
      const woken = wait(this.#signals, SIGNAL.message, 0, LOOK_MS) !== 'timed-out';
      this.#allowFor(this.#options.clock.monotonic() - from - LOOK_MS);
      store(this.#signals, SIGNAL.message, 0);
      const message = this.#received();
      if (message) return message;
      if (!woken) this.#lookAfter();
    }
  }

  /**
   * Returns the time in which this process stood still (a stop signal, a sleeping machine): it does not count against the
   * strategy.
   */
  #allowFor(pauseMs: number): void {
    if (this.#task && pauseMs > PAUSE_MS) this.#task.until += pauseMs;
  }

  #checkTime(): void {
    if (!this.#task || this.#options.clock.monotonic() <= this.#task.until) return;
    const { what, ms, setting } = this.#task.patience;
    throw this.fail(`${what} did not end within ${ms / 1_000} s (isolation.${setting})`);
  }

  #lookAfter(): void {
    if (!this.#isAlive()) throw this.fail('its thread ended by itself in the middle of a task');
    const { limits, residentBytes } = this.#options;
    const resident = residentBytes();
    if (this.#task) this.#task.resident ??= resident;
    if (resident - (this.#task?.resident ?? resident) > limits.memoryMb * MB)
      throw this.fail(this.#tooMuch());
  }

  /** Ends the thread, and returns the error that stops its strategy. */
  fail(why: string): StrategyError {
    const error = new StrategyError(why);
    this.#end ??= error;
    void this.#worker.terminate();
    return error;
  }

  /** @throws {StrategyError} for a thread that holds more memory than it may, which is ended */
  checkMemory(bytes: number): void {
    if (bytes > this.#options.limits.memoryMb * MB) throw this.fail(this.#tooMuch());
  }

  /** @throws {StrategyError} when the thread has ended */
  check(): void {
    if (!this.#end) this.#received();
    if (this.#end) throw this.#end;
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#noteEnd('its thread was ended');
    this.#port.close();
    this.#life.close();
    await this.#worker.terminate();
    this.#output.close();
  }

  /** The next message of the thread, if there is one. @throws when it ended or crashed, or the message fits no schema */
  #received(): ThreadMessage | null {
    this.#output.take();
    const received = receiveMessageOnPort(this.#port) as { message: unknown } | undefined;
    if (!received) return null;
    const read = messageSchema.safeParse(received.message);
    if (!read.success)
      throw this.fail(`its thread sent an unreadable message: ${read.error.issues[0]?.message}`);
    const message: ThreadMessage = read.data;
    if (message.kind !== 'crashed') return message;
    void this.fail('it threw outside its hooks');
    throw errorFrom({ ...message.thrown, message: `outside its hooks: ${message.thrown.message}` });
  }

  /** Sends an empty message: Node returns false for a thread that has ended, though its types do not say so. */
  #isAlive(): boolean {
    const post = this.#life.postMessage.bind(this.#life) as (message: null) => unknown;
    return post(null) !== false;
  }

  #tooMuch(): string {
    return `it needed more than ${this.#options.limits.memoryMb} MB of memory (isolation.memoryMb)`;
  }

  /** Waits for the thread's last message, which is more specific than its end. */
  #noteExit(): void {
    if (this.#end) return;
    try {
      while (this.#received() !== null);
      this.#noteEnd('its thread ended by itself');
    } catch (error) {
      this.#end = error instanceof Error ? error : new StrategyError(messageOf(error));
    }
  }

  #noteEnd(why: string): void {
    this.#end ??= new StrategyError(why);
  }
}
