import { StrategyWorker, type WorkerOptions } from './strategyWorker.ts';

/** Up to so many strategies have a thread each; beyond, a thread runs so many. */
const FEW = 4;
/** Maximum number of threads that strategies share. */
const THREADS_MAX = 12;

/** Number of threads for so many strategies: one each up to four, then one for each four, 4 at least and 12 at most. */
export const threadsFor = (strategies: number): number =>
  Math.min(strategies, THREADS_MAX, Math.max(FEW, Math.ceil(strategies / FEW)));

/** Strategies that share a thread. When it has ended, the next one takes its place. */
export class ThreadGroup {
  readonly #options: WorkerOptions;
  readonly #closing: Promise<void>[] = [];
  #worker: StrategyWorker | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** A group of one strategy, with a thread of its own. */
  apart(): ThreadGroup {
    return new ThreadGroup(this.#options);
  }

  /** The thread that runs, started if there is none. */
  get worker(): StrategyWorker {
    if (this.#worker?.hasEnded) this.#release();
    return (this.#worker ??= new StrategyWorker(this.#options));
  }

  #release(): void {
    if (this.#worker) this.#closing.push(this.#worker.close());
    this.#worker = null;
  }

  async close(): Promise<void> {
    this.#release();
    await Promise.all(this.#closing);
  }
}

/** The groups of strategies in the order of a config: those named in `alone` have one each, the others share in turns. */
export function groupsFor(
  ids: readonly string[],
  alone: ReadonlySet<string>,
  options: WorkerOptions,
): ThreadGroup[] {
  const sharing = ids.filter((id) => !alone.has(id));
  const shared = Array.from({ length: threadsFor(sharing.length) }, () => new ThreadGroup(options));
  return ids.map((id) => shared[sharing.indexOf(id) % shared.length] ?? new ThreadGroup(options));
}
