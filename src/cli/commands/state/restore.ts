import { resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { latestOf, verifyJournal } from '../../../store/readJournal.ts';
import type { CommandContext } from '../../../process/context.ts';
import { copyBackup, fillNew, liesIn, readManifest } from '../../../app/environment/backupFolder.ts';
import { journalFile } from '../../../app/environment/ownership.ts';
import { printResult } from '../../../process/output.ts';

/**
 * `drover restore`: copies a backup unchanged into a new state folder. Its journal ends with a halt, so the next run sends
 * nothing until `resume`.
 * @throws {ConfigError} when the backup is damaged or not a backup, or the state folder is not empty
 */
export function restore(flags: Readonly<{ backup: string; state: string }>, context: CommandContext): number {
  const [from, state] = [resolve(context.cwd, flags.backup), resolve(context.cwd, flags.state)];
  const manifest = readManifest(from);
  requireHalted(from);
  requireOutside(state, from);
  fillNew(state, (partial) => {
    copyBackup(manifest, from, partial);
    verifyJournal(journalFile(partial));
  });
  const { files, at, mode, account, journal } = manifest;
  return printResult(
    context,
    { state, from, at, mode, account, journal, files: files.map(({ name }) => name), trading: 'halted' },
    [
      `restored ${from} (mode ${mode}${account === null ? '' : `, ${account}`}) of ${at} into ${state}`,
      `Its next run starts halted: it looks for everything that happened since ${journal.until}, and sends nothing.`,
      'Compare (`drover reconcile`), accept what is right (`drover accept ASSET`, `drover orders accept TX`), then `drover resume --reason TEXT`.',
      'Never run it beside the original.',
    ].join('\n'),
  );
}

/** Refuses a state folder inside the backup: the next restore would include it. @throws {ConfigError} */
function requireOutside(state: string, from: string): void {
  if (!liesIn(state, from)) return;
  throw new ConfigError(`${state} is inside the backup: nothing was restored. Name a folder elsewhere`, {
    folder: state,
  });
}

/** Refuses a journal that does not end with a halt: a run on it would trade on outdated state. @throws {ConfigError} */
function requireHalted(folder: string): void {
  const [last] = latestOf(journalFile(folder), ['restricted'], 1);
  if (last?.fact.cause === 'restored') return;
  throw new ConfigError(
    `the journal in ${folder} does not end with the halt of a backup: nothing was restored`,
    {
      folder,
    },
  );
}
