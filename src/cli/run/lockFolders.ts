import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { SafetyError } from '../../core/errors.ts';
import { makeFolders } from '../../store/folders.ts';
import { ownUser } from '../../store/trust.ts';
import type { Environment } from '../config/environment.ts';

/** Folders of this user on this machine that no environment changes. */
export type MachineFolders = Readonly<{
  /** By the list of users; null where this user is not in it, as in some containers. */
  home: string | null;
  /** Among the temporary files that all programs of the machine share. */
  shared: string;
}>;

/** A user without an entry in the list of users still has a number. */
export function machineFolders(): MachineFolders {
  const user = ownUser();
  // Not `TMPDIR`: two shells may have two.
  const shared = user === null ? join(tmpdir(), `drover-${userInfo().username}`) : `/tmp/drover-${user}`;
  return { home: homeOf(), shared };
}

function homeOf(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    return null;
  }
}

const inHome = (home: string | undefined | null): string[] =>
  home ? [join(home, '.local', 'state', 'drover')] : [];

/**
 * Every folder in which an API key of this user is held: two processes exclude each other by any one that they share. A service
 * and a login shell have other environments, a service may have temporary files of its own, and a program any HOME.
 * @throws {SafetyError} when none can be made, or one of them is not this user's alone
 */
export function lockFolders(env: Environment, machine: MachineFolders = machineFolders()): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const wanted = [
    ...(runtime ? [join(runtime, 'drover')] : []),
    ...inHome(env['HOME']),
    ...inHome(machine.home),
    machine.shared,
  ];
  const usable = wanted.filter(isThere);
  if (usable.length === 0)
    throw new SafetyError(`no folder for the locks of this user can be made, not even ${machine.shared}`);
  usable.forEach(requireOwn);
  return [...new Set(usable.map((folder) => realpathSync(folder)))];
}

function isThere(folder: string): boolean {
  try {
    makeFolders(folder, 0o700);
    return true;
  } catch {
    return existsSync(folder);
  }
}

/** Whoever made it first could otherwise take the locks away, or hold them for ever. */
function requireOwn(folder: string): void {
  const stats = lstatSync(folder);
  const me = ownUser();
  if (me === null) return;
  const wrong = !stats.isDirectory()
    ? 'is not a folder'
    : stats.uid !== me
      ? 'belongs to another user'
      : (stats.mode & 0o077) !== 0
        ? `is open to others. Run: chmod 700 ${folder}`
        : null;
  if (wrong !== null) throw new SafetyError(`${folder}, the folder of the locks, ${wrong}`, { folder });
}

/** Holds a lock in each folder, or in none. Gives back the release of all. @throws what `hold` throws */
export function holdInEach(folders: readonly string[], hold: (folder: string) => () => void): () => void {
  const releases: (() => void)[] = [];
  const release = () => {
    for (const one of releases.splice(0)) one();
  };
  try {
    for (const folder of folders) releases.push(hold(folder));
  } catch (error) {
    release();
    throw error;
  }
  return release;
}
