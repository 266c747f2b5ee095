import { memoryUsage } from 'node:process';
import { everyMs, systemClock } from '../../core/clock.ts';
import type { ThreadMessage } from './messages.ts';
import type { CreateRuntime } from '../../engine/strategyRuntime.ts';
import { bundleStrategy } from '../bundleStrategy.ts';
import { bundleLocator, traceName, type Locate } from '../bundleLocator.ts';
import { notAStrategy, throwsWhileLoaded } from '../loadStrategy.ts';
import { entryOf } from '../strategyEntry.ts';
import { OUTSIDE_GLOBALS } from './allowable.ts';
import { StrategyWorker, type IsolationLimits } from './strategyWorker.ts';
import { ThreadRuntime } from './threadRuntime.ts';
import { errorFrom } from './errorData.ts';

export type IsolationOptions = Readonly<{
  limits: IsolationLimits;
  /** Built-in modules of Node and global names that the strategy may use. */
  allow: readonly string[];
  /** Takes what it prints. */
  print: (text: string) => void;
}>;

type Loaded = Extract<ThreadMessage, { kind: 'loaded' }>;
/** Why parameters do not fit: the issues of their schema, and the schema as JSON Schema. */
export type Misfit = Extract<Extract<ThreadMessage, { kind: 'unfit' }>['why'], { kind: 'params' }>;

/** A strategy in a thread of its own, loaded there and nowhere else. */
export class IsolatedStrategy {
  readonly file: string;
  readonly hash: string;
  readonly locate: Locate;
  readonly #worker: StrategyWorker;
  readonly #limits: IsolationLimits;

  private constructor(
    { file, hash, locate }: Pick<IsolatedStrategy, 'file' | 'hash' | 'locate'>,
    worker: StrategyWorker,
    limits: IsolationLimits,
  ) {
    [this.file, this.hash, this.locate] = [file, hash, locate];
    [this.#worker, this.#limits] = [worker, limits];
  }

  /**
   * Bundles a strategy and starts its thread. `use` and `folder` as for `loadStrategy`.
   * @throws {ConfigError} when there is none, or it cannot be compiled
   */
  static async start(use: string, folder: string, options: IsolationOptions): Promise<IsolatedStrategy> {
    const { limits, allow, print } = options;
    const bundle = await bundleStrategy(entryOf(use, folder), folder, { format: 'cjs', allow });
    const { code, file, hash, imports, zod } = bundle;
    const builtins = allow.filter((name) => !OUTSIDE_GLOBALS.includes(name));
    const worker = new StrategyWorker({
      thread: {
        ...{ code, zod, name: traceName(file), modules: [...new Set([...imports, ...builtins])] },
        globals: allow.filter((name) => OUTSIDE_GLOBALS.includes(name)),
      },
      limits,
      print,
      clock: systemClock,
      every: everyMs,
      residentBytes: () => memoryUsage.rss(),
    });
    return new IsolatedStrategy({ file, hash, locate: bundleLocator(bundle) }, worker, limits);
  }

  /**
   * Runs its file and calls its `data` with these parameters. `misfit` makes the error for parameters that do not fit.
   * @throws {ConfigError} for what is no strategy, and with its place for what its code throws
   */
  load(params: unknown, misfit: (why: Misfit) => Error): Loaded | Readonly<{ thrown: unknown }> {
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
        throw notAStrategy(this.file, message.why.hasDefault ? message.why.problems : null);
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
