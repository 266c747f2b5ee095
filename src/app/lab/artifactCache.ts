import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/brand.ts';
import { messageOf, orElse } from '../../core/errors.ts';
import { systemRandom } from '../../core/random.ts';
import { hashOfBytes } from '../../lab/queue/artifacts.ts';

/** Number of days for which a file is kept after its last use. */
const KEPT_DAYS = 30;
/** Form of the file names, which are hashes. */
const NAME = /^[0-9a-f]{64}$/;

/**
 * Bytes by hash, downloaded once and kept in a folder. A damaged file is downloaded again; on a full disk nothing is kept, but
 * the work continues.
 */
export function artifactCache({
  folder,
  fetch,
  clock,
  report,
}: Readonly<{
  folder: string;
  fetch: (hash: string) => Promise<Uint8Array>;
  clock: Clock;
  report: (text: string) => void;
}>): (hash: string) => Promise<Uint8Array> {
  let canWrite = true;
  const failed = (error: unknown) => {
    if (canWrite)
      report(
        `nothing can be stored in ${folder} (${messageOf(error)}): bars and code are fetched again at each start`,
      );
    canWrite = false;
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    sweep(folder, clock.now() - KEPT_DAYS * DAY_MS);
  } catch (error) {
    failed(error);
  }
  return async (hash) => {
    const file = join(folder, hash);
    const kept = readKept(file, clock.now());
    if (kept && hashOfBytes(kept) === hash) return kept;
    const bytes = await fetch(hash);
    if (canWrite)
      try {
        keep(file, bytes);
      } catch (error) {
        failed(error);
      }
    return bytes;
  };
}

function readKept(file: string, now: number): Uint8Array | null {
  return orElse(() => {
    const bytes = readFileSync(file);
    utimesSync(file, now / 1_000, now / 1_000);
    return bytes;
  }, null);
}

/** Writes a file atomically: its name exists only once it is complete. */
function keep(file: string, bytes: Uint8Array): void {
  const fresh = `${file}.${systemRandom.uuid()}`;
  try {
    writeFileSync(fresh, bytes, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function sweep(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() && NAME.test(name.slice(0, 64)) && stats.mtimeMs < before)
      rmSync(file, { force: true });
  }
}
