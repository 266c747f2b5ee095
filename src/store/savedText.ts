import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { codeOf } from '../core/errors.ts';
import type { SavedText } from '../domain/journalEvent.ts';
import { failureAt } from './sqliteErrors.ts';

/** File beside a journal with its latest checkpoint. */
export const checkpointFile = (journal: string): string => `${journal}-checkpoint`;

/**
 * Text in a file that has the old one or the new one, never a part, however the process ends. A write that fails leaves the old one:
 * nothing but the time of the next start depends on it.
 */
export const savedTextIn = (file: string): SavedText => ({
  read() {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return null;
      throw failureAt(file, cause);
    }
  },
  write(text) {
    const fresh = `${file}.new`;
    try {
      writeSynced(fresh, text);
      renameSync(fresh, file);
    } catch {
      rmSync(fresh, { force: true });
    }
  },
});

function writeSynced(file: string, text: string): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
