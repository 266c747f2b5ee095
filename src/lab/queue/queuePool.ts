import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { VERSION } from '../../core/version.ts';
import type { TrialOutcome, TrialPool, TrialTask } from '../trials/trial.ts';
import { useArtifacts } from './artifacts.ts';
import type { Connection } from './connection.ts';
import { outcomesOf } from './results.ts';
import { endedAmong, keyed, putSlice, removeSlices, type KeyedTask } from './slices.ts';
import { keepStudy, leaveStudy, removeStudy, type QueuedStudy } from './studies.ts';
import { workersSeen, type SeenWorker } from './workers.ts';

export type QueuePoolOptions = Readonly<{
  connection: Connection;
  study: QueuedStudy;
  /** Hash of what workers need for its trials, and the hashes of the bars in it. */
  recipe: string;
  artifacts: readonly string[];
  clock: Clock;
  random: Random;
  /** Ends the wait for results. */
  signal: AbortSignal;
  /** Called every two seconds with the workers seen in the last minute. */
  onWorkers: (workers: readonly SeenWorker[]) => void;
}>;

const SLICE_MS = 2_000;
/** Slices per worker thread: one running, and one ready when it ends. */
const SLICES_EACH = 2;
/** Number of slices queued for the first workers. */
const SLICES_LEAST = 4;
/** Poll interval for ended slices, and the interval of heartbeats, in ms. */
const POLL_MS = 50;
const BEAT_MS = 2_000;

/** Remote workers: slices go into the queue, and results come back through the database. */
export class QueuePool implements TrialPool {
  readonly sliceMs = SLICE_MS;
  readonly #options: QueuePoolOptions;
  /** Callbacks that end the wait for a slice, by its id. */
  readonly #waiting = new Map<string, () => void>();
  readonly #ended = new AbortController();
  #seen: readonly SeenWorker[] = [];
  #failure: Error | null = null;
  readonly #loops: Promise<unknown>;

  constructor(options: QueuePoolOptions) {
    this.#options = options;
    const stop = () => this.#ended.abort();
    options.signal.addEventListener('abort', stop, { once: true });
    if (options.signal.aborted) stop();
    this.#loops = Promise.all([
      this.#each(POLL_MS, () => this.#poll()),
      this.#each(BEAT_MS, () => this.#beat()),
    ]);
  }

  /** Number of slices that may be queued at once, by the number of worker threads. */
  get workers(): number {
    const threads = this.#seen
      .filter(({ version }) => version === VERSION)
      .reduce((sum, worker) => sum + worker.threads, 0);
    return Math.max(SLICES_LEAST, threads * SLICES_EACH);
  }

  /** Outcomes in task order; none if the study was stopped. @throws errors of the database that retrying cannot fix */
  async run(tasks: readonly TrialTask[]): Promise<readonly TrialOutcome[]> {
    const { connection, study } = this.#options;
    const all = tasks.map(keyed);
    const trials = all.map(({ trial }) => trial);
    try {
      while (!this.#isOver()) {
        const found = await outcomesOf(connection, study.id, trials);
        const left = all.filter(({ trial }) => !found.has(trial));
        if (left.length === 0) return trials.flatMap((trial) => found.get(trial) ?? []);
        // A slice that vanished without results, for whatever reason, is queued again.
        await this.#through(left);
      }
    } catch (error) {
      if (!this.#isOver()) throw error;
    }
    if (this.#failure) throw this.#failure;
    return [];
  }

  /** Leaves the queue. Unless the study `hasEnded`, results stay for a later resume. */
  async close(hasEnded = false): Promise<void> {
    const { connection, study } = this.#options;
    this.#ended.abort();
    await this.#loops;
    if (this.#failure) return;
    await removeSlices(connection, study.id);
    await (hasEnded ? removeStudy(connection, study) : leaveStudy(connection, study));
  }

  #isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  /** Queues a slice, and waits until it has ended. */
  async #through(tasks: readonly KeyedTask[]): Promise<void> {
    const { connection, study, recipe, random } = this.#options;
    const id = random.uuid();
    await putSlice(connection, { id, study: study.id, recipe, tasks });
    if (this.#isOver()) return;
    await new Promise<void>((done) => this.#waiting.set(id, done));
  }

  async #poll(): Promise<void> {
    if (this.#waiting.size === 0) return;
    for (const id of await endedAmong(this.#options.connection, [...this.#waiting.keys()])) {
      this.#waiting.get(id)?.();
      this.#waiting.delete(id);
    }
  }

  async #beat(): Promise<void> {
    const { connection, study, artifacts, onWorkers } = this.#options;
    await keepStudy(connection, study);
    await connection.boss.expire();
    await useArtifacts(connection, artifacts);
    this.#seen = await workersSeen(connection);
    onWorkers(this.#seen);
  }

  /** Repeats an action until the end; an error ends all waiting. */
  async #each(ms: number, act: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    try {
      while (!this.#isOver()) {
        await act();
        await clock.sleep(ms, this.#ended.signal);
      }
    } catch (error) {
      if (!this.#isOver()) this.#failure ??= error as Error;
      this.#ended.abort();
    } finally {
      for (const done of this.#waiting.values()) done();
      this.#waiting.clear();
    }
  }
}
