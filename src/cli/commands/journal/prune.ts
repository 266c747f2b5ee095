import { counted } from '../../../core/counted.ts';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError, closing } from '../../../core/errors.ts';
import { keepCheckpoint } from '../../../engine/runtime/checkpoints.ts';
import { openSqliteJournal } from '../../../store/sqliteJournal.ts';
import { planPruning, pruneJournal, type PrunePlan, type PruneStep } from '../../../store/pruneJournal.ts';
import { verifyJournal } from '../../../store/readJournal.ts';
import { makeFolder } from '../../../store/stateFolder.ts';
import type { CommandContext } from '../../../process/context.ts';
import { journalOf, withState } from '../../../app/environment/journal.ts';
import { holderOf } from '../../../app/environment/locks.ts';
import { printResult } from '../../../process/output.ts';

export type PruneFlags = Readonly<{
  state?: string;
  before?: number;
  keep?: number;
  archive?: string;
  yes?: boolean;
}>;

/**
 * `drover journal prune`: moves finished years into archives that are read like the journal itself. Without `--yes` it only
 * shows what would move, which is possible during a run.
 * @throws {LockHeldError} with `--yes` while another process uses the state folder
 * @throws {ConfigError} when the journal is incomplete, or an archive cannot be written; nothing was removed then
 */
export function journalPrune(flags: PruneFlags, context: CommandContext): Promise<number> {
  requireChoice(flags);
  const { stateDir, file } = journalOf(flags, context);
  const folder = flags.archive === undefined ? dirname(file) : resolve(context.cwd, flags.archive);
  const work = () => {
    verifyJournal(file);
    const plan = planPruning(file, flags, folder);
    const before = bytesOf(file);
    const why = flags.yes ? prune(file, { plan, folder, context }) : null;
    const sizes = { before, after: bytesOf(file) };
    return show({ file, plan, sizes, why, done: flags.yes === true }, context);
  };
  return flags.yes ? withState({ stateDir, holder: holderOf(context) }, work) : Promise.resolve().then(work);
}

function requireChoice({ before, keep }: PruneFlags): void {
  if (before !== undefined && keep !== undefined)
    throw new ConfigError(
      '--before and --keep exclude each other: give the first year to keep, or the number of years',
    );
  if (keep === 0)
    throw new ConfigError(
      '--keep: must be at least 1, because the year of the last entry stays in the journal',
    );
}

const STEPS: Readonly<Record<PruneStep, string>> = {
  copy: 'copying entries into',
  check: 'checking',
  place: 'syncing',
  remove: 'removing archived entries from',
  compact: 'compacting',
};

type Work = Readonly<{ plan: PrunePlan; folder: string; context: CommandContext }>;

/** Reason why the journal's file could not be shrunk; null if it was. */
function prune(file: string, { plan, folder, context }: Work): string | null {
  makeFolder(folder, 'the folder of the archives');
  const why = pruneJournal(file, plan, (step, path) => context.terminal.err(`${STEPS[step]} ${path}`));
  closing(openSqliteJournal(file), keepCheckpoint);
  return why;
}

const bytesOf = (file: string): number => statSync(file).size;

type Outcome = Readonly<{
  file: string;
  plan: PrunePlan;
  sizes: Readonly<{ before: number; after: number }>;
  why: string | null;
  done: boolean;
}>;

function show({ file, plan, sizes, why, done }: Outcome, context: CommandContext): number {
  const archives = plan.archives.map(({ year, file: path, before, end }) => ({
    year,
    file: path,
    first: before.seq + 1,
    last: end.seq,
    entries: end.seq - before.seq,
  }));
  const result = {
    pruned: done && archives.length > 0,
    file,
    archives,
    kept: plan.kept,
    bytes: sizes,
    uncompacted: why,
  };
  const lines = [
    ...archives.map(
      ({ year, entries, file: path }) =>
        `${year}: ${counted(entries, 'entry', 'entries')} ${done ? 'moved to' : 'would move to'} ${path}`,
    ),
    archives.length === 0
      ? `Nothing to move: ${file} has ${counted(plan.kept, 'entry', 'entries')}, and the year of the last (${plan.lastYear}) stays in it.`
      : `${counted(plan.kept, 'entry', 'entries')} ${done ? 'stay' : 'would stay'} in ${file}${done ? ` (${sizeText(sizes.before)} before, ${sizeText(sizes.after)} now)` : ''}.`,
    ...(why === null
      ? []
      : [
          `The file keeps its size, because it could not be rewritten: ${why}. Make room, and run this again.`,
        ]),
    ...(done || archives.length === 0
      ? []
      : ['--yes moves them. Copy the archives with every backup of the folder: no run starts without them.']),
  ];
  return printResult(context, result, lines.join('\n'));
}

const sizeText = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
