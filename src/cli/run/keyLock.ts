import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { SafetyError } from '../../core/errors.ts';
import { makeFolders } from '../../store/folders.ts';
import { holdLock } from '../../store/lock.ts';
import { atPath, type PathUse } from '../atPath.ts';
import type { Environment } from '../config/environment.ts';

export type KeyUse = Readonly<{
  apiKey: string;
  /** Of the venue. Two emulators on this machine are two venues, although they give out the same keys. */
  baseUrl: string;
  stateDir: string;
}>;

/**
 * Holds an API key for the life of this process, against every other process of this user on this machine. The venue takes
 * the orders of both, and neither would know what the other has sent.
 * @throws {SafetyError} when another process holds it, or the folder of the locks is not this user's alone
 */
export function holdKey(use: KeyUse, env: Environment): () => void {
  const name = `key-${nameOf(use)}`;
  const releases = lockFolders(env).map((folder) => holdIn(folder, name, use));
  return () => {
    for (const release of releases) release();
  };
}

const NOTE: PathUse = {
  what: 'read or written',
  remedy:
    'It says which run holds an API key: make room on its disk, or remove it if it belongs to another user',
};

function holdIn(folder: string, name: string, { stateDir }: KeyUse): () => void {
  const note = join(folder, `${name}.txt`);
  const held = existsSync(note) ? atPath(note, NOTE, () => readFileSync(note, 'utf8')) : '';
  const holder = held === '' ? '' : `, run on the state folder ${held}`;
  const release = holdLock(join(folder, `${name}.sqlite`), `this API key${holder}`);
  atPath(note, NOTE, () => writeFileSync(note, stateDir, { mode: 0o600 }));
  return release;
}

/** Tells keys apart without telling them. */
function nameOf({ apiKey, baseUrl }: KeyUse): string {
  const { protocol, origin } = new URL(baseUrl);
  const where = protocol === 'http:' ? origin : '';
  return createHash('sha256').update(`drover ${where} ${apiKey}`).digest('hex').slice(0, 32);
}

/**
 * The runtime folder of the session, where there is one, and always that of the user: a service and a login shell do not
 * have the same environment. A folder for temporary files where the user has none.
 */
function lockFolders(env: Environment): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const own = join(env['HOME'] ?? homedir(), '.local', 'state', 'drover');
  const folders = [...(runtime ? [join(runtime, 'drover')] : []), own].filter(isThere);
  const usable = folders.length > 0 ? folders : [join(tmpdir(), `drover-${userInfo().uid}`)].filter(isThere);
  if (usable.length === 0)
    throw new SafetyError(`no folder for the lock of the API key can be made, not even ${own}`);
  usable.forEach(requireOwn);
  return usable;
}

function isThere(folder: string): boolean {
  try {
    makeFolders(folder, 0o700);
    return true;
  } catch {
    return existsSync(folder);
  }
}

function requireOwn(folder: string): void {
  const stats = lstatSync(folder);
  const me = userInfo().uid;
  if (me === -1) return;
  const wrong = !stats.isDirectory()
    ? 'is not a folder'
    : stats.uid !== me
      ? 'belongs to another user'
      : (stats.mode & 0o077) !== 0
        ? `is open to others. Run: chmod 700 ${folder}`
        : null;
  if (wrong !== null) throw new SafetyError(`${folder}, the folder of the locks, ${wrong}`, { folder });
}
