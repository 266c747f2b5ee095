import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, orElse } from '../../core/errors.ts';
import { holdLock, LockHeldError } from '../../store/stateFolder.ts';
import { ownUser } from '../../store/trust.ts';

/** Name prefix of these folders, in the folder for temporary files. */
const PREFIX = 'drover-run-';
/** File that marks such a folder as ours to remove, and its content. */
const MARKER = 'temporary';
const MARK = 'The state of a run without --state: the next such run removes this folder.\n';

/** Creates a state folder for a run that names none. */
export const makeTemporaryState = (): string => mkdtempSync(join(tmpdir(), PREFIX));

/** Marks a folder that this process holds: once it ends, the next run without a state folder may remove it. */
export const markTemporaryState = (folder: string): void =>
  writeFileSync(join(folder, MARKER), MARK, { flag: 'wx', mode: 0o600 });

/** Removes the mark from a folder that this process holds: a user who names it as state folder wants to keep it. */
export function keepState(folder: string): void {
  if (isTemporaryState(folder)) rmSync(join(folder, MARKER));
}

/** Frees the reserved disk space of a folder at the end of its run. */
export const trimTemporaryState = (folder: string): void => rmSync(join(folder, 'reserve'), { force: true });

/**
 * Removes the folders left by earlier runs without a state folder: those of this user, with our mark, that no process holds.
 * `onLeft` receives the reason for each that cannot be removed.
 */
export function removeTemporaryStates(onLeft: (text: string) => void, parent = tmpdir()): void {
  for (const name of namesIn(parent, onLeft)) {
    const folder = join(parent, name);
    if (!name.startsWith(PREFIX) || !isTemporaryState(folder)) continue;
    try {
      removeUnheld(folder);
    } catch (error) {
      onLeft(`cannot remove ${folder}, the state of an earlier run: ${messageOf(error)}`);
    }
  }
}

function namesIn(parent: string, onLeft: (text: string) => void): string[] {
  try {
    return readdirSync(parent);
  } catch (error) {
    onLeft(`cannot list ${parent} to remove the states of earlier runs: ${messageOf(error)}`);
    return [];
  }
}

/** True for a real folder of this user with our mark in it; links are never followed. */
export function isTemporaryState(folder: string): boolean {
  const marker = join(folder, MARKER);
  const isOwn = (path: string, kind: 'isDirectory' | 'isFile') => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && stats[kind]() && (ownUser() === null || stats.uid === ownUser());
  };
  return orElse(
    () => isOwn(folder, 'isDirectory') && isOwn(marker, 'isFile') && readFileSync(marker, 'utf8') === MARK,
    false,
  );
}

/** Removes a folder while holding its lock; leaves one that another process holds. */
function removeUnheld(folder: string): void {
  let release: (() => void) | undefined;
  try {
    release = holdLock(join(folder, 'lock.sqlite'), `the state folder ${folder}`);
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
  } finally {
    release?.();
  }
}
