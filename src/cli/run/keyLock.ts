import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdLock } from '../../store/lock.ts';
import { atPath, type PathUse } from '../atPath.ts';
import type { Environment } from '../config/environment.ts';
import { holdInEach, lockFolders, type MachineFolders } from './lockFolders.ts';

export type KeyUse = Readonly<{
  apiKey: string;
  /** Of the venue. Two emulators on this machine are two venues, although they give out the same keys. */
  baseUrl: string;
  stateDir: string;
}>;

/**
 * Holds an API key for the life of this process, against every other process of this user on this machine. The venue takes
 * the orders of both, and neither would know what the other has sent.
 * @throws {SafetyError} when another process holds it, or a folder of the locks is not this user's alone
 */
export function holdKey(use: KeyUse, env: Environment, machine?: MachineFolders): () => void {
  const name = `key-${nameOf(use)}`;
  return holdInEach(lockFolders(env, machine), (folder) => holdIn(folder, name, use));
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
  try {
    atPath(note, NOTE, () => writeFileSync(note, stateDir, { mode: 0o600 }));
  } catch (error) {
    release();
    throw error;
  }
  return () => {
    rmSync(note, { force: true });
    release();
  };
}

/** Tells keys apart without telling them. */
function nameOf({ apiKey, baseUrl }: KeyUse): string {
  return createHash('sha256')
    .update(`drover ${whereOf(baseUrl)} ${apiKey}`)
    .digest('hex')
    .slice(0, 32);
}

/** A venue on this machine, where there may be many, goes by its port, under whatever name; elsewhere the key alone counts. */
function whereOf(baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl);
  return protocol === 'http:' ? `loopback:${port || '80'}` : '';
}
