import { orElse } from '../../core/errors.ts';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { exposure } from '../../store/trust.ts';

/** Text of a file that nobody else can read or change; null for one of others, for a link, and for none. */
export const readPrivate = (file: string): string | null =>
  orElse(() => {
    const stats = lstatSync(file);
    return stats.isFile() && exposure(stats, file) === null ? readFileSync(file, 'utf8') : null;
  }, null);

/** Puts a file for this user alone in the place of what is there. @throws where it cannot be written */
export function placePrivate(file: string, text: string): void {
  const fresh = `${file}.tmp`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(fresh, file);
}

/** State of a file that changes with each replacement of it; null without one. */
export function stampOf(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : null;
}
