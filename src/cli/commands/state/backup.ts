import { counted } from '../../../core/counted.ts';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { toIso } from '../../../core/brand.ts';
import { ConfigError } from '../../../core/errors.ts';
import { VERSION } from '../../../core/version.ts';
import { restrictCopy } from '../../../store/copies.ts';
import { latestOf, readJournal, verifyJournal } from '../../../store/readJournal.ts';
import { checkpointFile, headFile } from '../../../store/integrity.ts';
import { requireOwnFolder } from '../../../store/trust.ts';
import type { JournalEventOf } from '../../../domain/journalEvent.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  copyFiles,
  fillNew,
  liesIn,
  writeManifest,
  type Manifest,
} from '../../../app/environment/backupFolder.ts';
import { journalOf, requireJournal } from '../../../app/environment/journal.ts';
import { accountIn, journalFile, modeOf } from '../../../app/environment/ownership.ts';
import { printResult } from '../../../process/output.ts';
import { shellWord } from '../../../process/quotedCommand.ts';

/**
 * State files without which a run cannot continue, in copy order. The journal comes first: a venue in the folder (emulated or
 * simulated) may then be later than the journal, as a real one is, but never earlier.
 */
const NEEDED = [
  'journal.sqlite',
  'account',
  'one-click',
  'contracts',
  'simulated.sqlite',
  join('emulator', 'emulator.sqlite'),
];

/**
 * `drover backup`: copies the state of a run into a new folder, even during the run, and verifies the copy completely. Its
 * journal ends with a halt: wherever it is restored, a run on it sends nothing until `resume`.
 * @throws {ConfigError} when the folder is not empty, or the state cannot be read or is damaged
 */
export function backup(flags: Readonly<{ folder: string; state?: string }>, context: CommandContext): number {
  const { stateDir } = journalOf(flags, context);
  const folder = resolve(context.cwd, flags.folder);
  requireApart(folder, stateDir);
  requireOwnFolder(stateDir, 'the state folder');
  requireJournal(stateDir);
  let manifest: Manifest | undefined;
  let files: readonly string[] = [];
  fillNew(folder, (partial) => {
    const copied = copyFiles(NEEDED, stateDir, partial);
    files = [...copied, ...copyArchives(stateDir, partial)];
    const at = toIso(context.clock.now());
    restrictCopy(journalFile(partial), haltOf(at));
    manifest = writeManifest(partial, aboutOf(stateDir, partial, at), files);
  });
  const leftOut = leftOutOf(stateDir, files);
  return printResult(
    context,
    { folder, ...manifest, leftOut },
    manifest ? textOf({ folder, manifest, leftOut }) : '',
  );
}

/**
 * Copies the archives named in a journal's copy next to it, wherever they are; returns their names.
 * @throws {ConfigError} when one is missing or damaged, or cannot be read or written
 */
function copyArchives(stateDir: string, partial: string): string[] {
  const reader = readJournal(journalFile(stateDir));
  reader.close();
  return reader.archives.flatMap(({ file }) => copyFiles([basename(file)], dirname(file), partial));
}

/** The halt that a run on a restored journal starts with. */
const haltOf = (at: string): JournalEventOf<'restricted'> => ({
  kind: 'restricted',
  state: 'halted',
  cause: 'restored',
  scope: {},
  by: 'backup',
  reason: `restored from the backup of ${at}: what happened since is not in this journal`,
});

function requireApart(folder: string, stateDir: string): void {
  if (!liesIn(folder, stateDir)) return;
  throw new ConfigError(
    `${folder} is inside the state folder: nothing was written. Name a folder elsewhere`,
    {
      folder,
    },
  );
}

/** Description of a copy, from its fully verified journal. @throws {ConfigError} when it is damaged */
function aboutOf(stateDir: string, copy: string, at: string): Omit<Manifest, 'format' | 'files'> {
  const file = journalFile(copy);
  const { seq, sum, epochs } = verifyJournal(file);
  const [last] = latestOf(file, ['restricted'], 1);
  return {
    drover: VERSION,
    at,
    from: stateDir,
    mode: modeOf(stateDir) ?? 'live',
    account: accountIn(copy),
    journal: { entries: seq, starts: epochs, sum, until: last ? toIso(last.at) : at },
  };
}

/** Names in the state folder that the backup omits: locks, sockets, the log, a kill file, and files added by others. */
function leftOutOf(stateDir: string, copied: readonly string[]): string[] {
  const parts = copied
    .filter((name) => name.endsWith('.sqlite'))
    .flatMap((name) => [`${name}-wal`, `${name}-shm`]);
  const beside = [headFile, checkpointFile].map((nameOf) => basename(nameOf(journalFile('.'))));
  const known = [...copied, ...parts, ...beside, 'emulator'];
  return readdirSync(stateDir)
    .filter((name) => !known.includes(name))
    .sort();
}

type Outcome = Readonly<{ folder: string; manifest: Manifest; leftOut: readonly string[] }>;

function textOf({ folder, manifest, leftOut }: Outcome): string {
  const { from, mode, account, journal, files } = manifest;
  return [
    `backup of ${from} (mode ${mode}${account === null ? '' : `, ${account}`}) in ${folder}`,
    `  journal: ${counted(journal.entries, 'entry', 'entries')} of ${counted(journal.starts, 'start')} until ${journal.until}, all intact; the last is a halt`,
    ...files.map(({ name, bytes }) => `  ${name}: ${bytes} bytes`),
    ...(leftOut.length === 0 ? [] : [`  not in it: ${leftOut.join(', ')}`]),
    `\`drover restore ${shellWord(folder)} --state DIR\` puts it into a new state folder, whose next run starts halted`,
  ].join('\n');
}
