import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cancel, Host } from '../../core/clock.ts';
import { SafetyError, orElse } from '../../core/errors.ts';
import { makePrivate, requireOwner } from '../../store/trust.ts';

/** Longest path of a Unix socket, in bytes: `sun_path` of Linux has 108 with its final zero. */
const PATH_MAX_BYTES = 107;
const NAME = 'control.sock';
/** File in the state folder that names the socket, where its own path would be too long. */
const ADDRESS_FILE = 'control.addr';

/** Time in ms within which a living daemon accepts a connection. */
const ACCEPT_MS = 1_000;

/** Folder for sockets with short paths: the runtime folder of this user, or the one for temporary files. */
export type ShortFolders = Readonly<{ runtime?: string | undefined }>;

const fits = (path: string): boolean => Buffer.byteLength(path) <= PATH_MAX_BYTES;

/**
 * Path of the socket of a state folder, whether something listens there or not; null if none was ever made.
 * @throws {SafetyError} when another user made it: whoever listens there would get the commands
 */
export function socketOf(stateDir: string): string | null {
  const own = join(stateDir, NAME);
  if (fits(own)) return isSocket(own) ? ofThisUser(own) : null;
  const file = join(stateDir, ADDRESS_FILE);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  requireOwner(file, 'the address of the control socket');
  const named = readFileSync(file, 'utf8').trim();
  return fits(named) && isSocket(named) ? ofThisUser(named) : null;
}

/** The path of a socket. @throws {SafetyError} when it, or the folder that it is in, is another user's */
function ofThisUser(path: string): string {
  requireOwner(realpathSync(dirname(path)), 'the folder of the control socket');
  requireOwner(path, 'the control socket');
  return path;
}

/** True for a socket of this user in a folder of this user. */
export const isOwnSocket = (path: string): boolean =>
  orElse(() => isSocket(path) && ofThisUser(path) === path, false);

/** True for a socket itself; false for a link to one, which could lead to another user's. */
const isSocket = (path: string): boolean =>
  existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** True when a process accepts connections at a socket; false for one that is dead. */
export function accepts(path: string, host: Pick<Host, 'after'>): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (isThere: boolean) => {
      cancel();
      socket.destroy();
      resolve(isThere);
    };
    // A process that is stopped, or too busy to accept, is not dead.
    const cancel = host.after(ACCEPT_MS, () => end(true));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** Place for a socket that does not exist yet. `remove` removes it and all that was made for it. */
export type SocketPlace = Readonly<{ path: string; remove: Cancel }>;

/**
 * Makes the place of a state folder's socket free: the socket of a dead daemon is removed. The caller holds the folder, which is
 * made private first: a socket in it can then be opened by this user alone from its first moment.
 * @throws {SafetyError} when a daemon answers there, something else has its name, or the folder stays open to others
 */
export async function freeSocketPlace(
  stateDir: string,
  { runtime }: ShortFolders,
  host: Pick<Host, 'after'>,
): Promise<SocketPlace> {
  makePrivate(stateDir, 'the state folder');
  const earlier = socketOf(stateDir);
  if (earlier !== null) await removeDead(earlier, host);
  const own = join(stateDir, NAME);
  const address = join(stateDir, ADDRESS_FILE);
  rmSync(address, { force: true });
  if (fits(own)) {
    requireFree(own);
    return { path: own, remove: () => removeSocket(own) };
  }
  const folder = shortFolder([runtime, tmpdir(), '/tmp']);
  const path = join(folder, NAME);
  writeFileSync(address, `${path}\n`, { flag: 'wx', mode: 0o600 });
  const remove = () => {
    rmSync(address, { force: true });
    removeSocket(path);
    rmSync(folder, { recursive: true, force: true });
  };
  return { path, remove };
}

async function removeDead(path: string, host: Pick<Host, 'after'>): Promise<void> {
  if (await accepts(path, host))
    throw new SafetyError(`another process answers at ${path}: its socket is kept`, { path });
  removeSocket(path);
  const folder = dirname(path);
  if (SHORT.test(folder)) rmSync(folder, { recursive: true, force: true });
}

/** Refuses a name that is taken by something else than a socket, such as a link. */
function requireFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new SafetyError(`${path} is not a socket of drover: remove it, and start again`, { path });
}

function removeSocket(path: string): void {
  if (isSocket(path)) rmSync(path, { force: true });
}

const PREFIX = 'drover-control-';
const SHORT = /\/drover-control-[A-Za-z0-9]{6}$/;

/** Makes a folder with a short path and an unpredictable name, for this user alone. */
function shortFolder(parents: readonly (string | undefined)[]): string {
  for (const parent of parents) {
    if (parent === undefined || !fits(join(parent, `${PREFIX}abcdef`, NAME))) continue;
    try {
      const folder = mkdtempSync(join(parent, PREFIX));
      chmodSync(folder, 0o700);
      return folder;
    } catch {
      // The next one may do.
    }
  }
  throw new SafetyError('no folder for temporary files has a path short enough for a socket');
}

/** Lets this user alone connect. */
export const restrictSocket = (path: string): void => chmodSync(path, 0o600);
