import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those it lies in, where there is none. Node's own `recursive` tries for ever on a file system that
 * says of each new folder that its parent is missing, as /proc does.
 * @throws when there can be none
 */
export function makeFolders(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolders(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    if (!isFolder(folder)) throw cause;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
