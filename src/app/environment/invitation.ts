import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { placePrivate } from '../../ops/page/sessionStore.ts';
import type { CommandContext } from '../../process/context.ts';

/** Descriptor of standard output. */
const STDOUT = 1;

/** True if a command's output goes to the systemd journal, which others may read and which retains it. */
export function isLogged({ env }: Pick<CommandContext, 'env'>): boolean {
  const { dev, ino } = fstatSync(STDOUT);
  return env['JOURNAL_STREAM'] === `${dev}:${ino}`;
}

/**
 * Writes an address with its one-time code into a file that only this user can read, instead of where it would be retained. Returns a text
 * that names the file, or says why there is none.
 */
export function wordsFor(address: string, folder: string): string {
  const file = join(folder, 'dashboard.address');
  try {
    placePrivate(file, `${address}\n`);
    return `its address is in ${file}`;
  } catch (error) {
    return `${file} cannot be written (${messageOf(error)})`;
  }
}
