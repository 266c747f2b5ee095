import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, messageOf } from '../core/errors.ts';
import { systemRandom } from '../core/random.ts';

/**
 * Writes a file in one step: under its name there is the old one or all of the new one, never a part.
 * @param flag named in the error
 * @throws {ConfigError} when it cannot be written
 */
export function writeWhole(path: string, text: string, flag: string): void {
  const fresh = join(dirname(path), `.${systemRandom.uuid()}.tmp`);
  try {
    const descriptor = openSync(fresh, 'wx');
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new ConfigError(`${flag}: cannot write ${path}: ${messageOf(cause)}`, { path }, { cause });
  }
}
