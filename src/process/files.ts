import {
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  readFileSync,
  constants,
  fstatSync,
} from 'node:fs';
import { dirname, join, resolve, isAbsolute, sep } from 'node:path';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  codeOf,
  ConfigError,
  messageOf,
  DroverError,
  SafetyError,
  storageErrorOf,
  orElse,
} from '../core/errors.ts';
import { systemRandom } from '../core/random.ts';
import { exposure, requireSafeWay, onDescriptor, writeAll } from '../store/trust.ts';
import { LEVELS_MAX, parseBounded } from '../core/nesting.ts';
import type { Environment } from './environment.ts';

/**
 * Writes a file atomically: its name always refers to the old or the new content, never a part.
 * @param flag named in the error
 * @throws {ConfigError} when it cannot be written
 */
export function writeWhole(path: string, text: string, flag: string): void {
  try {
    placeWhole(dirname(path), text, { mode: 0o666, place: (fresh) => renameSync(fresh, path) });
  } catch (cause) {
    const Failure = storageErrorOf(cause);
    throw new Failure(`${flag}: cannot write ${path}: ${writeProblem(path, cause)}`, { path }, { cause });
  }
}

/** A kind of file that drover writes, recognised by its first characters. */
export type FileKind = Readonly<{ what: string; begins: RegExp }>;

export const RECORD: FileKind = { what: 'record of a run', begins: /^\s*\{\s*"format"/ };
export const PAGE: FileKind = { what: 'HTML page', begins: /^\s*<!doctype html/i };
export const TRADES: FileKind = { what: 'list of trades', begins: /^strategy,symbol,entryAt,/ };
export const OPENAPI: FileKind = { what: 'OpenAPI document', begins: /^\s*\{\s*"openapi"/ };

/**
 * Checks an output path before long work instead of after it: its folder exists, and the path is free or has an older
 * file of the same kind. Bars, a strategy or a config named by mistake are not overwritten.
 * @param flag named in the error
 * @throws {ConfigError} when the path cannot be used
 */
export function requirePlace(path: string, flag: string, kind: FileKind): void {
  const problem = placeProblem(path, kind);
  if (problem !== null) throw new ConfigError(`${flag}: ${problem}`, { path });
}

/**
 * Checks that no two flags write to the same file.
 * @param named paths by flag. @throws {ConfigError} with both flags
 */
export function requireDistinct(named: Readonly<Record<string, string | undefined>>, cwd: string): void {
  const flags = new Map<string, string>();
  for (const [flag, name] of Object.entries(named)) {
    if (name === undefined) continue;
    const path = resolve(cwd, name);
    const other = flags.get(path);
    if (other !== undefined)
      throw new ConfigError(`${flag}: ${name} is already written by ${other}. Name another file`, { path });
    flags.set(path, flag);
  }
}

function placeProblem(path: string, { what, begins }: FileKind): string | null {
  if (!existsSync(dirname(path))) return `cannot write ${path}: ${writeProblem(path, null)}`;
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  if (!found.isFile()) return `${path} is not a regular file. Name a file`;
  if (found.size === 0 || begins.test(beginningOf(path))) return null;
  return `${path} exists already, and is not an older ${what}: it is kept. Name another file, or remove this one first`;
}

/** First characters of a file, which show its kind. Empty for an unreadable file, which is not overwritten either. */
function beginningOf(path: string): string {
  const bytes = Buffer.alloc(64);
  const read = (descriptor: number) => bytes.toString('utf8', 0, readSync(descriptor, bytes));
  return orElse(() => onDescriptor(openSync(path, 'r'), read), '');
}

/** Reason why a file cannot be written, with the remedy: the system's text may name a temporary file instead. */
export function writeProblem(path: string, cause: unknown): string {
  const folder = dirname(path);
  if (!existsSync(folder))
    return `there is no folder ${folder}. Make it first (mkdir -p ${folder}), or name a file elsewhere`;
  const code = codeOf(cause);
  if (code === 'EROFS') return 'its disk is read-only. Name a file elsewhere';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `there is no room on its disk (${messageOf(cause)}). Make room, or name a file elsewhere`;
  if (code === 'EACCES' || code === 'EPERM')
    return `this user may not write to the folder ${folder}. Change its permissions, or name a file elsewhere`;
  if (code === 'EEXIST') return 'it already exists. Name a new file';
  return messageOf(cause);
}

/**
 * Creates a new file, complete or not at all; if one of its parts fails, the earlier ones are kept, because they may not be
 * available again. @throws the system's error, or that of its parts
 */
export function makeFile(path: string, parts: Iterable<string | Uint8Array>, mode = 0o666): void {
  const descriptor = openSync(path, 'wx', mode);
  try {
    onDescriptor(descriptor, () => {
      for (const part of parts) writeAll(descriptor, typeof part === 'string' ? Buffer.from(part) : part);
    });
  } catch (cause) {
    if (!(cause instanceof DroverError)) rmSync(path, { force: true });
    throw cause;
  }
}

/** Like `makeFile`, for a file named by the user. @throws {ConfigError} when it cannot be written */
export function writeNew(...file: Parameters<typeof makeFile>): void {
  const [path] = file;
  try {
    makeFile(...file);
  } catch (cause) {
    if (cause instanceof DroverError || codeOf(cause) === null) throw cause;
    const Failure = storageErrorOf(cause);
    throw new Failure(`cannot write ${path}: ${writeProblem(path, cause)}`, { path }, { cause });
  }
}

type FilePlacement = Readonly<{
  mode: number;
  /** Renames the new file. */
  place: (fresh: string) => void;
}>;

/**
 * Writes a text to a temporary file in `folder`, complete and synced, before `place` renames it. @throws the system's
 * error
 */
export function placeWhole(folder: string, text: string, { mode, place }: FilePlacement): void {
  const fresh = join(folder, `.${systemRandom.uuid()}.tmp`);
  try {
    onDescriptor(openSync(fresh, 'wx', mode), (descriptor) => {
      writeAll(descriptor, Buffer.from(text));
      fsyncSync(descriptor);
    });
    place(fresh);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw cause;
  }
}

/** Use of a path, as in `cannot be the log`, and the remedy if it cannot be used. */
export type PathUse = Readonly<{ what: string; remedy: string }>;

/**
 * Runs `work` on a path.
 * @throws {ConfigError} with the path, the system's error and the remedy
 * @throws {StorageError} the same, when its disk is full or fails
 */
export function atPath<T>(path: string, { what, remedy }: PathUse, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof DroverError || codeOf(cause) === null) throw cause;
    const Failure = storageErrorOf(cause);
    throw new Failure(`${path} cannot be ${what}: ${messageOf(cause)}. ${remedy}`, { path }, { cause });
  }
}

const CAUSES: Readonly<Record<string, Readonly<{ why: string; remedy?: string }>>> = {
  ENOENT: { why: 'there is no such file' },
  ENOTDIR: { why: 'there is no such file' },
  EISDIR: { why: 'is a folder', remedy: 'Name a file in it' },
  EACCES: {
    why: 'this user may not read it',
    remedy: 'Give this user the right to (chmod u+r), or name another file',
  },
};

/**
 * The error for an unreadable file named by the user.
 * @param remedy what to do if it does not exist
 */
export function unreadableFile(file: string, cause: unknown, remedy = 'Correct the path'): ConfigError {
  const known = CAUSES[codeOf(cause) ?? ''];
  const why = known?.why ?? `cannot be read: ${messageOf(cause)}`;
  return new ConfigError(`${file}: ${why}. ${known?.remedy ?? remedy}`, { file }, { cause });
}

/** Reads a file named by the user. `remedy`: what to do if it does not exist. @throws {ConfigError} when that fails */
export const readNamed = <T>(file: string, read: () => T, remedy?: string): T => {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : unreadableFile(file, cause, remedy);
  }
};

/** The content of a file named by the user. @throws {ConfigError} as `readNamed` does */
export const readText = (path: string, remedy?: string, name = path): string =>
  readNamed(name, () => readFileSync(path, 'utf8'), remedy);

/**
 * The content of a file that only its owner, the user of this process, can read, and nobody else can replace. A trailing newline
 * is dropped unless `whole`. `isCredential`: from systemd, which may give this user access to root's file by an access list; its
 * mode then shows the list as group permissions.
 * @throws {ConfigError} when it cannot be read
 * @throws {SafetyError} when others can read or change it, or it is a link
 */
export function readPrivateFile(path: string, { whole = false, isCredential = false } = {}): string {
  return onDescriptor(openPrivate(path), (descriptor) => {
    const stats = fstatSync(descriptor);
    const isGranted = isCredential && stats.uid === 0 && (stats.mode & OTHERS) === 0;
    const complaint = !stats.isFile() ? 'is not a file' : isGranted ? null : exposure(stats, path);
    if (complaint) throw new SafetyError(`${path} holds a secret and ${complaint}`, { path });
    requireSafeWay(path, 'a file with a secret');
    const text = readFileSync(descriptor, 'utf8');
    return whole ? text : text.replace(/\r?\n$/, '');
  });
}

/** Mode bits with which others may read, or a group may write or execute. */
const OTHERS = 0o037;

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Opens a file without waiting for a pipe that has no writer, and without following links. */
function openPrivate(path: string): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ELOOP')
      throw new SafetyError(`${path} holds a secret and is a link. Name the file itself`, { path });
    throw unreadableFile(path, error);
  }
}

/**
 * Reads the plan of `--faults`, which the emulator validates. @throws {ConfigError} when there is no such file, or it is
 * not JSON
 */
export function readFaults(file: string, { cwd }: Readonly<{ cwd: string }>): unknown {
  const text = readText(resolve(cwd, file), undefined, `--faults ${file}`);
  try {
    return parseBounded(text, LEVELS_MAX);
  } catch {
    // The parser's message quotes the file, which may not be the one that the user meant.
    throw new ConfigError(
      `--faults ${file}: is not JSON, or nested deeper than ${LEVELS_MAX} levels. config/hard-day.json shows what a plan looks like`,
    );
  }
}

/**
 * Folder where this user's programs keep their data: `$XDG_DATA_HOME`, otherwise `~/.local/share`. A variable that is empty
 * or not an absolute path counts as unset, as the XDG Base Directory Specification requires: otherwise keys and bars would be
 * wherever the command was run.
 */
export function dataHomeOf(env: Environment): string {
  const { HOME: home = '', XDG_DATA_HOME: data = '' } = env;
  if (isAbsolute(data)) return data;
  return join(isAbsolute(home) ? home : homedir(), '.local', 'share');
}

/** Folder of this user's sealed keys: DROVER_KEYSTORE_DIR, or drover/keys in the user's data folder. */
export function keyFolderOf(env: Environment): string {
  if (env['DROVER_KEYSTORE_DIR']) return env['DROVER_KEYSTORE_DIR'];
  return join(dataHomeOf(env), 'drover', 'keys');
}

/** Folder of package.json, two folders above this file as source, as a module and in the built program alike. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** Folder of the built page, in the repository and in the package alike. */
export const PAGE_FOLDER = resolve(PACKAGE_FOLDER, 'dist/page');

/** Folder of our own modules: TypeScript in the repository, JavaScript in the package. */
export const OWN_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Path of one of the few files of the built program; it does not exist when the program runs from its modules. */
export const programFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** True for a path below a folder; both are absolute. */
export const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}${sep}`);
