import { onDescriptor } from '../../store/trust.ts';
import { constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { toIso, epochMs } from '../../core/brand.ts';
import { codeOf, messageOf } from '../../core/errors.ts';
import { oneLine, shownText } from '../../core/printable.ts';
import { parseRunRecord, type RunRecord } from '../../report/runRecord.ts';
import { NothingFound } from './question.ts';

/** Maximum size of a record, in bytes: ten years of 5-minute bars with 6,000 trades take 11 MB. */
const RECORD_MAX_BYTES = 32 * 1024 * 1024;
/** Maximum number of files that one listing of the folder reads, and of their bytes. */
const FILES_MAX = 200;
const READ_MAX_BYTES = 200 * 1024 * 1024;
/** Maximum length of a name quoted in an error, in characters: a file name has at most 255. */
const NAME_MAX = 255;
/** Maximum length of the reason why a file is not a record, in characters. */
const PROBLEM_MAX = 400;

/** File in the folder of saved records. `record` is null if the file is invalid, for the reason in `problem`. */
export type SavedRecord = Readonly<{
  name: string;
  savedAt: string;
  record: RunRecord | null;
  problem: string | null;
}>;

/** The newest saved records, newest first. `problem`: reason why the folder is unreadable; `left`: number of older files. */
export type SavedRecords = Readonly<{
  files: Iterable<SavedRecord>;
  left: number;
  problem: string | null;
}>;

/** Records in a folder: only its own regular files that end in `.json`, without following links. */
export function savedRecords(folder: string): SavedRecords {
  const found = filesIn(folder);
  if ('problem' in found) return { files: [], left: 0, problem: found.problem };
  const newest = found.files.toSorted(
    (one, other) => other.stats.mtimeMs - one.stats.mtimeMs || one.name.localeCompare(other.name),
  );
  const count = Math.min(FILES_MAX, affordable(newest));
  return { files: recordsIn(folder, newest.slice(0, count)), left: newest.length - count, problem: null };
}

/** Number of files that can be read within the size limit. */
function affordable(files: readonly RecordFile[]): number {
  let bytes = 0;
  const tooMuch = files.findIndex(({ stats }) => {
    bytes += problemOf(stats) === null ? stats.size : 0;
    return bytes > READ_MAX_BYTES;
  });
  return tooMuch < 0 ? files.length : tooMuch;
}

/** Record in one file of the folder. @throws {NothingFound} for an unknown name, and for a file that is not a record */
export function savedRecord(folder: string, name: string): RunRecord {
  const found = filesIn(folder);
  const file = 'files' in found ? found.files.find((each) => each.name === name) : undefined;
  // A name is first compared with those in the folder; only then does it become part of a path.
  if (file === undefined)
    throw new NothingFound(`there is no record ${shownText(name, NAME_MAX)} in ${folder}`);
  const { record, problem } = recordIn(folder, file);
  if (record === null) throw new NothingFound(problem ?? '');
  return record;
}

type RecordFile = Readonly<{ name: string; stats: Stats }>;

function filesIn(folder: string): Readonly<{ files: RecordFile[] }> | Readonly<{ problem: string }> {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return {
      files: names.flatMap((name) => {
        const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
        return stats === undefined ? [] : [{ name, stats }];
      }),
    };
  } catch (error) {
    // The folder does not exist before the first record is saved.
    return codeOf(error) === 'ENOENT'
      ? { files: [] }
      : { problem: `${folder} cannot be read: ${messageOf(error)}` };
  }
}

/** Reads one record at a time, so that the previous one can be freed. */
function* recordsIn(folder: string, files: readonly RecordFile[]): Generator<SavedRecord> {
  for (const file of files) yield recordIn(folder, file);
}

function recordIn(folder: string, { name, stats }: RecordFile): SavedRecord {
  const saved = { name, savedAt: toIso(epochMs(Math.floor(stats.mtimeMs))) };
  const unfit = problemOf(stats);
  if (unfit !== null) return { ...saved, record: null, problem: unfit };
  try {
    return { ...saved, record: parseRunRecord(textOf(join(folder, name)), name), problem: null };
  } catch (error) {
    return { ...saved, record: null, problem: oneLine(messageOf(error), PROBLEM_MAX) };
  }
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Content of a regular file that is not a link, checked after opening. @throws when it is something else, or too large */
const textOf = (path: string): string =>
  onDescriptor(openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW), (descriptor) => {
    const stats = fstatSync(descriptor);
    const problem = problemOf(stats);
    if (problem !== null) throw new Error(problem);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.toString('utf8', 0, length);
  });

function problemOf(stats: Stats): string | null {
  if (stats.isSymbolicLink()) return 'it is a link: put the file itself into the folder';
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.size <= RECORD_MAX_BYTES) return null;
  const most = RECORD_MAX_BYTES / 1024 / 1024;
  return `it has ${Math.ceil(stats.size / 1024 / 1024)} MB, and only records up to ${most} MB are read here: \`drover report\` and \`drover compare\` read larger ones`;
}
