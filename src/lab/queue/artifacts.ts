import { createHash } from 'node:crypto';
import { DataError } from '../../core/errors.ts';
import type { Connection } from './connection.ts';
import { OWN } from './tables.ts';

/** Maximum bytes per row, so that no statement is large. */
const PART_BYTES = 4_000_000;
/** Days that bars and code are kept after their last use, for the next study with the same data. */
const KEPT_DAYS = 7;

export const hashOfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Stores bytes in the database under their hash, once, and returns the hash. */
export async function putArtifact({ query }: Connection, bytes: Uint8Array): Promise<string> {
  const hash = hashOfBytes(bytes);
  const known = await query(`UPDATE ${OWN}.artifact SET used_at = now() WHERE hash = $1 RETURNING hash`, [
    hash,
  ]);
  if (known.length > 0) return hash;
  const parts = Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES));
  for (let part = 0; part < parts; part++) {
    const slice = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
    await query(`INSERT INTO ${OWN}.artifact_part VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
      hash,
      part,
      slice,
    ]);
  }
  await query(`INSERT INTO ${OWN}.artifact (hash, parts) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
    hash,
    parts,
  ]);
  return hash;
}

/** Bytes for a hash. @throws {DataError} when they are missing or damaged */
export async function getArtifact({ query }: Connection, hash: string): Promise<Uint8Array> {
  const [row] = await query<{ parts: number }>(`SELECT parts FROM ${OWN}.artifact WHERE hash = $1`, [hash]);
  const parts: Buffer[] = [];
  for (let part = 0; part < (row?.parts ?? 0); part++) {
    const [found] = await query<{ bytes: Buffer }>(
      `SELECT bytes FROM ${OWN}.artifact_part WHERE hash = $1 AND part = $2`,
      [hash, part],
    );
    if (found) parts.push(found.bytes);
  }
  const bytes = Buffer.concat(parts);
  if (hashOfBytes(bytes) === hash) return bytes;
  throw new DataError(
    `the queue does not have the bars or the code of the hash ${hash}, or they are damaged. Start the study again`,
    {
      hash,
    },
  );
}

/** Prevents artifacts from being removed while a study uses them. */
export const useArtifacts = ({ query }: Connection, hashes: readonly string[]): Promise<unknown> =>
  query(
    `UPDATE ${OWN}.artifact SET used_at = now() WHERE hash = ANY($1) AND used_at < now() - interval '1 hour'`,
    [hashes],
  );

/** Removes artifacts that have not been used for long. */
export const sweepArtifacts = ({ query }: Connection): Promise<unknown> =>
  query(
    `WITH gone AS (DELETE FROM ${OWN}.artifact WHERE used_at < now() - make_interval(days => $1) RETURNING hash)
     DELETE FROM ${OWN}.artifact_part USING gone WHERE artifact_part.hash = gone.hash`,
    [KEPT_DAYS],
  );
