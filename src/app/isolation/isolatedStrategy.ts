import { memoryUsage } from 'node:process';
import { z } from 'zod';
import { InvalidValueError, StrategyError, messageOf } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import {
  RuntimeLostError,
  type HookCall,
  type RuntimeContext,
  type StrategyRuntime,
  type CreateRuntime,
} from '../../engine/strategy/strategyRuntime.ts';
import type { Orders, StrategyHooks, DataNeeds, StrategyDefinition } from '../../strategy/contract.ts';
import {
  errorFrom,
  type Answer,
  type StateUpdate,
  type StrategyCode,
  type Task,
  type ThreadMessage,
} from '../realm/messages.ts';
import type { Patience, StrategyWorker, WorkerOptions } from './strategyWorker.ts';
import { ThreadGroup } from './threadGroup.ts';
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
import { defaultIsolation, limitsOf, type IsolationLimits } from '../config/sections.ts';
import type { RunConfig } from '../config/schema.ts';

type OrderCall = Extract<ThreadMessage, { kind: 'order' }>;
type DoneMessage = Extract<ThreadMessage, { kind: 'done' }>;

type PlaceOptions = Readonly<{
  id: string;
  code: StrategyCode;
  startMs: number;
  /** Receives the strategy's printed text. */
  print: (text: string) => void;
}>;

/** Place of a strategy among the threads: its code is loaded there, and loaded again after that thread has ended. */
class ThreadPlace {
  readonly #options: PlaceOptions;
  readonly #first: ThreadGroup;
  #group: ThreadGroup;
  #worker: StrategyWorker;
  #params: unknown;

  constructor(group: ThreadGroup, options: PlaceOptions) {
    [this.#first, this.#group, this.#options] = [group, group, options];
    this.#worker = group.worker;
    this.#worker.take(options.id, options.print);
  }

  get id(): string {
    return this.#options.id;
  }

  get worker(): StrategyWorker {
    return this.#worker;
  }

  /** Reason why its code is gone; null while it is loaded, or if the strategy itself ended the thread. */
  get lost(): RuntimeLostError | null {
    const error = this.#worker.errorOf(this.id);
    return error instanceof RuntimeLostError ? error : null;
  }

  load(params: unknown): ThreadMessage {
    this.#params = params;
    return this.reload();
  }

  /** Loads its file as it was at the start, into its group's thread or, if it was named as `alone`, into its own. */
  reload(): ThreadMessage {
    const { code, startMs } = this.#options;
    for (;;) {
      this.#move();
      try {
        const patience = { what: 'loading its file', ms: startMs, setting: 'startSeconds' };
        this.#worker.start(this.id, { kind: 'load', params: this.#params, ...code }, patience);
        return this.#worker.nextMessage();
      } catch (thrown) {
        if (!(thrown instanceof RuntimeLostError)) throw thrown;
      }
    }
  }

  #move(): void {
    const { lost } = this;
    if (!lost) return;
    if (lost.alone === this.id) this.#group = this.#group.apart();
    this.#worker = this.#group.worker;
    this.#worker.take(this.id, this.#options.print);
  }

  async close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#group.close()]);
  }
}

/** Runs a strategy in a thread. Waits for hooks, and places their orders in the meantime. */
class ThreadRuntime implements StrategyRuntime {
  readonly isInThread = true;
  readonly #place: ThreadPlace;
  readonly #limits: IsolationLimits;
  readonly #context: RuntimeContext;
  #hooks: ReadonlySet<keyof StrategyHooks> = new Set();
  #state: Exclude<StateUpdate, null> = { text: '{}' };
  /** True once the thread has ended with an error of its own: the last state is then used. */
  #hasEnded = false;

  constructor(place: ThreadPlace, limits: IsolationLimits, context: RuntimeContext) {
    this.#place = place;
    this.#limits = limits;
    this.#context = context;
  }

  build(state: string, isAfresh = false): void {
    if (isAfresh || this.lost) this.#reload();
    this.#state = { text: state };
    this.#context.feed.restart();
    const patience = { what: 'create', ms: this.#limits.startMs, setting: 'startSeconds' };
    this.#do({ kind: 'build', state }, patience);
  }

  get lost(): RuntimeLostError | null {
    return this.#place.lost;
  }

  #reload(): void {
    const message = this.#guarded(() => this.#place.reload());
    if (message.kind !== 'loaded') throw new StrategyError('its file cannot be loaded again');
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
    this.#do({ kind: 'settle' }, this.#patienceFor('work that its hooks left running'));
  }

  state(): string {
    if (!this.#hasEnded) this.#guarded(() => this.#check());
    if ('problem' in this.#state) throw new InvalidValueError(this.#state.problem);
    return this.#state.text;
  }

  /** A strategy that lost its code still has its last state. */
  #check(): void {
    try {
      this.#place.worker.check(this.#place.id);
    } catch (error) {
      if (!(error instanceof RuntimeLostError)) throw error;
    }
  }

  #patienceFor(what: string): Patience {
    return { what, ms: this.#limits.hookMs, setting: 'hookSeconds' };
  }

  #do(task: Task, patience: Patience): void {
    const done = this.#guarded(() => {
      this.#place.worker.start(this.#place.id, task, patience);
      return this.#serve();
    });
    this.#finish(done);
  }

  /** Places a hook's orders until the hook is done. */
  #serve(): DoneMessage {
    for (;;) {
      const message = this.#place.worker.nextMessage();
      if (message.kind === 'done') return message;
      if (message.kind === 'log') this.#log(message);
      else if (message.kind === 'order') this.#place.worker.answer(this.#answerTo(message));
      else throw this.#place.worker.fail(`its thread sent "${message.kind}" during a hook`);
    }
  }

  /** Runs work whose failures are attributed to the thread. */
  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#hasEnded ||= !(error instanceof RuntimeLostError);
      throw error;
    }
  }

  #finish({ hooks, state, plots, isLate, memory, thrown }: DoneMessage): void {
    for (const { name, value, ...place } of plots) this.#context.plot(name, value, place);
    if (hooks) this.#hooks = new Set(hooks);
    if (state) this.#state = checked(state);
    if (isLate) this.#context.noteLate();
    if (memory !== null) this.#guarded(() => this.#place.worker.checkMemory(memory));
    if (thrown) throw errorFrom(thrown);
  }

  #log({ text, fields }: Extract<ThreadMessage, { kind: 'log' }>): void {
    const { log, feed } = this.#context;
    log(text, fields);
    this.#place.worker.answer({ view: feed.next(), id: '' });
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

/** Repeats the strategy's call in this thread, where the order is checked like that of any strategy. */
function place(order: Orders, { verb, args }: OrderCall): string | undefined {
  const call = order[verb].bind(order) as (...args: readonly unknown[]) => string | undefined;
  return call(...args);
}

/** Checks a state received from the thread: it must be an object. */
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
  id: string;
  group: ThreadGroup;
  limits: IsolationLimits;
  /** Receives the strategy's printed text. */
  print: (text: string) => void;
  /** The owner's `privatePaths`, which stay out of the bundle. */
  kept: readonly string[];
}>;

/** Result of loading; `thrown` is the error of the strategy's `data`. */
type LoadResult = Extract<ThreadMessage, { kind: 'loaded' }> | Readonly<{ thrown: unknown }>;

/** Data that a strategy requests. @throws whatever its `data` has thrown */
export function needsIn(read: LoadResult): DataNeeds {
  if ('thrown' in read) throw read.thrown;
  return read.needs as DataNeeds;
}

/** Reason why parameters do not fit: the issues of their schema, and the schema as JSON Schema. */
export type Misfit = Extract<Extract<ThreadMessage, { kind: 'unfit' }>['why'], { kind: 'params' }>;

/** A strategy loaded in a thread and nowhere else. */
export class IsolatedStrategy {
  readonly file: string;
  readonly hash: string;
  readonly inputs: readonly string[];
  readonly locate: Locate;
  readonly #place: ThreadPlace;
  readonly #limits: IsolationLimits;

  private constructor(
    { file, hash, inputs, locate }: Pick<IsolatedStrategy, 'file' | 'hash' | 'inputs' | 'locate'>,
    place: ThreadPlace,
    limits: IsolationLimits,
  ) {
    [this.file, this.hash, this.inputs, this.locate] = [file, hash, inputs, locate];
    [this.#place, this.#limits] = [place, limits];
  }

  /**
   * Bundles a strategy and starts the thread of its group. `use` and `folder` as for `loadStrategy`.
   * @throws {ConfigError} when there is none, or it cannot be compiled
   */
  static async start(use: string, folder: string, options: IsolationOptions): Promise<IsolatedStrategy> {
    const { id, group, limits, print, kept } = options;
    const bundle = await bundleStrategy(entryOf(use, folder), folder, kept);
    const { code, file, hash, inputs } = bundle;
    const own = { id, print, code: { code, name: traceName(file) }, startMs: limits.startMs };
    const place = new ThreadPlace(group, own);
    return new IsolatedStrategy({ file, hash, inputs, locate: bundleLocator(bundle) }, place, limits);
  }

  /**
   * Runs its file and calls its `data` with these parameters. `misfit` makes the error for parameters that do not fit.
   * @throws {ConfigError} for a file that is not a strategy, and with the place of an error thrown by its code
   */
  load(params: unknown, misfit: (why: Misfit) => Error): LoadResult {
    const message = this.#place.load(params);
    if (message.kind === 'loaded') return message;
    if (message.kind !== 'unfit')
      throw this.#place.worker.fail(`its thread sent "${message.kind}" while its file was loaded`);
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
    return (context) => new ThreadRuntime(this.#place, this.#limits, context);
  }

  close(): Promise<void> {
    return this.#place.close();
  }
}

/** Options for strategy threads with these limits. */
export const threadOptions = (limits: IsolationLimits): WorkerOptions => ({
  platform: platformText(),
  limits,
  clock: systemClock,
  every: everyMs,
  residentBytes: () => memoryUsage.rss(),
});

export type IsolatedCode = Readonly<{ strategy: BacktestStrategy; close: () => Promise<void> }>;

export type IsolatedCodeOptions = Readonly<{
  use: string;
  folder: string;
  limits?: RunConfig['isolation'];
  print: (text: string) => void;
  kept: readonly string[];
  params: unknown;
  /** Creates the error for parameters that do not fit. */
  misfit: (why: Misfit) => Error;
}>;

/** A strategy that a backtest runs in its own thread, as a run does. */
export async function isolatedCode(options: IsolatedCodeOptions): Promise<IsolatedCode> {
  const { use, folder, print, kept } = options;
  const limits = limitsOf(options.limits ?? defaultIsolation);
  const group = new ThreadGroup(threadOptions(limits));
  const isolated = await IsolatedStrategy.start(use, folder, { id: use, group, limits, print, kept });
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
