import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from './config/environment.ts';

/**
 * Folder in which programs of this user keep their data: `$XDG_DATA_HOME`, else `~/.local/share`. A variable that is empty or
 * no absolute path counts as not set, as the XDG Base Directory Specification wants it: keys and bars would else lie
 * wherever the command was given.
 */
export function dataHomeOf(env: Environment): string {
  const { HOME: home = '', XDG_DATA_HOME: data = '' } = env;
  if (isAbsolute(data)) return data;
  return join(isAbsolute(home) ? home : homedir(), '.local', 'share');
}

/** Folder of package.json. This file is two folders below it as source, as a module and as part of the program alike. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** Folder of our own modules: TypeScript in the repository, JavaScript in the package. */
export const OWN_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Path of one of the few files that the program is built into; there is no such file where it runs from its modules. */
export const programFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
