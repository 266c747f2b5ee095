import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SafetyError, orElse } from '../core/errors.ts';

/** Mode bits: access of group and others, their write access, and the sticky bit that protects entries, as in /tmp. */
const OPEN = 0o077;
const WRITABLE = 0o022;
const STICKY = 0o1000;

const ROOT = 0;

/** User of this process; null on systems without owners and modes, which are trusted. */
export const ownUser = (): number | null => process.geteuid?.() ?? null;

const octal = ({ mode }: Stats): string => (mode & 0o7777).toString(8);

/** Complaint about the owner of a file or folder; null if it is this user or root. */
const ownerComplaint = ({ uid }: Stats): string | null =>
  uid === ownUser() || uid === ROOT ? null : 'belongs to another user';

/** Complaint about others who may read or change the file or folder at `path`, which has secrets; null if private. */
export function exposure(stats: Stats, path: string): string | null {
  if (ownUser() === null) return null;
  const owner = ownerComplaint(stats);
  if (owner !== null) return `${owner}. Make a copy that belongs to you`;
  if ((stats.mode & OPEN) === 0) return null;
  const wanted = stats.isDirectory() ? '700' : '600';
  return `can be read by others (mode ${octal(stats)}). Run: chmod ${wanted} ${path}, and replace the secret if others use this machine`;
}

/**
 * Requires that nobody else can replace the file or folder at `path`: every folder on the way to it, with links resolved
 * too, belongs to this user or root, and others may not write there, unless the sticky bit protects its entries.
 * @throws {SafetyError} naming the folder
 */
export function requireSafeWay(path: string, what: string): void {
  if (ownUser() === null) return;
  for (const folder of new Set([...parentsOf(resolve(path)), ...parentsOf(realPathOf(path))])) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats) continue;
    const owner = ownerComplaint(stats);
    const isOpen = (stats.mode & WRITABLE) !== 0 && (stats.mode & STICKY) === 0;
    if (owner === null && !isOpen) continue;
    const why = owner ?? `can be written by others (mode ${octal(stats)})`;
    const remedy = owner === null ? `Run: chmod go-w ${folder}, or use another` : 'Use another';
    throw new SafetyError(
      `${what} (${path}) lies in ${folder}, which ${why}: they could replace it. ${remedy} folder`,
      { path, folder },
    );
  }
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

/** Path with links resolved; the path itself if it does not exist. */
const realPathOf = (path: string): string => orElse(() => realpathSync(path), resolve(path));

/** File names that may be links: the kill file stops all sends whatever it points to. */
const MAY_BE_LINKS = ['KILL'];

/**
 * Requires that nobody else can change a folder of ours, and that it contains no links, which writes would follow. A missing
 * folder passes.
 * @throws {SafetyError} with what to do
 */
export function requireOwnFolder(folder: string, what: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory() || ownUser() === null) return;
  const refuse = (why: string) => {
    throw new SafetyError(`${what} (${folder}) ${why}. Nothing was started`, { folder });
  };
  const owner = ownerComplaint(stats);
  if (owner !== null) refuse(`${owner}: it could be changed during the run. Use one that belongs to you`);
  if ((stats.mode & WRITABLE) !== 0)
    refuse(
      `can be written by others (mode ${octal(stats)}). Run: chmod go-w ${folder}, and look at what is in it`,
    );
  const link = readdirSync(folder).find((name) => isLink(join(folder, name)) && !MAY_BE_LINKS.includes(name));
  if (link !== undefined)
    refuse(
      `holds a link, ${link}, and writes to it would go elsewhere. Put the file itself there, or remove it`,
    );
}

/** Removes all access of other users to a folder of ours. @throws {SafetyError} if some remains */
export function makePrivate(folder: string, what: string): void {
  const isOpen = () => ownUser() !== null && (statSync(folder).mode & OPEN) !== 0;
  if (!isOpen()) return;
  // A failure is detected below: the folder is still open.
  orElse(() => chmodSync(folder, statSync(folder).mode & 0o700), undefined);
  if (isOpen())
    throw new SafetyError(
      `${what} (${folder}) is open to others, and that cannot be changed. Run as its owner: chmod 700 ${folder}`,
      { folder },
    );
}

/**
 * Requires that a file or folder (not a link's target) belongs to this user or root. A missing one passes.
 * @throws {SafetyError} when it belongs to another
 */
export function requireOwner(path: string, what: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const why = stats && ownUser() !== null ? ownerComplaint(stats) : null;
  if (why !== null)
    throw new SafetyError(`${what} (${path}) ${why}: it is not used, and nothing was sent`, { path });
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Result of work on an open file, which is closed in any case. */
export function onDescriptor<T>(descriptor: number, work: (descriptor: number) => T): T {
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes all bytes: a full disk accepts part of a write before it refuses the rest. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Makes a file, or the entries created or renamed in a folder, survive a power loss. */
export const syncPath = (path: string): void => onDescriptor(openSync(path, 'r'), fsyncSync);
