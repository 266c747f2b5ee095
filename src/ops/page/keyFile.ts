import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exposure } from '../../store/trust.ts';

/** Name of the key's file in a state folder. Removing it ends every session of the page at the next start. */
const KEY_FILE = 'page.key';
/** Length of the key, in bytes. */
export const KEY_BYTES = 32;

/**
 * Key with which the sessions of the page are signed, kept in the state folder so that they outlive a restart. A file that others
 * may read, a link, or one of another length is replaced: the sessions that it signed end. Where the folder cannot be written, the
 * key is for this run alone.
 * @param bytes unpredictable bytes
 */
export function pageKey(stateDir: string, bytes: (length: number) => Uint8Array): Buffer {
  const file = join(stateDir, KEY_FILE);
  const kept = keyIn(file);
  if (kept !== null) return kept;
  const key = Buffer.from(bytes(KEY_BYTES));
  try {
    keep(key, file);
  } catch {
    // The page works without it, until the run ends.
  }
  return key;
}

function keep(key: Buffer, file: string): void {
  const fresh = `${file}.tmp`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${key.toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  renameSync(fresh, file);
}

/** Key in a file; null where there is none that can be trusted. */
function keyIn(file: string): Buffer | null {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || exposure(stats, file) !== null) return null;
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
    return key.length === KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}
