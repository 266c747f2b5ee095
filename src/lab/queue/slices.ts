import { hashHex } from '../../core/random.ts';
import { keyOf } from '../search/space.ts';
import type { TrialTask } from '../trials/trial.ts';
import { executorOf, type Connection, type Query } from './connection.ts';
import { fromExactJson, toExactJson } from './exactJson.ts';
import { JOBS, QUEUE } from './tables.ts';

/** Trial of a study with the key of its result. */
export type KeyedTask = Readonly<{ trial: string; task: TrialTask }>;

/** Trials given to one worker at once. `recipe`: hash of what it needs to run them. */
export type Slice = Readonly<{
  id: string;
  study: string;
  recipe: string;
  tasks: readonly KeyedTask[];
  /** Number of workers that had it before without finishing it. */
  lost: number;
}>;

/** Time in seconds after which the slice of a silent worker is given to another. */
export const LEASE_S = 15;

/** Key of a trial within its study: everything that determines its outcome there. */
export const keyed = (task: TrialTask): KeyedTask => ({
  trial: hashHex(toExactJson([keyOf(task.params), task.span, task.stop ?? null])).slice(2, 34),
  task,
});

type SliceData = Readonly<{ study: string; recipe: string; tasks: string }>;

export async function putSlice(
  { boss }: Connection,
  { id, study, recipe, tasks }: Omit<Slice, 'lost'>,
): Promise<void> {
  const data: SliceData = { study, recipe, tasks: toExactJson(tasks) };
  await boss.insert([{ id, name: QUEUE, data, expireInSeconds: LEASE_S }]);
}

/** Takes the oldest free slice; null if there is none. */
export async function takeSlice({ boss, query }: Connection): Promise<Slice | null> {
  let failure: unknown = null;
  // pg-boss treats any error as an empty queue.
  const db = executorOf((text, values) =>
    query<never>(text, values).catch((error: unknown) => {
      failure = error;
      throw error;
    }),
  );
  const [job] = await boss.fetch<SliceData>(QUEUE, {
    batchSize: 1,
    includeMetadata: true,
    db,
  });
  if (failure !== null) throw failure as Error;
  if (!job) return null;
  const { study, recipe, tasks } = job.data;
  return {
    id: job.id,
    study,
    recipe,
    tasks: fromExactJson(tasks) as readonly KeyedTask[],
    lost: job.retryCount,
  };
}

/** Renews the leases of slices. */
export const renewSlices = ({ query }: Connection, ids: readonly string[]): Promise<unknown> =>
  query(
    `UPDATE ${JOBS}.job SET expire_in = now() - started_on + make_interval(secs => $3)
     WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active'`,
    [QUEUE, ids, LEASE_S],
  );

/** Completes a slice, within the transaction that books its results. */
export async function completeSlice({ boss }: Connection, query: Query, id: string): Promise<void> {
  await boss.complete(QUEUE, id, {}, { db: executorOf(query) });
}

/** Returns a slice that this worker cannot run. */
export const returnSlice = ({ boss }: Connection, id: string): Promise<void> => boss.fail(QUEUE, id);

/** Slices among `ids` that are neither queued nor running: ended, or lost. */
export async function endedAmong({ query }: Connection, ids: readonly string[]): Promise<readonly string[]> {
  const open = await query<{ id: string }>(
    `SELECT id FROM ${JOBS}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state < 'completed'`,
    [QUEUE, ids],
  );
  const waiting = new Set(open.map(({ id }) => id));
  return ids.filter((id) => !waiting.has(id));
}

/** Removes every slice of a study. Results of a slice that is still running are booked anyway. */
export const removeSlices = ({ query }: Connection, study: string): Promise<unknown> =>
  query(`DELETE FROM ${JOBS}.job WHERE name = $1 AND data->>'study' = $2`, [QUEUE, study]);
