import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf, SafetyError } from '../../core/errors.ts';
import { exposure, requireSafeWay } from '../../store/trust.ts';
import { unreadableFile } from '../files.ts';

/**
 * The text of a file that only its owner, the user of this process, can read, and nobody else can exchange. A newline at its
 * end is dropped unless `whole`.
 * @throws {ConfigError} when it cannot be read
 * @throws {SafetyError} when others can read or change it, or it is a link
 */
export function readPrivateFile(path: string, { whole = false } = {}): string {
  const descriptor = openPrivate(path);
  try {
    const stats = fstatSync(descriptor);
    const complaint = stats.isFile() ? exposure(stats, path) : 'is not a file';
    if (complaint) throw new SafetyError(`${path} holds a secret and ${complaint}`, { path });
    requireSafeWay(path, 'a file with a secret');
    const text = readFileSync(descriptor, 'utf8');
    return whole ? text : text.replace(/\r?\n$/, '');
  } finally {
    closeSync(descriptor);
  }
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** A pipe that nobody writes to would be waited for. A link may lead elsewhere at each look. */
function openPrivate(path: string): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ELOOP')
      throw new SafetyError(`${path} holds a secret and is a link. Name the file itself`, { path });
    throw unreadableFile(path, error);
  }
}
