import { counted } from '../../core/counted.ts';
import { VERSION } from '../../core/version.ts';
import type { Connection } from './connection.ts';
import { OWN } from './tables.ts';

export type WorkerState = Readonly<{
  id: string;
  /** Host and id of its process. */
  name: string;
  threads: number;
  trials: number;
  /** Total working time of its threads. */
  busyMs: number;
}>;

export type SeenWorker = WorkerState & Readonly<{ version: string; silentMs: number }>;

/** Time without a heartbeat after which a worker is considered gone, in ms. */
const GONE_MS = 60_000;

/** Records a heartbeat of a worker. */
export const showWorker = ({ query }: Connection, state: WorkerState): Promise<unknown> =>
  query(
    `INSERT INTO ${OWN}.worker (id, name, version, threads, trials, busy_ms) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET trials = $5, busy_ms = $6, seen_at = now()`,
    [state.id, state.name, VERSION, state.threads, state.trials, state.busyMs],
  );

/** Records that a worker has left. */
export const hideWorker = ({ query }: Connection, id: string): Promise<unknown> =>
  query(`UPDATE ${OWN}.worker SET seen_at = '-infinity' WHERE id = $1`, [id]);

/** Workers seen in the last minute. */
export async function workersSeen({ query }: Connection): Promise<readonly SeenWorker[]> {
  return query<SeenWorker>(
    `SELECT id, name, version, threads, trials::float8 AS trials, busy_ms AS "busyMs",
            (extract(epoch FROM now() - seen_at) * 1000)::float8 AS "silentMs"
     FROM ${OWN}.worker WHERE seen_at > now() - make_interval(secs => $1)`,
    [GONE_MS / 1_000],
  );
}

/** Removes workers that have been gone for long. */
export const sweepWorkers = ({ query }: Connection): Promise<unknown> =>
  query(`DELETE FROM ${OWN}.worker WHERE seen_at < now() - interval '1 day'`);

/** Silence in ms from which it is reported: workers send a heartbeat every few seconds. */
const SILENT_MS = 10_000;

/** `3 workers, slowest box-2:4711 (4.1 trials/s)`; a silent worker is reported before a slow one. */
export function workersText(workers: readonly SeenWorker[]): string {
  const own = workers.filter(({ version }) => version === VERSION);
  const others = workers.length - own.length;
  const beside = others > 0 ? `, and ${others} of another version of drover, which get no trials` : '';
  if (own.length === 0) return `there is no worker: start one with \`drover worker --queue …\`${beside}`;
  return `${counted(own.length, 'worker')}${worstText(own)}${beside}`;
}

function worstText(workers: readonly SeenWorker[]): string {
  const silent = [...workers].sort((a, b) => b.silentMs - a.silentMs)[0];
  if (silent && silent.silentMs > SILENT_MS)
    return `, ${silent.name} silent for ${Math.round(silent.silentMs / 1_000)} s`;
  const rates = workers
    .filter(({ trials }) => trials > 0)
    .map(({ name, trials, busyMs, threads }) => ({ name, rate: (trials * threads) / (busyMs / 1_000) }))
    .sort((a, b) => a.rate - b.rate);
  const [slowest] = rates;
  return slowest ? `, slowest ${slowest.name} (${slowest.rate.toPrecision(2)} trials/s)` : '';
}
