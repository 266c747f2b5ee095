import { hashHex } from '../../core/random.ts';
import { keyOf } from '../search/space.ts';
import type { TrialTask } from '../trials/trial.ts';
import { executorOf, type Connection, type Query } from './connection.ts';
import { fromExactJson, toExactJson } from './exactJson.ts';
import { JOBS, QUEUE } from './tables.ts';

/** A trial of a study under the key by which its result is found. */
export type KeyedTask = Readonly<{ trial: string; task: TrialTask }>;

/** Trials that one worker is given at once. `recipe`: hash of what it needs to run them. */
export type Slice = Readonly<{
  id: string;
  study: string;
  recipe: string;
  tasks: readonly KeyedTask[];
  /** Workers that had it before and did not end it. */
  lost: number;
}>;

/** Time after which a slice whose worker is silent is another's, in seconds. */
export const LEASE_S = 15;

/** Key of a trial within its study: everything that decides its outcome there. */
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

/** Takes the oldest slice that nobody has; null if there is none. */
export async function takeSlice({ boss, query }: Connection): Promise<Slice | null> {
  let failure: unknown = null;
  // pg-boss takes any error for an empty queue.
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

/** Ends a slice, within the transaction that books its results. */
export async function completeSlice({ boss }: Connection, query: Query, id: string): Promise<void> {
  await boss.complete(QUEUE, id, {}, { db: executorOf(query) });
}

/** Gives a slice back that this worker cannot run. */
export const returnSlice = ({ boss }: Connection, id: string): Promise<void> => boss.fail(QUEUE, id);

/** Those of some slices that are neither waiting nor at work: ended, or gone. */
export async function endedAmong({ query }: Connection, ids: readonly string[]): Promise<readonly string[]> {
  const open = await query<{ id: string }>(
    `SELECT id FROM ${JOBS}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state < 'completed'`,
    [QUEUE, ids],
  );
  const waiting = new Set(open.map(({ id }) => id));
  return ids.filter((id) => !waiting.has(id));
}

/** Removes every slice of a study. Results of one that a worker has just now are booked all the same. */
export const removeSlices = ({ query }: Connection, study: string): Promise<unknown> =>
  query(`DELETE FROM ${JOBS}.job WHERE name = $1 AND data->>'study' = $2`, [QUEUE, study]);
