import { memoryUsage } from 'node:process';
import { systemClock } from '../../core/clock.ts';
import type { Said } from './messages.ts';
import type { CreateRuntime } from '../../engine/strategyRuntime.ts';
import { bundleStrategy } from '../bundleStrategy.ts';
import { bundleLocator, traceName, type Locate } from '../bundleLocator.ts';
import { notAStrategy, throwsWhileLoaded } from '../loadStrategy.ts';
import { entryOf } from '../strategyEntry.ts';
import { OUTSIDE_GLOBALS } from './allowable.ts';
import { StrategyWorker, type IsolationLimits } from './strategyWorker.ts';
import { ThreadRuntime } from './threadRuntime.ts';
import { thrownAgain } from './thrown.ts';

export type IsolationOptions = Readonly<{
  limits: IsolationLimits;
  /** Built-in modules of Node and global names that the strategy may use. */
  allow: readonly string[];
  /** Takes what it prints. */
  print: (text: string) => void;
}>;

type Loaded = Extract<Said, { kind: 'loaded' }>;
/** Why parameters do not fit: the issues of their schema, and the schema as JSON Schema. */
export type Misfit = Extract<Extract<Said, { kind: 'unfit' }>['why'], { kind: 'params' }>;

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
      ...{ limits, print, clock: systemClock, residentBytes: () => memoryUsage.rss() },
    });
    return new IsolatedStrategy({ file, hash, locate: bundleLocator(bundle) }, worker, limits);
  }

  /**
   * Runs its file, and asks with these parameters what data it needs. `misfit` makes the error for parameters that do not fit.
   * @throws {ConfigError} for what is no strategy, and with its place for what its code throws
   */
  load(params: unknown, misfit: (why: Misfit) => Error): Loaded | Readonly<{ thrown: unknown }> {
    const patience = { what: 'loading its file', ms: this.#limits.startMs, setting: 'startSeconds' };
    this.#worker.give({ kind: 'load', params }, patience);
    const said = this.#worker.hear();
    if (said.kind === 'loaded') return said;
    if (said.kind !== 'unfit') throw this.#worker.fail(`it said "${said.kind}" instead of what it is`);
    switch (said.why.kind) {
      case 'throws':
        throw throwsWhileLoaded(thrownAgain(said.why.thrown), this);
      case 'shape':
        throw notAStrategy(this.file, said.why.hasDefault ? said.why.problems : null);
      case 'params':
        throw misfit(said.why);
      case 'data':
        return { thrown: thrownAgain(said.why.thrown) };
    }
  }

  get createRuntime(): CreateRuntime {
    return (context) => new ThreadRuntime(this.#worker, this.#limits, context);
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}
