import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { ConfigError, messageOf, SafetyError } from '../../core/errors.ts';

/**
 * The text of a file that only its owner, the user of this process, can read. A newline at its end is dropped unless
 * `whole`.
 * @throws {ConfigError} when it cannot be read
 * @throws {SafetyError} when others can read or change it
 */
export function readPrivateFile(path: string, { whole = false } = {}): string {
  const descriptor = openPrivate(path);
  try {
    const stats = fstatSync(descriptor);
    const complaint = stats.isFile() ? exposure(stats) : 'is not a file';
    if (complaint) throw new SafetyError(`${path} holds a secret and ${complaint}`, { path });
    const text = readFileSync(descriptor, 'utf8');
    return whole ? text : text.replace(/\r?\n$/, '');
  } finally {
    closeSync(descriptor);
  }
}

const { O_RDONLY, O_NONBLOCK } = constants;

/** A pipe that nobody writes to would be waited for. */
function openPrivate(path: string): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}`, { path });
  }
}

/** What is wrong with who may touch a file or folder. Systems without owners and modes are trusted. */
export function exposure(stats: Stats): string | null {
  const { mode, uid } = stats;
  const me = userInfo().uid;
  if (me === -1) return null;
  if (uid !== me && uid !== 0) return 'belongs to another user. Make a copy that belongs to you';
  if ((mode & 0o077) === 0) return null;
  const octal = (mode & 0o777).toString(8);
  const wanted = stats.isDirectory() ? '700' : '600';
  return `can be read by others (mode ${octal}). Run: chmod ${wanted}, and replace the secret if others use this machine`;
}
