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

/** Maximum length of a Unix socket path, in bytes: Linux's `sun_path` has 108 with its final zero. */
const PATH_MAX_BYTES = 107;
const NAME = 'control.sock';
/** File in the state folder with the path of the socket, for when the usual path is too long. */
const ADDRESS_FILE = 'control.addr';

/** Time in ms within which a live daemon accepts a connection. */
const ACCEPT_MS = 1_000;

/** Folder for sockets with short paths: this user's runtime folder, or the one for temporary files. */
export type ShortFolders = Readonly<{ runtime?: string | undefined }>;

const fits = (path: string): boolean => Buffer.byteLength(path) <= PATH_MAX_BYTES;

/**
 * Path of a state folder's socket, whether or not a process listens on it; null if none was ever created.
 * @throws {SafetyError} when another user created it: that user would receive the commands
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

/** The path of a socket. @throws {SafetyError} when it or its folder belongs to another user */
function ofThisUser(path: string): string {
  requireOwner(realpathSync(dirname(path)), 'the folder of the control socket');
  requireOwner(path, 'the control socket');
  return path;
}

/** True for a socket of this user in a folder of this user. */
export const isOwnSocket = (path: string): boolean =>
  orElse(() => isSocket(path) && ofThisUser(path) === path, false);

/** True for an actual socket; false for a link to one, which could lead to another user's. */
const isSocket = (path: string): boolean =>
  existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** True when a process accepts connections on a socket; false if it is dead. */
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

/** Path for a new socket. `remove` removes it and everything created for it. */
export type SocketPlace = Readonly<{ path: string; remove: Cancel }>;

/**
 * Frees the path of a state folder's socket by removing the socket of a dead daemon. The caller holds the folder, which is made
 * private first, so that only this user can ever open the socket.
 * @throws {SafetyError} when a daemon responds there, something else has that name, or the folder stays open to others
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

/** Refuses a name taken by anything other than a socket, such as a link. */
function requireFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new SafetyError(`${path} is not a socket of drover: remove it, and start again`, { path });
}

function removeSocket(path: string): void {
  if (isSocket(path)) rmSync(path, { force: true });
}

const PREFIX = 'drover-control-';
const SHORT = /\/drover-control-[A-Za-z0-9]{6}$/;

/** Creates a private folder with a short path and an unpredictable name. */
function shortFolder(parents: readonly (string | undefined)[]): string {
  for (const parent of parents) {
    if (parent === undefined || !fits(join(parent, `${PREFIX}abcdef`, NAME))) continue;
    try {
      const folder = mkdtempSync(join(parent, PREFIX));
      chmodSync(folder, 0o700);
      return folder;
    } catch {
      // Try the next parent.
    }
  }
  throw new SafetyError('no folder for temporary files has a path short enough for a socket');
}

/** Allows only this user to connect. */
export const restrictSocket = (path: string): void => chmodSync(path, 0o600);
