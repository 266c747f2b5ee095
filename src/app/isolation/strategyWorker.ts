import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import type * as Esbuild from 'esbuild';
import { Worker, MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import {
  SIGNAL,
  type Answer,
  type Assignment,
  type ThreadMessage,
  type Task,
  type ThreadData,
  errorFrom,
} from '../realm/messages.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { messageOf, StrategyError } from '../../core/errors.ts';
import type { IsolationLimits } from '../config/sections.ts';
import { RuntimeLostError } from '../../engine/strategy/strategyRuntime.ts';
import { MemoryWatch } from './memoryWatch.ts';
import { envelopeSchema } from '../realm/messageSchema.ts';
import { begun, endThread, isAlive, isOneEnding, type Thread } from './threadEnd.ts';
import { ThreadOutput } from './threadOutput.ts';

export type WorkerOptions = Readonly<{
  /** Source code of `drover/strategy` and zod. */
  platform: string;
  limits: IsolationLimits;
  clock: Pick<Clock, 'monotonic'>;
  /** Runs repeatedly, at an interval of real milliseconds, without keeping the process alive. */
  every: (ms: number, run: () => void) => Cancel;
  /** Resident memory of this process, in bytes. */
  residentBytes: () => number;
}>;

/** Time limit of a task: its name in errors, the longest wait in ms, and the setting that changes it. */
export type Patience = Readonly<{ what: string; ms: number; setting: string }>;

/** Milliseconds between two checks of a thread between its hooks. */
const WATCH_MS = 250;
/** Interval in ms at which an awaited thread is checked. */
const LOOK_MS = 20;
/** A wait that overruns its time by this much was a pause of the whole process. */
const PAUSE_MS = 1_000;
const MB = 1024 * 1024;
/** V8's own heap limit as a multiple of ours: a single large object beyond it makes V8 end the whole process. */
const HEAP_FACTOR = 8;
const STACK_MB = 4;

/** Message about a strategy whose thread does not end. */
const ENDLESS =
  'its thread is in a call that cannot be interrupted: it takes a processor until the process ends, then by SIGKILL\n';

const { load, notify, store, wait } = Atomics;

/** Options of a thread that shares nothing with this process: no environment, no arguments, and its own output. */
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

/** The task in progress, or the latest one. */
type GivenTask = {
  readonly strategy: string;
  readonly number: number;
  readonly patience: Patience;
  hasBegun: boolean;
  /** Deadline on the clock's monotonic time. */
  until: number;
  /** Memory of the process in bytes at the first check. */
  resident: number | null;
};

/** End of a thread. `of`: the strategies whose error caused it; the others have lost their code. */
type ThreadEnd = Readonly<{ error: Error; of: readonly string[] }>;

/**
 * A strategy thread, seen from the main thread: gives it one task at a time and waits for it, within its limits. An error while no
 * task runs is attributed to the strategy that ran last: its promises end before the next task begins.
 */
export class StrategyWorker {
  readonly #options: WorkerOptions;
  readonly #thread: Thread;
  readonly #port: MessagePort;
  readonly #signals: Int32Array;
  readonly #output: ThreadOutput;
  readonly #memory: MemoryWatch;
  readonly #unwatch: Cancel;
  readonly #strategies = new Set<string>();
  /** Errors of strategies outside their hooks; they do not end a shared thread. */
  readonly #crashes = new Map<string, unknown>();
  #end: ThreadEnd | null = null;
  /** Completion of its end, once requested. */
  #over: Promise<void> | null = null;
  #task: GivenTask | null = null;
  /** The strategy of the previous task. */
  #before: string | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const [line, life, output] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
    const signals = new SharedArrayBuffer(Object.keys(SIGNAL).length * Int32Array.BYTES_PER_ELEMENT);
    [this.#port, this.#signals] = [line.port1, new Int32Array(signals)];
    const maxBytes = options.limits.memoryMb * MB;
    const own = { port: line.port2, life: life.port2, output: output.port2, signals, maxBytes };
    const workerData: ThreadData = { platform: options.platform, ...own };
    const worker = new Worker(threadEntry(), workerOptions(workerData, options.limits));
    this.#thread = begun({ worker, life: life.port1 });
    worker.unref();
    worker.on('error', (error) => this.#noteEnd(`its thread failed: ${messageOf(error)}`, this.#ofRunning()));
    worker.on('exit', () => {
      this.#noteExit();
    });
    this.#output = new ThreadOutput({
      port: output.port1,
      signals: this.#signals,
      now: () => options.clock.monotonic(),
      onForged: () => void this.fail('it printed something that is not text'),
    });
    for (const stream of [worker.stdout, worker.stderr]) this.#output.read(stream, () => this.#running());
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
    if (this.#end || isOneEnding() || !this.#memory.isTooMuch()) return;
    if (load(this.#signals, SIGNAL.heldKb) * 1024 > this.#maxBytes) this.#outgrow();
    else void this.fail(this.#tooMuch());
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Adds a strategy to the thread. `print` receives its printed text. */
  take(strategy: string, print: (text: string) => void): void {
    this.#strategies.add(strategy);
    this.#output.show(strategy, print);
  }

  /**
   * Starts a task. @throws {StrategyError} when the strategy has ended the thread, or failed outside its hooks
   * @throws {RuntimeLostError} when another strategy has ended it
   */
  start(strategy: string, task: Task, patience: Patience): void {
    this.check(strategy);
    const number = (this.#task?.number ?? 0) + 1;
    this.#before = this.#task?.strategy ?? null;
    const until = this.#options.clock.monotonic() + patience.ms;
    this.#task = { strategy, number, patience, hasBegun: false, until, resident: null };
    const assignment: Assignment = { strategy, number, task };
    this.#port.postMessage(assignment);
  }

  answer(answer: Answer): void {
    this.#port.postMessage(answer);
    store(this.#signals, SIGNAL.answered, 1);
    notify(this.#signals, SIGNAL.answered);
  }

  /**
   * Waits for the next message of the thread.
   * @throws {StrategyError} when its task takes too long or needs too much memory; the thread is ended then
   * @throws the error of its strategy outside the hooks
   * @throws {RuntimeLostError} when leftover code of the previous strategy does
   */
  nextMessage(): ThreadMessage {
    for (;;) {
      this.#checkTime();
      const from = this.#options.clock.monotonic();
      const woken = wait(this.#signals, SIGNAL.message, 0, LOOK_MS) !== 'timed-out';
      this.#allowFor(this.#options.clock.monotonic() - from - LOOK_MS);
      store(this.#signals, SIGNAL.message, 0);
      const message = this.#received();
      if (this.#task) this.#checkCrash(this.#task.strategy);
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
    const task = this.#task;
    const now = this.#options.clock.monotonic();
    if (!task) return;
    const { what, ms, setting } = task.patience;
    if (!task.hasBegun && load(this.#signals, SIGNAL.begun) === task.number)
      [task.hasBegun, task.until] = [true, now + ms];
    if (now <= task.until) return;
    const late = this.#running() === task.strategy ? what : 'work that its hooks left running';
    throw this.fail(`${late} did not end within ${ms / 1_000} s (isolation.${setting})`);
  }

  /** The strategy whose code runs or ran last; null before the first. */
  #running(): string | null {
    const task = this.#task;
    if (!task) return null;
    return task.hasBegun || load(this.#signals, SIGNAL.begun) === task.number
      ? task.strategy
      : (this.#before ?? task.strategy);
  }

  #ofRunning(): string[] {
    const running = this.#running();
    return running === null ? [...this.#strategies] : [running];
  }

  #lookAfter(): void {
    if (!isAlive(this.#thread)) throw this.fail('its thread ended by itself in the middle of a task');
    const { residentBytes } = this.#options;
    const resident = residentBytes();
    const before = isOneEnding() ? resident : (this.#task?.resident ?? resident);
    if (this.#task) this.#task.resident = before;
    if (resident - before > this.#maxBytes) throw this.fail(this.#tooMuch());
  }

  /** Ends the thread because of what runs in it, and returns the error of the task's strategy. */
  fail(why: string): unknown {
    this.#noteEnd(why, this.#ofRunning());
    void this.#terminate();
    return this.errorOf(this.#task?.strategy ?? '') ?? new StrategyError(why);
  }

  /** Ends a thread that uses too much memory. Which of its strategies is responsible is unknown, so none is stopped. */
  #outgrow(): void {
    const of = this.#strategies.size === 1 ? this.#strategies : [];
    this.#noteEnd(this.#tooMuch(), [...of]);
    void this.#terminate();
  }

  /** @throws {StrategyError} if the thread belongs to this strategy alone and uses too much memory */
  checkMemory(bytes: number): void {
    if (bytes <= this.#maxBytes) return;
    this.#outgrow();
    const error = this.errorOf(this.#task?.strategy ?? '');
    if (!(error instanceof RuntimeLostError)) throw error;
  }

  /** @throws as `start` does */
  check(strategy: string): void {
    while (!this.#end && this.#received() !== null);
    const error = this.errorOf(strategy);
    if (error !== null) throw error as Error;
  }

  /** The error that ended a strategy or made it lose its code; null while it can be called. */
  errorOf(strategy: string): unknown {
    if (this.#crashes.has(strategy)) return this.#crashes.get(strategy);
    if (!this.#end) return null;
    const { error, of } = this.#end;
    if (of.includes(strategy)) return error;
    const [culprit] = of;
    if (culprit !== undefined)
      return new RuntimeLostError(`its thread ended with ${culprit}: ${messageOf(error)}`, culprit);
    const others = [...this.#strategies].filter((each) => each !== strategy);
    return new RuntimeLostError(`${messageOf(error)}, shared with ${others.join(', ')}`, strategy);
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#noteEnd('its thread was ended', [...this.#strategies]);
    this.#port.close();
    await this.#terminate();
    this.#output.close();
  }

  #terminate(): Promise<void> {
    return (this.#over ??= endThread(this.#thread, this.#options.every).then((isOver) => {
      if (isOver) this.#thread.life.close();
      else for (const strategy of this.#ofRunning()) this.#output.note(strategy, ENDLESS);
    }));
  }

  /** The task's next message, if any; records errors outside the hooks. @throws when a message fits no schema */
  #received(): ThreadMessage | null {
    this.#output.take();
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (!received) return null;
      const read = envelopeSchema.safeParse(received.message);
      if (!read.success)
        throw this.fail(`its thread sent an unreadable message: ${read.error.issues[0]?.message}`);
      const message: ThreadMessage = read.data.message;
      if (message.kind === 'crashed') this.#noteCrash(message);
      // A strategy that crashed may still complete its task.
      else if (read.data.number === this.#task?.number) return message;
    }
  }

  #checkCrash(strategy: string): void {
    if (this.#crashes.has(strategy)) throw this.#crashes.get(strategy) as Error;
  }

  /** Records a strategy's error outside its hooks: another strategy's call may be what reads it off the port. */
  #noteCrash({ strategy, thrown }: Extract<ThreadMessage, { kind: 'crashed' }>): void {
    this.#crashes.set(strategy, errorFrom({ ...thrown, message: `outside its hooks: ${thrown.message}` }));
    if ([...this.#strategies].every((each) => this.#crashes.has(each)))
      void this.fail('it threw outside its hooks');
  }

  get #maxBytes(): number {
    return this.#options.limits.memoryMb * MB;
  }

  #tooMuch(): string {
    return `it needed more than ${this.#options.limits.memoryMb} MB of memory (isolation.memoryMb)`;
  }

  /** Waits for the thread's last message, which is more specific than its end. */
  #noteExit(): void {
    if (this.#end) return;
    try {
      while (this.#received() !== null);
    } catch {
      // Recorded as the error of its strategy.
    }
    this.#noteEnd('its thread ended by itself', this.#ofRunning());
  }

  #noteEnd(why: string, of: readonly string[]): void {
    this.#end ??= { error: new StrategyError(why), of };
  }
}

const require = createRequire(import.meta.url);

/** Path of the entry in the built program, beside this file. */
const BUILT = new URL('strategyThread.js', import.meta.url);
const SOURCE = new URL('strategyThread.ts', import.meta.url);

let made: URL | undefined;

/** Entry file of a strategy thread: part of the built program, or bundled on the fly when running from source. */
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
