import type { Clock } from '../../core/clock.ts';
import { ConfigError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import type { Connection } from './connection.ts';
import { LEASE_S } from './slices.ts';
import { OWN } from './tables.ts';

/** Study in the queue. `id`: hash of its identity, so that two studies of one name never collide. */
export type QueuedStudy = Readonly<{
  id: string;
  name: string;
  /** Process that queues its slices: host, process id and a random part. */
  coordinator: string;
}>;

const POLL_MS = 1_000;
/** Days that the results of an abandoned study are kept. */
const KEPT_DAYS = 30;

/**
 * Takes ownership of a study. The lease of a dead coordinator must end first, so this may take `LEASE_S`.
 * @throws {ConfigError} while another process works on the study
 */
export async function claimStudy(
  { query }: Connection,
  { id, name, coordinator }: QueuedStudy,
  { clock, signal }: Readonly<{ clock: Clock; signal: AbortSignal }>,
): Promise<void> {
  let before: string | null = null;
  for (;;) {
    const mine = await query(
      `INSERT INTO ${OWN}.study AS old (id, name, version, coordinator) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET name = $2, version = $3, coordinator = $4, seen_at = now()
       WHERE old.coordinator = $4 OR old.seen_at < now() - make_interval(secs => $5) RETURNING id`,
      [id, name, VERSION, coordinator, LEASE_S],
    );
    if (mine.length > 0) return;
    const [other] = await query<{ coordinator: string; seen: string }>(
      `SELECT coordinator, seen_at::text AS seen FROM ${OWN}.study WHERE id = $1`,
      [id],
    );
    if (other && before !== null && other.seen !== before) throw held(name, other.coordinator);
    before = other?.seen ?? before;
    await clock.sleep(POLL_MS, signal);
  }
}

const held = (name: string, coordinator: string): ConfigError =>
  new ConfigError(
    `${name} is in use by another drover (${placeOf(coordinator)}). Wait for its end, or stop it; then continue with --resume`,
    { coordinator },
  );

/** Host and process id of a coordinator, without the random part. */
const placeOf = (coordinator: string): string => coordinator.split(' ')[0] ?? coordinator;

/** Renews the ownership of a study. @throws {ConfigError} when another process has taken it over */
export async function keepStudy(
  { query }: Connection,
  { id, name, coordinator }: QueuedStudy,
): Promise<void> {
  const mine = await query(
    `UPDATE ${OWN}.study SET seen_at = now() WHERE id = $1 AND coordinator = $2 RETURNING id`,
    [id, coordinator],
  );
  if (mine.length > 0) return;
  const [other] = await query<{ coordinator: string }>(`SELECT coordinator FROM ${OWN}.study WHERE id = $1`, [
    id,
  ]);
  throw held(name, other?.coordinator ?? 'nobody');
}

/** Releases a study, so that another process need not wait for the end of its lease. */
export const leaveStudy = ({ query }: Connection, { id, coordinator }: QueuedStudy): Promise<unknown> =>
  query(`UPDATE ${OWN}.study SET seen_at = '-infinity' WHERE id = $1 AND coordinator = $2`, [
    id,
    coordinator,
  ]);

/** Removes a study with all its results, which its file also has. */
export const removeStudy = ({ query }: Connection, { id, coordinator }: QueuedStudy): Promise<unknown> =>
  query(`DELETE FROM ${OWN}.study WHERE id = $1 AND coordinator = $2`, [id, coordinator]);

/** Removes studies abandoned long ago. */
export const sweepStudies = ({ query }: Connection): Promise<unknown> =>
  query(
    `DELETE FROM ${OWN}.study WHERE seen_at < now() - make_interval(days => $1) AND seen_at > '-infinity'`,
    [KEPT_DAYS],
  );

/** Versions of drover that are working on studies now. */
export async function versionsAtWork({ query }: Connection): Promise<readonly string[]> {
  const rows = await query<{ version: string }>(
    `SELECT DISTINCT version FROM ${OWN}.study WHERE seen_at > now() - make_interval(secs => $1)`,
    [LEASE_S],
  );
  return rows.map(({ version }) => version);
}
