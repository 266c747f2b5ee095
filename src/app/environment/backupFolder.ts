import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { ConfigError, orElse } from '../../core/errors.ts';
import { copyDatabase, digestOf } from '../../store/copies.ts';
import { headFile } from '../../store/integrity.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { requireOwnFolder, syncPath } from '../../store/trust.ts';
import { atPath, placeWhole, readText, type PathUse } from '../../process/files.ts';
import { journalFile } from './ownership.ts';

/** File that describes a backup. */
const MANIFEST = 'backup.json';
const FORMAT = 'drover backup';

/** Name of a file in a backup: it cannot point outside the folder. */
const PLAIN_NAME = /^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)?$/;

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** Version of drover that wrote the backup. */
  drover: z.string(),
  /** Time at which the backup began. */
  at: z.string(),
  /** State folder that was backed up. */
  from: z.string(),
  mode: z.string(),
  account: z.string().nullable(),
  /** Number of journal entries and starts, checksum over all entries, and time of the last one. */
  journal: z.object({ entries: z.int(), starts: z.int(), sum: z.string(), until: z.string() }),
  files: z.array(z.object({ name: z.string().regex(PLAIN_NAME), bytes: z.int(), sha256: z.string() })),
});

/** Description of a backup: its origin, and each of its files with a checksum. */
export type Manifest = Readonly<z.output<typeof manifestSchema>>;

const PLACE: PathUse = {
  what: 'written',
  remedy: 'Make room, let this user write there, or name another folder',
};

/**
 * Fills a new folder in one step: until `fill` has returned, it is named `FOLDER.partial`, which an interrupted
 * command leaves behind. Only its owner can read it.
 * @throws {ConfigError} when the folder exists and is not empty, an interrupted one is there, or nothing can be written
 */
export function fillNew(folder: string, fill: (partial: string) => void): void {
  requireEmpty(folder);
  const partial = `${folder}.partial`;
  if (existsSync(partial))
    throw new ConfigError(
      `${partial} was left by an interrupted command, or belongs to one that is still running. Nothing was written: ` +
        'remove it once no other command uses it, or name another folder',
      { folder: partial },
    );
  makeFolder(dirname(folder), 'the folder of a copy');
  atPath(partial, PLACE, () => mkdirSync(partial, { mode: 0o700 }));
  try {
    fill(partial);
    atPath(folder, PLACE, () => {
      syncPath(partial);
      renameSync(partial, folder);
      syncPath(dirname(folder));
    });
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function requireEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found || (found.isDirectory() && readdirSync(folder).length === 0)) return;
  const why = found.isDirectory() ? 'is not empty' : 'is a file';
  throw new ConfigError(`${folder} ${why}: nothing was written. Name a new folder`, { folder });
}

/**
 * Copies those of the named files that a folder in use has; returns their names. A database is copied as of one instant.
 * @throws {ConfigError} when one is damaged, or cannot be read or written
 */
export function copyFiles(names: readonly string[], from: string, to: string): string[] {
  const there = names.filter((name) => existsSync(join(from, name)));
  for (const name of there) {
    const [original, copy] = [join(from, name), join(to, name)];
    makeFolder(dirname(copy), 'the folder of a copy');
    if (name.endsWith('.sqlite')) copyDatabase(original, copy);
    else atPath(copy, PLACE, () => copyFileSync(original, copy));
  }
  return there;
}

/**
 * Copies a backup whole, with its description, and checks the copy. @throws {ConfigError} when it was changed after it was
 * written
 */
export function copyBackup({ files }: Manifest, from: string, to: string): void {
  for (const name of [...files.map((file) => file.name), MANIFEST]) {
    const copy = join(to, name);
    makeFolder(dirname(copy), 'the folder of a copy');
    atPath(copy, PLACE, () => {
      copyFileSync(join(from, name), copy);
      chmodSync(copy, 0o600);
    });
  }
  readManifest(to);
}

/** Writes the description of the files of a backup into it. */
export function writeManifest(
  folder: string,
  about: Omit<Manifest, 'format' | 'files'>,
  names: readonly string[],
): Manifest {
  const journalHead = headFile(journalFile('.'));
  const files = [...names, journalHead].map((name) => ({ name, ...digestOf(join(folder, name)) }));
  const manifest: Manifest = { format: FORMAT, ...about, files };
  const place = (fresh: string) => renameSync(fresh, join(folder, MANIFEST));
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  atPath(folder, PLACE, () => placeWhole(folder, text, { mode: 0o600, place }));
  return manifest;
}

/**
 * The description of a backup, after checking that none of its files has changed.
 * @throws {ConfigError} when the folder is not a backup, or a file is missing or was changed
 * @throws {SafetyError} when others can change it
 */
export function readManifest(folder: string): Manifest {
  requireOwnFolder(folder, 'the backup');
  const file = join(folder, MANIFEST);
  const text = readText(file, 'Name a folder written by `drover backup`', folder);
  const manifest = manifestSchema.safeParse(orElse((): unknown => JSON.parse(text), null));
  if (!manifest.success)
    throw new ConfigError(
      `${file} does not describe a backup. Name a folder that \`drover backup\` has written`,
      {
        file,
      },
    );
  for (const { name, bytes, sha256 } of manifest.data.files) {
    const found = existsSync(join(folder, name)) ? digestOf(join(folder, name)) : null;
    const why = found === null ? 'is missing' : 'was changed after it was written';
    if (found?.sha256 !== sha256 || found.bytes !== bytes)
      throw new ConfigError(`${join(folder, name)} ${why}: nothing was restored. Use another backup`, {
        folder,
      });
  }
  return manifest.data;
}

/** Path of a folder with links resolved, even if the folder does not exist yet. */
function realPathOf(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder
    ? realpathSync(folder)
    : join(realPathOf(parent), basename(folder));
}

/** True for a folder within another, or the other itself, with links resolved. */
export const liesIn = (folder: string, outer: string): boolean =>
  !/^\.\.(\/|$)/.test(relative(realPathOf(outer), realPathOf(folder)));
