import { memoryUsage } from 'node:process';
import { z } from 'zod';
import { InvalidValueError, messageOf } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import type {
  HookCall,
  RuntimeContext,
  StrategyRuntime,
  CreateRuntime,
} from '../../engine/strategy/strategyRuntime.ts';
import type { Orders, StrategyHooks, DataNeeds, StrategyDefinition } from '../../strategy/contract.ts';
import { type Answer, type ThreadMessage, type StateUpdate, type Task, errorFrom } from './messages.ts';
import { type IsolationLimits, type Patience, StrategyWorker } from './strategyWorker.ts';
import { everyMs, systemClock } from '../../core/clock.ts';
import {
  bundleStrategy,
  bundleLocator,
  platformText,
  placedMessage,
  traceName,
  type Locate,
  entryOf,
} from '../strategies/bundleStrategy.ts';
import { notAStrategy, throwsWhileLoaded } from '../strategies/loadStrategy.ts';
import type { BacktestStrategy } from '../../backtest/options.ts';
import { defaultIsolation, limitsOf } from '../config/sections.ts';
import type { RunConfig } from '../config/schema.ts';

type OrderCall = Extract<ThreadMessage, { kind: 'order' }>;
type DoneMessage = Extract<ThreadMessage, { kind: 'done' }>;

/** Runs a strategy in its own thread. Waits for hooks, and places their orders meanwhile. */
class ThreadRuntime implements StrategyRuntime {
  readonly #worker: StrategyWorker;
  readonly #limits: IsolationLimits;
  readonly #context: RuntimeContext;
  #hooks: ReadonlySet<keyof StrategyHooks> = new Set();
  #state: Exclude<StateUpdate, null> = { text: '{}' };
  /** True once the thread has ended with an error of its own: its last state counts from then on. */
  #hasEnded = false;

  constructor(worker: StrategyWorker, limits: IsolationLimits, context: RuntimeContext) {
    this.#worker = worker;
    this.#limits = limits;
    this.#context = context;
  }

  build(state: string): void {
    this.#state = { text: state };
    this.#context.feed.restart();
    const patience = { what: 'create', ms: this.#limits.startMs, setting: 'startSeconds' };
    this.#do({ kind: 'build', state }, patience);
  }

  has(hook: keyof StrategyHooks): boolean {
    return this.#hooks.has(hook);
  }

  call(call: HookCall): void {
    if (!this.has(call.hook)) return;
    this.#do({ kind: 'call', call, view: this.#context.feed.next() }, this.#patienceFor(call.hook));
  }

  bar(bar: Bar): void {
    this.call({ hook: 'onBar', bar });
  }

  warm(bar: Bar): void {
    if (!this.has('onBar')) return;
    this.#do({ kind: 'warm', bar, view: this.#context.feed.next() }, this.#patienceFor('onBar'));
  }

  settle(): void {
    this.#do({ kind: 'settle' }, this.#patienceFor('what its hooks left to run'));
  }

  state(): string {
    if (!this.#hasEnded) this.#guarded(() => this.#worker.check());
    if ('problem' in this.#state) throw new InvalidValueError(this.#state.problem);
    return this.#state.text;
  }

  #patienceFor(what: string): Patience {
    return { what, ms: this.#limits.hookMs, setting: 'hookSeconds' };
  }

  #do(task: Task, patience: Patience): void {
    const done = this.#guarded(() => {
      this.#worker.start(task, patience);
      return this.#serve();
    });
    this.#finish(done);
  }

  /** Places the orders of a hook until it is done. */
  #serve(): DoneMessage {
    for (;;) {
      const message = this.#worker.nextMessage();
      if (message.kind === 'done') return message;
      if (message.kind === 'log') this.#log(message);
      else if (message.kind === 'order') this.#worker.answer(this.#answerTo(message));
      else throw this.#worker.fail(`its thread sent "${message.kind}" during a hook`);
    }
  }

  /** Does work in which a failure is the thread's. */
  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#hasEnded = true;
      throw error;
    }
  }

  #finish({ hooks, state, plots, isLate, memory, thrown }: DoneMessage): void {
    for (const { name, value, ...place } of plots) this.#context.plot(name, value, place);
    if (hooks) this.#hooks = new Set(hooks);
    if (state) this.#state = checked(state);
    if (isLate) this.#context.noteLate();
    if (memory !== null) this.#guarded(() => this.#worker.checkMemory(memory));
    if (thrown) throw errorFrom(thrown);
  }

  #log({ text, fields }: Extract<ThreadMessage, { kind: 'log' }>): void {
    const { log, feed } = this.#context;
    log(text, fields);
    this.#worker.answer({ view: feed.next(), id: '' });
  }

  #answerTo(ordered: OrderCall): Answer {
    const { order, feed } = this.#context;
    try {
      const id = place(order, ordered);
      return { view: feed.next(), id: id ?? '' };
    } catch (error) {
      const isInvalid = error instanceof InvalidValueError;
      return { view: feed.next(), refused: messageOf(error), isInvalid };
    }
  }
}

/** Repeats the strategy's call here, where its terms are checked like those of any strategy. */
function place(order: Orders, { verb, args }: OrderCall): string | undefined {
  const call = order[verb].bind(order) as (...args: readonly unknown[]) => string | undefined;
  return call(...args);
}

/** Checks a state from the thread: it must be an object. */
function checked(state: Exclude<StateUpdate, null>): Exclude<StateUpdate, null> {
  if ('problem' in state) return state;
  try {
    const value: unknown = JSON.parse(state.text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return state;
  } catch {
    // Reported below.
  }
  return { problem: 'the state is not an object of plain JSON' };
}

type IsolationOptions = Readonly<{
  limits: IsolationLimits;
  /** Receives its printed text. */
  print: (text: string) => void;
  /** The `privatePaths` of the owner, which stay out of its bundle. */
  kept: readonly string[];
}>;

type LoadedMessage = Extract<ThreadMessage, { kind: 'loaded' }>;
/** Result of loading: `thrown` is the error of its `data`. */
type LoadResult = LoadedMessage | Readonly<{ thrown: unknown }>;

/** The data that a strategy asks for. @throws whatever its `data` has thrown */
export function needsIn(read: LoadResult): DataNeeds {
  if ('thrown' in read) throw read.thrown;
  return read.needs as DataNeeds;
}

/** Reason why parameters do not fit: the issues of their schema, and the schema as JSON Schema. */
export type Misfit = Extract<Extract<ThreadMessage, { kind: 'unfit' }>['why'], { kind: 'params' }>;

/** A strategy in a thread of its own, loaded there and nowhere else. */
export class IsolatedStrategy {
  readonly file: string;
  readonly hash: string;
  readonly inputs: readonly string[];
  readonly locate: Locate;
  readonly #worker: StrategyWorker;
  readonly #limits: IsolationLimits;

  private constructor(
    { file, hash, inputs, locate }: Pick<IsolatedStrategy, 'file' | 'hash' | 'inputs' | 'locate'>,
    worker: StrategyWorker,
    limits: IsolationLimits,
  ) {
    [this.file, this.hash, this.inputs, this.locate] = [file, hash, inputs, locate];
    [this.#worker, this.#limits] = [worker, limits];
  }

  /**
   * Bundles a strategy and starts its thread. `use` and `folder` as for `loadStrategy`.
   * @throws {ConfigError} when there is none, or it cannot be compiled
   */
  static async start(use: string, folder: string, options: IsolationOptions): Promise<IsolatedStrategy> {
    const { limits, print, kept } = options;
    const bundle = await bundleStrategy(entryOf(use, folder), folder, kept);
    const { code, file, hash, inputs } = bundle;
    const worker = new StrategyWorker({
      thread: { platform: platformText(), code, name: traceName(file) },
      limits,
      print,
      clock: systemClock,
      every: everyMs,
      residentBytes: () => memoryUsage.rss(),
    });
    return new IsolatedStrategy({ file, hash, inputs, locate: bundleLocator(bundle) }, worker, limits);
  }

  /**
   * Runs its file and calls its `data` with these parameters. `misfit` makes the error for parameters that do not fit.
   * @throws {ConfigError} for a file that is no strategy, and with the place of an error thrown by its code
   */
  load(params: unknown, misfit: (why: Misfit) => Error): LoadResult {
    const patience = { what: 'loading its file', ms: this.#limits.startMs, setting: 'startSeconds' };
    this.#worker.start({ kind: 'load', params }, patience);
    const message = this.#worker.nextMessage();
    if (message.kind === 'loaded') return message;
    if (message.kind !== 'unfit')
      throw this.#worker.fail(`its thread sent "${message.kind}" while its file was loaded`);
    switch (message.why.kind) {
      case 'throws':
        throw throwsWhileLoaded(errorFrom(message.why.thrown), this);
      case 'shape':
        throw notAStrategy(this, message.why.hasDefault ? message.why.problems : null);
      case 'params':
        throw misfit(message.why);
      case 'data':
        return { thrown: errorFrom(message.why.thrown) };
    }
  }

  get createRuntime(): CreateRuntime {
    return (context) => new ThreadRuntime(this.#worker, this.#limits, context);
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}

export type IsolatedCode = Readonly<{ strategy: BacktestStrategy; close: () => Promise<void> }>;

export type IsolatedCodeOptions = Readonly<{
  use: string;
  folder: string;
  limits?: RunConfig['isolation'];
  print: (text: string) => void;
  kept: readonly string[];
  params: unknown;
  /** The error for parameters that do not fit. */
  misfit: (why: Misfit) => Error;
}>;

/** A strategy for a backtest that runs it in a thread of its own, as a run does. */
export async function isolatedCode(options: IsolatedCodeOptions): Promise<IsolatedCode> {
  const { use, folder, limits = defaultIsolation, print, kept } = options;
  const isolated = await IsolatedStrategy.start(use, folder, { limits: limitsOf(limits), print, kept });
  const read = isolated.load(options.params, options.misfit);
  const data = () => needsIn(read);
  const create = (): never => {
    throw new TypeError('the strategy runs in a thread');
  };
  const about = 'thrown' in read ? { name: use, description: use, params: null } : read;
  // Its schema stays in the thread, where the parameters were checked.
  const definition: StrategyDefinition = { ...about, params: z.unknown(), data, create };
  const explain = (thrown: unknown) => placedMessage(thrown, isolated.locate);
  const { createRuntime, hash: codeHash } = isolated;
  const strategy = { definition, params: about.params, codeHash, explain, createRuntime };
  return { strategy, close: () => isolated.close() };
}
