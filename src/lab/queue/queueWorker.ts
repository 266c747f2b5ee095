import { setMaxListeners } from 'node:events';
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { TrialOutcome, TrialPool } from '../trials/trial.ts';
import type { Connection } from './connection.ts';
import { beginAgain, bookOutcomes, outcomesOf, type KeyedOutcome } from './results.ts';
import { LEASE_S, renewSlices, returnSlice, takeSlice, type KeyedTask, type Slice } from './slices.ts';
import { hideWorker, showWorker } from './workers.ts';

export type QueueWorkerOptions = Readonly<{
  connection: Connection;
  id: string;
  name: string;
  threads: number;
  /** Pool of threads that run the trials of a recipe, by its hash. */
  poolOf: (recipe: string) => Promise<TrialPool>;
  clock: Clock;
  /** Aborted once no new slice should begin. */
  signal: AbortSignal;
  report: (text: string) => void;
}>;

export type WorkDone = Readonly<{ slices: number; trials: number; busyMs: number }>;

/** Attempts at a trial that crashes its thread or its worker, before it is set aside. */
const ATTEMPTS = 3;
/** Heartbeat interval in ms: three heartbeats fit into a lease. */
const BEAT_MS = (LEASE_S * 1_000) / 4;
/** Initial wait in ms when the queue is empty; it grows each time, so that idle workers cost almost nothing. */
const IDLE_MS = 20;
const IDLE_MAX_MS = 500;

/** Takes slices from the queue and books their results until stopped; running slices are then finished. */
export async function workOnQueue(options: QueueWorkerOptions): Promise<WorkDone> {
  // Each waiting thread listens for the end.
  setMaxListeners(0, options.signal);
  return new QueueWorker(options).run();
}

class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #held = new Set<string>();
  #slices = 0;
  #trials = 0;
  #busyMs = 0;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
  }

  async run(): Promise<WorkDone> {
    const { threads, connection, id } = this.#options;
    const ended = new AbortController();
    const beating = this.#beatUntil(ended.signal);
    try {
      await Promise.all([beating, this.#allThreads(threads).finally(() => ended.abort())]);
    } finally {
      ended.abort();
    }
    await hideWorker(connection, id);
    return { slices: this.#slices, trials: this.#trials, busyMs: Math.round(this.#busyMs) };
  }

  async #allThreads(threads: number): Promise<void> {
    await Promise.all(Array.from({ length: threads }, () => this.#take()));
  }

  /** Takes slices one after another, for one thread. */
  async #take(): Promise<void> {
    const { connection, clock, signal } = this.#options;
    let wait = IDLE_MS;
    while (!signal.aborted) {
      const slice = await takeSlice(connection);
      if (slice === null) {
        await clock.sleep(wait, signal).catch(() => undefined);
        wait = Math.min(wait * 1.5, IDLE_MAX_MS);
        continue;
      }
      wait = IDLE_MS;
      this.#held.add(slice.id);
      const begun = clock.monotonic();
      await this.#work(slice).finally(() => this.#held.delete(slice.id));
      this.#busyMs += clock.monotonic() - begun;
      this.#slices++;
      this.#trials += slice.tasks.length;
    }
  }

  async #work(slice: Slice): Promise<void> {
    const { connection, poolOf, report } = this.#options;
    let pool: TrialPool;
    try {
      pool = await poolOf(slice.recipe);
    } catch (error) {
      const why = `its code or bars could not be loaded: ${messageOf(error)}`;
      report(why);
      if (slice.lost + 1 < ATTEMPTS) return returnSlice(connection, slice.id);
      const outcomes = slice.tasks.map(({ trial }) => ({
        trial,
        outcome: { state: 'crashed' as const, why },
      }));
      return bookOutcomes(connection, { study: slice.study, outcomes, slice: slice.id });
    }
    const outcomes =
      slice.lost > 0 ? await this.#oneByOne(slice, pool) : await this.#together(slice.tasks, pool);
    await bookOutcomes(connection, { study: slice.study, outcomes, slice: slice.id });
  }

  /** Runs trials together. A trial whose thread crashed is rerun alone, because it took the others with it. */
  async #together(tasks: readonly KeyedTask[], pool: TrialPool): Promise<readonly KeyedOutcome[]> {
    const outcomes = [...(await pool.run(tasks.map(({ task }) => task)))];
    for (const [index, { task }] of tasks.entries())
      for (let attempt = 1; attempt < ATTEMPTS && outcomes[index]?.state === 'crashed'; attempt++)
        outcomes[index] = (await pool.run([task]))[0] ?? NO_OUTCOME;
    return tasks.map(({ trial }, index) => ({ trial, outcome: outcomes[index] ?? NO_OUTCOME }));
  }

  /**
   * Runs the trials of a slice that a worker did not finish, one by one and each booked at once: a trial that crashes
   * its worker is then identified by its number of starts.
   */
  async #oneByOne({ study, tasks }: Slice, pool: TrialPool): Promise<readonly KeyedOutcome[]> {
    const { connection, report } = this.#options;
    const booked = await outcomesOf(
      connection,
      study,
      tasks.map(({ trial }) => trial),
    );
    for (const keyed of tasks.filter(({ trial }) => !booked.has(trial))) {
      // The first attempt was that of the lost slice.
      const attempt = 1 + (await beginAgain(connection, study, keyed.trial));
      const outcomes = attempt > ATTEMPTS ? [setAside(keyed)] : await this.#together([keyed], pool);
      if (attempt > ATTEMPTS)
        report(`set aside: ${JSON.stringify(keyed.task.params)} took ${ATTEMPTS} workers with it`);
      await bookOutcomes(connection, { study, outcomes, slice: null });
    }
    return [];
  }

  async #beatUntil(ended: AbortSignal): Promise<void> {
    const { connection, clock, id, name, threads } = this.#options;
    while (!ended.aborted) {
      if (this.#held.size > 0) await renewSlices(connection, [...this.#held]);
      await showWorker(connection, { id, name, threads, trials: this.#trials, busyMs: this.#busyMs });
      await clock.sleep(BEAT_MS, ended).catch(() => undefined);
    }
  }
}

const NO_OUTCOME: TrialOutcome = { state: 'crashed', why: 'its worker gave no outcome' };

const setAside = ({ trial }: KeyedTask): KeyedOutcome => ({
  trial,
  outcome: { state: 'crashed', why: `its worker crashed each of ${ATTEMPTS} times that it was tried` },
});
