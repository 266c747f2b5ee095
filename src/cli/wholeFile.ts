import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, ConfigError, messageOf } from '../core/errors.ts';
import { systemRandom } from '../core/random.ts';

/**
 * Writes a file in one step: under its name there is the old one or all of the new one, never a part.
 * @param flag named in the error
 * @throws {ConfigError} when it cannot be written
 */
export function writeWhole(path: string, text: string, flag: string): void {
  try {
    placeWhole(dirname(path), text, { mode: 0o666, place: (fresh) => renameSync(fresh, path) });
  } catch (cause) {
    throw new ConfigError(`${flag}: cannot write ${path}: ${writeProblem(path, cause)}`, { path }, { cause });
  }
}

/** Checks a place to write to before long work, not after it. @throws {ConfigError} where its folder is not there */
export function requireFolder(path: string, flag: string): void {
  if (!existsSync(dirname(path)))
    throw new ConfigError(`${flag}: cannot write ${path}: ${writeProblem(path, null)}`, { path });
}

/** Reason why a file cannot be written, with the remedy: the system's text may name a temporary file instead. */
export function writeProblem(path: string, cause: unknown): string {
  const folder = dirname(path);
  if (!existsSync(folder))
    return `there is no folder ${folder}. Make it first (mkdir -p ${folder}), or name a file elsewhere`;
  const code = codeOf(cause);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `this user may not write to the folder ${folder}. Change its permissions, or name a file elsewhere`;
  if (code === 'EEXIST') return 'it is there already. Name a file that is not there yet';
  return messageOf(cause);
}

type Placing = Readonly<{
  mode: number;
  /** Gives the new file its name. */
  place: (fresh: string) => void;
}>;

/** Puts a text into a file of its own in `folder`, whole and on disk, before `place`. @throws what the system says */
export function placeWhole(folder: string, text: string, { mode, place }: Placing): void {
  const fresh = join(folder, `.${systemRandom.uuid()}.tmp`);
  try {
    const descriptor = openSync(fresh, 'wx', mode);
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    place(fresh);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw cause;
  }
}

/** Makes a new or renamed entry of a folder survive a power loss. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
