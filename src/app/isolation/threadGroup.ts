import { StrategyWorker, type WorkerOptions } from './strategyWorker.ts';

/** Up to this many strategies have one thread each; beyond that, each thread runs about this many. */
const FEW = 4;
/** Maximum number of shared threads. */
const THREADS_MAX = 12;

/** Number of threads for a number of strategies: one each up to four, then one per four, at least 4 and at most 12. */
export const threadsFor = (strategies: number): number =>
  Math.min(strategies, THREADS_MAX, Math.max(FEW, Math.ceil(strategies / FEW)));

/** Strategies that share a thread. When the thread has ended, a new one replaces it. */
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

  /** The running thread; starts one if there is none. */
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

/** Groups of the strategies, in config order: those in `alone` have one each, the others are dealt out in turn. */
export function groupsFor(
  ids: readonly string[],
  alone: ReadonlySet<string>,
  options: WorkerOptions,
): ThreadGroup[] {
  const sharing = ids.filter((id) => !alone.has(id));
  const shared = Array.from({ length: threadsFor(sharing.length) }, () => new ThreadGroup(options));
  return ids.map((id) => shared[sharing.indexOf(id) % shared.length] ?? new ThreadGroup(options));
}
