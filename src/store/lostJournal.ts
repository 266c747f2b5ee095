import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { SafetyError } from '../core/errors.ts';
import { headFile, readHead } from './head.ts';

/** Size of a file in bytes; 0 when there is none. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Files beside a journal that only a run which has written into it leaves behind: `marker`, written after the first commit, the
 * note of the journal's end, and a write-ahead log without its journal.
 */
function tracesOf(file: string, marker: string): string[] {
  const log = `${file}-wal`;
  return [
    ...(existsSync(marker) ? [marker] : []),
    ...(readHead(file) === null ? [] : [headFile(file)]),
    ...(sizeOf(log) > 0 ? [log] : []),
  ];
}

/** True for a journal that is gone or empty although a run has written one. `marker`: see `tracesOf`. */
export const isLost = (file: string, marker: string): boolean =>
  sizeOf(file) === 0 && tracesOf(file, marker).length > 0;

/**
 * Refuses to begin a journal where there was one: what it knew of orders and positions is gone, and a new start would buy again.
 * @throws {SafetyError} when the file is gone or empty, and something beside it shows that a run has been here
 */
export function requireKept(file: string, marker: string): void {
  if (isLost(file, marker)) throw lostJournal(file, tracesOf(file, marker));
}

/** The refusal to begin again on a folder where `traces` show that a run has been. */
export function lostJournal(file: string, traces: readonly string[]): SafetyError {
  const folder = dirname(file);
  const what = !existsSync(file) ? 'missing' : sizeOf(file) === 0 ? 'empty' : 'without an entry';
  return new SafetyError(
    `${folder} has lost its journal: ${basename(file)} is ${what}, and a run has been here (${traces.map((path) => basename(path)).join(', ')}). ` +
      'Its orders and positions are not known any more, and a new start would trade them again. Nothing was sent. ' +
      'Put back the latest backup of the whole folder; or let `drover journal recover` begin a new journal from what the venue ' +
      'shows; or name another folder (--state DIR) for a run that is to begin from nothing',
    { file },
  );
}
